"""tmasim.run and tmasim.triton: launches of compiled kernels, and records of a Triton that is not there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Dict, List

import pytest

import tmasim
import tmasim.triton
from conftest import ROOT

COPY = ROOT / "examples" / "launches" / "copy.yaml"
CAPTURED = ROOT / "tests" / "hardware" / "captured" / "ptx"


def copy_fields() -> Dict[str, Any]:
    """The launch of COPY as a dict."""
    side = {"data_type": "float16", "global_dim": [64, 256], "box_dim": [64, 64], "swizzle": "128b"}
    return {
        "name": "add one to 4 tiles",
        "ptx": (COPY.parent / "copy.ptx").read_text(),
        "grid": [4],
        "dynamic_shared": 8192,
        "buffers": {
            "a": {"bytes": 32768, "data_type": "float16", "contents": {"seed": 1}},
            "b": {"bytes": 32768, "data_type": "float16", "contents": "zero"},
        },
        "parameters": [{"map": side, "buffer": "a"}, {"map": side, "buffer": "b"}],
    }


def test_a_launch_is_a_path_a_dict_or_a_record(command_json: Any, tmp_path: Path) -> None:
    report = command_json("run", str(COPY), "--no-why", "--format", "json")
    assert tmasim.run(COPY, why=False).report == report
    fields = copy_fields()
    for record in (
        fields,
        {**fields, "ptx": COPY.parent / "copy.ptx"},
        tmasim.Launch("copy", {k: v for k, v in fields.items() if k != "ptx"}, fields["ptx"], {}),
    ):
        made = tmasim.run(record, why=False).report
        for key in report:
            if key != "ptx":
                assert made[key] == report[key], key
    del fields["ptx"], fields["name"]
    launch = tmasim.Launch("copy", fields, copy_fields()["ptx"], {})
    path = launch.save(tmp_path / "records")
    assert tmasim.run(path, why=False).report["lines"] == report["lines"]


def test_lines_come_by_what_they_cost() -> None:
    report = tmasim.run(COPY, why=False)
    lines = report.lines()
    assert report.cycles == report.report["timing"]["cycles"] > 1000
    assert lines[0]["line"] == "copy.ptx:37" and lines[0]["percent"] > 20
    assert lines[0]["reason"] == "the phase of an mbarrier"
    assert [row["cycles"] for row in lines] == sorted((row["cycles"] for row in lines), reverse=True)
    counted = sum(
        sum(item.get("warp_cycles", {}).values()) for item in report.report["lines"]
    )
    assert sum(row["cycles"] for row in lines) == counted > 0
    assert sum(row["cycles"] for row in report.lines(by="source")) == counted
    with pytest.raises(ValueError, match="instruction"):
        report.lines(by="file")


def test_a_race_is_a_finding_and_a_wrong_launch_an_error() -> None:
    early = tmasim.run(COPY.parent / "copy_early.yaml", functional=True)
    assert early.completed and {item["kind"] for item in early.findings} == {"race", "fence"}
    wrong = {**copy_fields(), "grids": 4}
    with pytest.raises(tmasim.ScenarioError, match='unknown key "grids"') as caught:
        tmasim.run(wrong)
    assert caught.value.diagnostics[0].line is not None
    with pytest.raises(tmasim.ScenarioError, match="no ptx"):
        tmasim.run({"grid": [1]})


class Tensor:
    """What is read of a tensor."""

    def __init__(self, shape: List[int], dtype: str, address: int) -> None:
        self.shape, self.dtype, self.address = shape, f"torch.{dtype}", address

    def data_ptr(self) -> int:
        return self.address

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("what a comparison of tensors gives is a tensor")

    def numel(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    def element_size(self) -> int:
        return {"float16": 2, "int32": 4}[self.dtype[6:]]


class Function:
    """What is read of a function with @triton.jit."""

    def __init__(self, names: str, constexprs: str = "", defaults: Any = ()) -> None:
        self.arg_names = names.split()
        self.params = [
            SimpleNamespace(
                name=name,
                is_constexpr=name in constexprs.split(),
                do_not_specialize=False,
                has_default=name in dict(defaults),
                default=dict(defaults).get(name),
            )
            for name in self.arg_names
        ]

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        return self.compiled  # type: ignore[attr-defined]


@pytest.fixture
def triton(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Triton that compiles nothing: `answer` is the kernel that it gives, `asked` what it got."""
    fake: Any = ModuleType("triton")
    parts = ("backends", "backends.compiler", "compiler", "runtime", "runtime.jit")
    modules: Dict[str, Any] = {part: ModuleType(f"triton.{part}") for part in parts}
    modules["compiler"].ASTSource = lambda *given: SimpleNamespace(given=given)
    modules["backends.compiler"].GPUTarget = lambda *given: given
    modules["runtime.jit"].JITFunction = Function

    def compile(source: Any, target: Any, options: Any) -> Any:
        fake.asked = SimpleNamespace(source=source.given, target=target, options=options)
        signature = source.given[1]
        return SimpleNamespace(src=SimpleNamespace(signature=signature), **vars(fake.answer))

    fake.compile = compile
    monkeypatch.setitem(sys.modules, "triton", fake)
    for part, module in modules.items():
        monkeypatch.setitem(sys.modules, f"triton.{part}", module)
    return fake


def answer(file: str, name: str, warps: int, shared: int, metas: Any = ()) -> Any:
    """A compiled kernel with PTX that Triton made."""
    metadata = SimpleNamespace(
        name=name, num_warps=warps, num_ctas=1, shared=shared, tensordesc_meta=list(metas)
    )
    return SimpleNamespace(asm={"ptx": (CAPTURED / file).read_text()}, metadata=metadata)


GATHER = ("gather_rows-c0dfa5e3.ptx", "gather_rows", 4, 0)


def test_capture_needs_no_gpu(triton: Any) -> None:
    triton.answer = answer(*GATHER)
    kernel = Function("out table indices columns", "columns")
    out, table = Tensor([64, 2048], "float16", 0), Tensor([4096, 2048], "float16", 0)
    indices = Tensor([64], "int32", 4)
    record = tmasim.triton.capture(
        kernel, lambda meta: (64,), out, table, indices, 2048, num_warps=4
    )
    given = triton.asked
    assert given.source[1:] == (
        {"out": "*fp16", "table": "*fp16", "indices": "*i32", "columns": "constexpr"},
        {"columns": 2048},
        {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]},
    )
    assert (given.target, given.options) == (("cuda", 90, 32), {"num_warps": 4})
    assert record.constants == {"columns": 2048, "num_warps": 4}
    assert record.fields["grid"] == [64] and record.fields["block"] == [128]
    assert record.fields["parameters"] == [
        {"pointer": "out", "name": "out"},
        {"pointer": "table", "name": "table"},
        {"pointer": "indices", "name": "indices"},
        {"pointer": None},
        {"pointer": None},
    ]
    assert record.fields["buffers"]["table"] == {"bytes": 16777216, "data_type": "float16"}
    fields = record.to_dict()
    fields["buffers"]["indices"]["contents"] = {"seed": 1, "low": 0, "count": 4096}
    report = tmasim.run(fields, why=False)
    assert report.completed and report.lines("source")[0]["line"].startswith("triton_kernels.py:")


def test_capture_of_an_autotuned_kernel_with_descriptors(triton: Any) -> None:
    meta = [{"block_size": [128, 64], "swizzle": 3}, {"block_size": [64, 64], "swizzle": 3}]
    metas = [*meta, {"block_size": [128, 64], "swizzle": 3}]
    triton.answer = answer("gemm_descriptors-cca08e5f.ptx", "gemm_descriptors", 8, 98328, metas)
    kernel = Function("a b c M N K BM BN BK", "BM BN BK")

    def descriptor(address: int) -> Any:
        base = Tensor([256, 256], "float16", address)
        return SimpleNamespace(base=base, shape=[256, 256], strides=[256, 1], block_shape=[1, 1])

    def boxes(meta: Any) -> None:
        meta["a"].block_shape = [meta["BM"], meta["BK"]]

    sizes = {"BM": 128, "BN": 128, "BK": 64}
    config = SimpleNamespace(all_kwargs=lambda: {**sizes, "num_warps": 8}, pre_hook=boxes)
    tuned = SimpleNamespace(fn=kernel, configs=[config], arg_names=kernel.arg_names)
    a, b, c = (descriptor(16 * n) for n in (1, 2, 3))
    with pytest.raises(tmasim.ScenarioError, match="not tuned"):
        tmasim.triton.capture(tuned, (2, 2), a, b, c, 256, 256, 256)
    tuned.best_config = config
    grid = lambda meta: (256 // meta["BM"], 256 // meta["BN"])  # noqa: E731
    record = tmasim.triton.capture(tuned, grid, a, b, c, 256, 256, 256)
    assert triton.asked.source[1]["a"] == "tensordesc<fp16[128, 64]>"
    assert record.fields["grid"] == [2, 2]
    assert len(record.fields["parameters"]) == 20
    report = tmasim.run(record, why=False)
    assert report.completed and not report.findings
    assert report.report["tma_load_bytes"] == 4 * 4 * (128 * 64 + 64 * 128) * 2


def test_capture_of_a_kernel_with_heuristics(triton: Any) -> None:
    triton.answer = answer(*GATHER)
    kernel = Function("out table indices columns", "columns")
    rules = {"columns": lambda given: given["table"].shape[1], "num_warps": lambda given: 4}
    ruled = SimpleNamespace(fn=kernel, values=rules, arg_names=kernel.arg_names)
    table, indices = Tensor([4096, 2048], "float16", 16), Tensor([64], "int32", 32)
    record = tmasim.triton.capture(ruled, (64,), table, table, indices)
    assert record.constants == {"columns": 2048, "num_warps": 4}


def test_capturing_records_each_launch_once(triton: Any) -> None:
    kernel = Function("out table indices columns", "columns")
    signature = {"out": "*fp16", "table": "*fp16", "indices": "*i32", "columns": "constexpr"}
    made: Any = answer(*GATHER)
    made.src = SimpleNamespace(signature=signature)
    kernel.compiled = made  # type: ignore[attr-defined]
    rows, indices = Tensor([64, 2048], "float16", 16), Tensor([64], "int32", 32)
    before = Function.run
    with tmasim.triton.capturing("gather") as records:
        for _ in range(2):
            kernel.run(rows, rows, indices, 2048, grid=(64,), warmup=False, num_warps=4)
        kernel.run(rows, rows, indices, 2048, grid=(32,), warmup=False, num_warps=4)
    assert [record.fields["grid"] for record in records] == [[64], [32]]
    assert records[0].fields["parameters"][1] == {"pointer": "out", "name": "table"}
    assert Function.run is before


def test_capturing_records_kernels_of_torch_compile(
    triton: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """PyTorch launches these itself, and keeps PTX and metadata in Triton's cache."""
    signature = {"out": "*fp16", "table": "*fp16", "indices": "*i32", "columns": "constexpr"}
    config = SimpleNamespace(kwargs={"columns": 2048}, num_warps=4, num_stages=1)
    launcher = SimpleNamespace(config=config, cache_hash="HASH", n_regs=18)

    class Autotuner:
        fn = SimpleNamespace(constexprs=[3])
        triton_meta = {"signature": signature, "device": 2}
        launchers = [launcher, None]

        def run(self, *args: Any, stream: Any) -> str:
            self.launchers = [launcher]  # the fastest, now that it has been tuned
            return "launched"

        def _interpret_args_grid(self, args: Any, config: Any) -> Any:
            return args[:-1], (args[-1], 1, 1)  # PyTorch adds what the grid is made of

    heuristics: Any = ModuleType("torch._inductor.runtime.triton_heuristics")
    heuristics.CachingAutotuner = Autotuner
    heuristics.triton_cache_dir = lambda device: str(tmp_path / str(device))
    for name in ("torch", "torch._inductor", "torch._inductor.runtime"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, heuristics.__name__, heuristics)
    folder = tmp_path / "2" / "HASH"
    folder.mkdir(parents=True)
    kernel = answer(*GATHER)
    (folder / "gather_rows.ptx").write_text(kernel.asm["ptx"])
    (folder / "gather_rows.json").write_text(json.dumps(vars(kernel.metadata)))
    rows, indices = Tensor([64, 2048], "float16", 16), Tensor([64], "int32", 32)
    before = Autotuner.run
    with tmasim.triton.capturing("gather") as records:
        for _ in range(2):
            assert Autotuner().run(rows, rows, indices, 64, stream=0) == "launched"
    assert Autotuner.run is before
    (record,) = records
    assert record.fields["grid"] == [64, 1, 1] and record.fields["registers"] == 18
    assert record.constants == {"columns": 2048, "num_warps": 4, "num_stages": 1}
    assert record.fields["parameters"][:3] == [
        {"pointer": "out", "name": "out"},
        {"pointer": "out", "name": "table"},
        {"pointer": "indices", "name": "indices"},
    ]


def test_arguments_that_do_not_fit_are_errors(triton: Any) -> None:
    triton.answer = answer(*GATHER)
    with pytest.raises(tmasim.ScenarioError, match="5 parameters in the PTX; the arguments make 1"):
        tmasim.triton.capture(Function("out"), (1,), Tensor([1], "float16", 0))
    with pytest.raises(tmasim.ScenarioError, match="argument out is a str"):
        tmasim.triton.capture(Function("out"), (1,), "text")
