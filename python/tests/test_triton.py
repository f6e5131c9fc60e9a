"""tmasim.triton on kernels that Triton 3.6 compiled for an H200 (tests/triton/record.py)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest

import tmasim
import tmasim.triton
from tmasim import _expressions as ex
from tmasim import triton_capture
from tmasim._expressions import Expression
from tmasim._induction import Cycle, Staircase, cycle, staircase
from tmasim.triton import Compiled, Descriptor, TranslationError

RECORDS = Path(__file__).resolve().parent / "triton" / "records"
NAMES = sorted(path.stem for path in RECORDS.glob("*.json"))


def record(name: str) -> Dict[str, Any]:
    """A record, as JSON has it."""
    read: Dict[str, Any] = json.loads((RECORDS / f"{name}.json").read_text())
    return read


def statements(program: List[Any], word: str) -> Iterator[Any]:
    """The statements of a kind, those in loops and branches too."""
    for statement in program:
        if isinstance(statement, str):
            if statement == word:
                yield statement
            continue
        if word in statement:
            yield statement[word]
        for inside in ("do", "then", "else"):
            yield from statements(statement.get(inside, []), word)


def program_of(name: str) -> List[Any]:
    """The program of a record's scenario."""
    made = Compiled.from_record(RECORDS / f"{name}.json").scenario_dict()
    program: List[Any] = made["kernel"]["roles"]["program"]["program"]
    return program


def test_there_are_records() -> None:
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_descriptors_give_the_bytes_that_the_driver_wrote(name: str) -> None:
    compiled = Compiled.from_record(record(name))
    for argument, described in record(name)["descriptors"].items():
        made = compiled.tensor_maps[argument]
        assert made.encode().hex() == described["bytes"]
        decoded = Descriptor.from_bytes(bytes.fromhex(described["bytes"]), described["block"])
        assert decoded == compiled.descriptors[argument]


@pytest.mark.parametrize("name", NAMES)
def test_every_record_makes_a_scenario_that_the_machine_can_run(name: str) -> None:
    compiled = Compiled.from_record(RECORDS / f"{name}.json")
    scenario = compiled.scenario()
    assert scenario.has_roles
    assert scenario.name == compiled.name
    if name.startswith("read"):
        assert compiled.notes == ["tt.store is not simulated: it does not use a tensor map"]
    else:
        assert compiled.notes == []


@pytest.mark.parametrize("name", ["gemm_64_64_64_4", "gemm_128_128_128_2"])
def test_a_gemm_moves_its_matrices(name: str) -> None:
    read = record(name)
    result = Compiled.from_record(read).scenario().run()
    sizes = read["arguments"]
    m, n, k, bm, bn = (sizes[key] for key in ("M", "N", "K", "BM", "BN"))
    tiles = (m // bm) * (n // bn)
    assert result.report["bytes"]["loaded"] == tiles * (bm + bn) * k * 2
    assert result.report["bytes"]["stored"] == m * n * 2
    assert result.report["kernel"]["ctas"] == tiles
    # The records' time is that of a launch, with L2 flushed before.
    assert 0.5 < result.time_ns / 1000 / read["launch_us"] < 1.5


def test_the_launch_of_a_kernel_that_makes_its_own_descriptors() -> None:
    compiled = Compiled.from_record(record("device_descriptors"))
    scenario = compiled.scenario()
    maps = scenario.tensor_maps
    assert [made.box_dim for made in maps.values()] == [(64, 128)] * 2
    assert [made.swizzle for made in maps.values()] == ["128b"] * 2
    result = scenario.run()
    assert result.report["bytes"]["loaded"] == result.report["bytes"]["stored"] == 1024 * 1024 * 2


Moved = Tuple[str, str, Tuple[int, ...]]


class Parser:
    """Evaluates an expression of a scenario; divisions round down."""

    LEVELS: List[Dict[str, Callable[[int, int], int]]] = [
        {"||": lambda a, b: int(bool(a or b))},
        {"&&": lambda a, b: int(bool(a and b))},
        {
            "==": lambda a, b: int(a == b),
            "!=": lambda a, b: int(a != b),
            "<=": lambda a, b: int(a <= b),
            ">=": lambda a, b: int(a >= b),
            "<": lambda a, b: int(a < b),
            ">": lambda a, b: int(a > b),
        },
        {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
        {"*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b},
    ]

    def __init__(self, text: str, known: Dict[str, int]) -> None:
        self.words = re.findall(r"\d+|\w+|\|\||&&|[=!<>]=|[^\s\w]", text)
        self.known = known
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, word: str = "") -> str:
        taken = self.peek()
        assert taken and word in ("", taken), (self.words, self.at)
        self.at += 1
        return taken

    def choice(self) -> int:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take("?")
        yes = self.choice()
        self.take(":")
        no = self.choice()
        return yes if condition else no

    def binary(self, level: int) -> int:
        if level == len(self.LEVELS):
            return self.operand()
        left = self.binary(level + 1)
        while self.peek() in self.LEVELS[level]:
            operator = self.LEVELS[level][self.take()]
            left = operator(left, self.binary(level + 1))
        return left

    def operand(self) -> int:
        word = self.take()
        if word in "-!":
            operand = self.operand()
            return -operand if word == "-" else int(not operand)
        if word == "(":
            inside = self.choice()
            self.take(")")
            return inside
        if word == "ceil":
            self.take("(")
            dividend = self.operand()
            self.take("/")
            divisor = self.operand()
            self.take(")")
            return -(-dividend // divisor)
        if word in ("min", "max"):
            self.take("(")
            values = [self.choice()]
            while self.peek() == ",":
                self.take(",")
                values.append(self.choice())
            self.take(")")
            return (min if word == "min" else max)(values)
        return int(word) if word.isdigit() else self.known[word]


def value(text: Any, known: Dict[str, int]) -> int:
    """The value of an expression of the program."""
    parser = Parser(str(text), known)
    found = parser.choice()
    assert parser.peek() == ""
    return found


def moves(program: List[Any], known: Dict[str, int]) -> Iterator[Moved]:
    """What a CTA loads and stores, in its order: the statement, the tensor map, the coordinates."""
    for statement in program:
        if isinstance(statement, str):
            continue
        if "for" in statement:
            ((name, bounds),) = statement["for"].items()
            for i in range(*(value(bound, known) for bound in bounds)):
                yield from moves(statement["do"], {**known, name: i})
        elif "if" in statement:
            way = "then" if value(statement["if"], known) else "else"
            yield from moves(statement.get(way, []), known)
        for verb in ("load", "store"):
            if verb in statement:
                at = tuple(value(item, known) for item in statement[verb]["at"])
                yield verb, statement[verb]["map"], at


def moved(program: List[Any], verb: str, name: str, cta: int) -> List[Tuple[int, ...]]:
    """The coordinates of one kind of operation of a CTA."""
    return [
        at
        for kind, map_name, at in moves(program, {"cta": cta})
        if (kind, map_name) == (verb, name)
    ]


def test_a_gemm_walks_along_k_and_stores_its_tile() -> None:
    program = program_of("gemm_128_256_64_3")
    stored = []
    for cta in range(0, 512, 37):
        boxes = moved(program, "store", "c", cta)
        stored += boxes
        n, m = boxes[0]
        assert boxes == [(n + 64 * i, m) for i in range(4)]
        assert moved(program, "load", "a", cta) == [(k, m) for k in range(0, 4096, 64)]
        assert moved(program, "load", "b", cta) == [(k, n) for k in range(0, 4096, 64)]
    assert len(set(stored)) == len(stored)


def test_a_persistent_gemm_takes_every_132nd_tile() -> None:
    program = program_of("gemm_persistent")
    for cta in (0, 50, 131):
        tiles = [(tile // 32 * 128, tile % 32 * 128) for tile in range(cta, 1024, 132)]
        stored = [(n + part, m) for m, n in tiles for part in (0, 64)]
        assert moved(program, "store", "c", cta) == stored
        loaded = [(k, m) for m, _ in tiles for k in range(0, 4096, 64)]
        assert moved(program, "load", "a", cta) == loaded


def test_attention_takes_the_blocks_of_its_head() -> None:
    program = program_of("attention_64")
    for cta in (0, 17, 1023):
        head, block = divmod(cta, 16)
        rows = [(0, head * 2048 + row) for row in range(0, 2048, 64)]
        assert moved(program, "load", "k", cta) == moved(program, "load", "v", cta) == rows
        assert moved(program, "load", "q", cta) == [(0, head * 2048 + 128 * block)]
        assert moved(program, "store", "o", cta) == [(0, head * 2048 + 128 * block)]


def tile_of_gemm(tile: int, tiles_m: int, tiles_n: int) -> Tuple[int, int]:
    """Rows and columns of a tile, in groups of eight along M."""
    width = 8 * tiles_n
    first = tile // width * 8
    rows = min(tiles_m - first, 8)
    return (first + tile % width % rows) * 128, tile % width // rows * 128


@pytest.mark.parametrize("m, n, k, ctas", [(1408, 768, 512, 13), (1024, 1024, 4096, 132)])
def test_a_flattened_persistent_gemm(m: int, n: int, k: int, ctas: int) -> None:
    """The loops over tiles and over K are one in the code: its counters go round."""
    half = {"data_type": "float16", "swizzle": "128b", "box": (128, 64)}
    compiled = Compiled(
        name="gemm_flattened",
        target="sm_90",
        grid=(ctas,),
        num_warps=4,
        num_stages=3,
        num_ctas=1,
        shared_bytes=131096,
        registers=168,
        arguments={"M": m, "N": n, "K": k},
        descriptors={
            "a": Descriptor(shape=(m, k), strides=(k, 1), **half),  # type: ignore[arg-type]
            "b": Descriptor(shape=(n, k), strides=(k, 1), **half),  # type: ignore[arg-type]
            "c": Descriptor(shape=(m, n), strides=(n, 1), **half),  # type: ignore[arg-type]
        },
        ttgir=(RECORDS.parent / "ttgir" / "gemm_flattened.ttgir").read_text(),
    )
    program: List[Any] = compiled.scenario_dict()["kernel"]["roles"]["program"]["program"]
    tiles = -(-m // 128) * (n // 128)
    for cta in (0, 5, ctas - 1):
        places = [tile_of_gemm(tile, m // 128, n // 128) for tile in range(cta, tiles, ctas)]
        steps = range(0, k, 64)
        assert moved(program, "load", "a", cta) == [(i, row) for row, _ in places for i in steps]
        assert moved(program, "load", "b", cta) == [(i, col) for _, col in places for i in steps]
        stored = [(col + part, row) for row, col in places for part in (0, 64)]
        assert moved(program, "store", "c", cta) == stored
    if ctas == 13:
        result = compiled.scenario().run()
        assert result.report["bytes"]["loaded"] == tiles * (k // 64) * (128 + 128) * 64 * 2
        assert result.report["bytes"]["stored"] == m * n * 2


def test_series_are_recognised() -> None:
    assert cycle([1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1]) == Cycle(1, 1, 4)
    assert cycle([3, 0, 1, 2, 3, 0, 1, 2, 3, 0]) == Cycle(3, 1, 4)
    assert cycle([64, 128, 0, 64, 128, 0, 64, 128, 0]) == Cycle(64, 64, 192)
    assert cycle([0, 1, 2, 3, 4]) is None and cycle([0, 2, 1, 0, 2, 1, 0, 1, 2]) is None
    assert staircase([0, 0, 7, 7, 7, 14, 14, 14, 21, 21]) == Staircase(7, 1, 3)
    assert staircase([0, 1, 3, 6]) is None and staircase([0, 0, 0]) is None
    assert str(Cycle(1, 1, 4).at(Expression("i"))) == "((i + 1) % 4)"


def pipelined_copy(tiles: int) -> List[Any]:
    """The program of a copy with num_stages=4, whose loop hands coordinates on from the load to the
    store, three iterations later."""
    line = Descriptor("float16", (4096, 4096), (4096, 1), (128, 64), "128b", (128, 128))
    compiled = Compiled(
        name="copy",
        target="sm_90",
        grid=(132,),
        num_warps=4,
        num_stages=4,
        num_ctas=1,
        shared_bytes=131096,
        registers=80,
        arguments={"tiles": tiles, "tn": 32},
        descriptors={"a": line, "b": line},
        ttgir=(RECORDS.parent / "ttgir" / "copy_128_128_4.ttgir").read_text(),
    )
    compiled.scenario()
    program: List[Any] = compiled.scenario_dict()["kernel"]["roles"]["program"]["program"]
    return program


@pytest.mark.parametrize("tiles", [1024, 300, 132, 5])
def test_a_loop_that_hands_coordinates_on(tiles: int) -> None:
    program = pipelined_copy(tiles)
    for cta in (0, 4, 131):
        expected = [
            (tile % 32 * 128 + part, tile // 32 * 128)
            for tile in range(cta, tiles, 132)
            for part in (0, 64)
        ]
        assert moved(program, "load", "a", cta) == expected
        assert moved(program, "store", "b", cta) == expected


def test_the_pipeline_is_that_of_the_code() -> None:
    made = Compiled.from_record(record("gemm_64_64_64_4")).scenario_dict()["kernel"]
    (ring,) = made["rings"].values()
    assert ring["stages"] == 4
    assert sorted(ring["operands"].values()) == [64 * 64 * 2] * 2
    assert made["shared_memory"] == 65568
    (buffer,) = made["buffers"].values()
    assert buffer["over"] in made["rings"]
    program = made["roles"]["program"]["program"]
    assert len(list(statements(program, "acquire"))) == 4  # three ahead of the loop
    assert [item["in_flight"] for item in statements(program, "mma")] == [7]
    assert list(statements(program, "wait_mma")) == [1, 0]
    rings = Compiled.from_record(record("attention_128")).scenario_dict()["kernel"]["rings"]
    assert sorted(ring["stages"] for ring in rings.values()) == [1, 2, 2]


def test_ptxas_serialises_wide_products_of_two_warp_groups() -> None:
    (wide,) = statements(program_of("gemm_128_256_64_3"), "mma")
    assert "in_flight" not in wide
    (narrow,) = statements(program_of("gemm_128_128_64_3"), "mma")
    assert narrow["in_flight"] == 7


def test_the_second_product_of_attention_has_registers() -> None:
    first, second = statements(program_of("attention_64"), "mma")
    assert first["a"] != "registers" and second["a"] == "registers"
    assert sum(statements(program_of("attention_64"), "sfu")) == 128 * 64 + 128


def test_what_is_not_understood_is_said() -> None:
    compiled = Compiled.from_record(record("gemm_64_64_64_4"))
    with pytest.raises(TranslationError, match="clusters"):
        replace(compiled, num_ctas=2).scenario()
    with pytest.raises(TranslationError, match="no descriptor b"):
        replace(compiled, descriptors={"a": compiled.descriptors["a"]}).scenario()
    gather = compiled.ttgir.replace("ttng.async_tma_copy_global_to_local", "ttng.async_tma_gather")
    with pytest.raises(
        TranslationError, match=r"line \d+: ttng.async_tma_gather is not understood"
    ):
        replace(compiled, ttgir=gather).scenario()
    with pytest.raises(TranslationError, match="a predicate that is not understood"):
        replace(compiled, arguments={"M": 2048, "N": 2048}).scenario()
    with pytest.raises(ValueError, match="format 0; expected 1"):
        Compiled.from_record({**record("gemm_64_64_64_4"), "format": 0})
    with pytest.raises(ValueError, match="no function"):
        replace(compiled, ttgir="module {\n}\n").scenario()


def test_expressions_are_folded() -> None:
    cta = Expression("cta")
    assert ex.subtract(ex.add(cta, 64), 64) == cta
    assert ex.written(ex.multiply(ex.divide(ex.add(cta, 3), 2), 8)) == "(((cta + 3) / 2) * 8)"
    assert (ex.divide(-1, 4), ex.remainder(-1, 4), ex.divide_up(5, 4)) == (-1, 3, 2)
    assert ex.compare("slt", ex.add(cta, 1), ex.add(cta, 2)) == 1
    assert str(ex.compare("sge", cta, 8)) == "(cta >= 8)"
    assert ex.both(1, cta) == cta and ex.both(cta, 0) == 0 and ex.either(0, cta) == cta
    assert str(ex.choose(cta, 1, 2)) == "(cta ? 1 : 2)" and ex.choose(cta, 3, 3) == 3
    assert ex.multiply(cta, 0) == 0 and ex.multiply(1, cta) == cta and ex.divide(cta, 1) == cta
    assert (ex.least(2, 3), ex.most(2, 3), str(ex.least(cta, 3))) == (2, 3, "min(cta, 3)")


def test_a_scenario_can_be_changed() -> None:
    compiled = Compiled.from_record(record("device_descriptors"))
    cold = compiled.scenario().run()
    warm = compiled.scenario(initial_cache="warm").run()
    assert warm.cycles < cold.cycles
    made = compiled.scenario_dict()
    made["kernel"]["ctas"] = 1
    assert tmasim.Scenario(made).run().operations == cold.operations // 8


class FakeKernel:
    """What capture uses of a kernel of Triton."""

    arg_names = ["a", "M", "BM"]

    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        target = SimpleNamespace(arch=90)
        meta = {"swizzle": 3, "elem_size": 2, "elem_type": 6, "block_size": [128, 64]}
        metadata = SimpleNamespace(
            name="copy", target=target, num_warps=4, num_stages=3, num_ctas=1, shared=1024,
            tensordesc_meta=[meta],
        )  # fmt: skip
        ttgir = (
            '#loc = loc("x")\nmodule {\n  tt.func @copy(%M: i32 loc("M"(#loc))) {\n  } loc(#loc)\n}'
        )
        return SimpleNamespace(metadata=metadata, asm={"ttgir": ttgir}, n_regs=40, n_spills=0)


def test_capture_records_what_triton_says() -> None:
    base = SimpleNamespace(data_ptr=lambda: 4096, dtype="torch.float16")
    a = SimpleNamespace(base=base, shape=[256, 128], strides=[128, 1], block_shape=[128, 128])
    taken = triton_capture.capture(FakeKernel(), lambda meta: (meta["M"] // 128,), a, 256, BM=128)
    assert json.loads(json.dumps(taken)) == taken
    assert taken["grid"] == [2]
    assert taken["arguments"] == {"M": 256, "BM": 128}
    assert "loc" not in taken["ttgir"] and "%M: i32" in taken["ttgir"]
    compiled = tmasim.triton.capture(FakeKernel(), (2,), a, 256, BM=128)
    assert compiled == Compiled.from_record(taken)
    assert compiled.tensor_maps["a"].box_dim == (64, 128)
    assert compiled.tensor_maps["a"].global_strides == (256,)
    keys = set(record("gemm_64_64_64_4")) - {"launch_us", "versions", "gpu"}
    assert keys == set(taken)
