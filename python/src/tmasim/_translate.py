"""Makes the program of a kernel with roles from a TTGIR function.

Triton's pipeline is already in the code: loads ahead of a loop and inside it, with predicates. So
the program has the statements of the code in their order: one role of all warps, a ring for each
array of mbarriers, and its coordinates as expressions of the CTA's number and the loops' variables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from tmasim import _expressions as ex
from tmasim._expressions import Expression, Value
from tmasim._induction import Series, cycle, staircase
from tmasim._ttgir import Function, Operation, Shaped, descriptor_block, walk

Statement = Any  # a dict, or the word of a statement alone

WARP_THREADS = 32
BARRIER = "all_warps"

#: Instructions of a warp that Triton 3.6 makes of an operation for sm_90, counted in the code of
#: its GEMM: a step of K has 85 in all.
SCALAR_INSTRUCTIONS = 1
DIVISION_INSTRUCTIONS = 20
INDEX_INSTRUCTIONS = 4
WAIT_INSTRUCTIONS = 4
COPY_INSTRUCTIONS = 12
DOT_INSTRUCTIONS = 20

#: Iterations over which a pipeline hands on a value.
CARRIED_ITERATIONS = 4

#: Iterations of a loop that are followed with numbers to recognise what it carries, and the number
#: that stands for an expression the second time.
FOLLOWED_ITERATIONS = 4000
SECOND_SEED = 1000003

#: What waits and arrivals cost in that code (configs/kernels/gemm.yaml has the same).
COSTS = {
    "wait": "30 cycles",
    "wake": "20 cycles",
    "expect": "5 cycles",
    "issue": "15 cycles",
    "barrier": "20 cycles",
    "commit": "5 cycles",
    "wait_group": "10 cycles",
}

#: Single-precision operations for each element of the result; 0: registers only change their names.
ELEMENT_COSTS = {
    "arith.addf": 1,
    "arith.subf": 1,
    "arith.mulf": 1,
    "arith.maxnumf": 1,
    "arith.minnumf": 1,
    "arith.maximumf": 1,
    "arith.minimumf": 1,
    "arith.divf": 8,
    "arith.truncf": 1,
    "arith.extf": 1,
    "arith.cmpf": 1,
    "arith.cmpi": 1,
    "arith.select": 1,
    "arith.addi": 1,
    "arith.muli": 1,
    "math.fma": 1,
    "tt.fp_to_fp": 1,
}
SPECIAL_FUNCTIONS = ("math.exp2", "math.exp", "math.log2", "math.log", "math.rsqrt", "math.sqrt")

MMA_TYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "tfloat32",
    "i8": "int8",
    "f64": "float64",
}

#: Elements of tensormap_create (PTX ISA, tensormap.replace, table 33).
REPLACE_TYPES = ["uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32"]
REPLACE_TYPES += ["float32_ftz", "float64", "bfloat16", "tfloat32", "tfloat32_ftz"]
SWIZZLES = ["none", "32b", "64b", "128b"]

UNSUPPORTED = re.compile(
    r"ttng\.async_tma_(gather|scatter|reduce)|ttg\.warp_specialize|ttg\.async_copy|tt\.call"
    r"|ttng\.tmem|ttng\.tc_gen5|tt\.dot\b|scf\.while|cf\."
)
GLOBAL_ACCESS = re.compile(r"tt\.(load|store|atomic_\w+)$")

_BINARY: Dict[str, Callable[[Value, Value], Value]] = {
    "arith.addi": ex.add,
    "arith.subi": ex.subtract,
    "arith.muli": ex.multiply,
    "arith.divsi": ex.divide,
    "arith.divui": ex.divide,
    "arith.floordivsi": ex.divide,
    "arith.ceildivsi": ex.divide_up,
    "arith.remsi": ex.remainder,
    "arith.remui": ex.remainder,
    "arith.minsi": ex.least,
    "arith.maxsi": ex.most,
    "arith.andi": ex.both,
    "arith.ori": ex.either,
}
_LOGICAL = ("arith.andi", "arith.ori")
_SAME = ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast")


class TranslationError(ValueError):
    """A kernel that is not understood. The text names the operation and its line of the TTGIR."""


@dataclass
class Memory:
    """A piece of shared memory."""

    name: str
    type: Shaped
    over: Optional[str] = None  # the ring in whose memory it lies
    stored: bool = False  # a store reads it, or a product


@dataclass
class Transposed:
    """A view of shared memory with the dimensions exchanged."""

    memory: Memory


@dataclass
class Ring:
    """The stages that an array of mbarriers guards."""

    name: str
    stages: int
    operands: Dict[str, int] = field(default_factory=dict)  # bytes of one stage, by name
    acquires: int = 0  # statements so far
    dead: bool = False  # its memory is used again

    @property
    def bytes(self) -> int:
        """Shared memory of all stages."""
        return self.stages * sum(-(-size // 1024) * 1024 for size in self.operands.values())


@dataclass
class TensorMapOf:
    """A tensor map that the kernel uses."""

    name: str
    box: Tuple[int, ...]  # outermost dimension first, as Triton has them
    fields: Optional[Dict[str, Any]] = None  # of a map that the kernel makes itself


@dataclass
class Translation:
    """The kernel's part of a scenario."""

    rings: Dict[str, Any]
    buffers: Dict[str, Any]
    program: List[Statement]
    made_maps: Dict[str, Dict[str, Any]]
    notes: List[str]
    shared_bytes: int  # that rings and buffers take


Object = Union[int, Expression, Memory, Transposed, Ring, TensorMapOf, Tuple[Ring, str], None]


class Translator:
    """Translates one function."""

    def __init__(
        self,
        function: Function,
        arguments: Mapping[str, int],
        boxes: Mapping[str, Sequence[int]],
        grid: Sequence[int],
    ) -> None:
        self.function = function
        self.grid = tuple(grid) + (1,) * (3 - len(grid))
        self.threads = WARP_THREADS * function.warps
        self.values: Dict[str, Object] = {}
        self.memories: Dict[str, Memory] = {}
        self.rings: Dict[str, Ring] = {}
        self.made_maps: Dict[str, Dict[str, Any]] = {}
        self.notes: List[str] = []
        self.out: List[Statement] = []
        self.loops = 0
        self.instructions = 0  # of a warp, not yet written
        self.waited: List[List[str]] = []  # by loop: mbarriers that its body waits for
        self.roots = _roots(function.body)
        for argument in function.arguments:
            name = argument.name[1:]
            block = descriptor_block(argument.type)
            if block is not None:
                if name not in boxes:
                    raise TranslationError(f"the record has no descriptor {name}")
                self.values[argument.name] = TensorMapOf(name, tuple(boxes[name]))
            elif re.match(r"i\d+\b", argument.type) and name in arguments:
                self.values[argument.name] = arguments[name]

    def translate(self) -> Translation:
        """The whole function."""
        for operation in walk(self.function.body):
            if UNSUPPORTED.match(operation.name):
                self.refuse(operation, "is not understood")
        self.block(self.function.body)
        self.flush()
        shared = sum(ring.bytes for ring in self.rings.values())
        buffers: Dict[str, Any] = {}
        for memory in self.memories.values():
            if memory.stored:
                size = memory.type.bytes
                buffers[memory.name] = {"bytes": size, "over": memory.over} if memory.over else size
                shared += 0 if memory.over else size
        rings = {
            ring.name: {"stages": ring.stages, "operands": ring.operands}
            for ring in self.rings.values()
            if ring.operands
        }
        return Translation(rings, buffers, self.out, self.made_maps, self.notes, shared)

    def refuse(self, operation: Operation, why: str) -> NoReturn:
        """Ends the translation."""
        raise TranslationError(f"line {operation.line}: {operation.name} {why}")

    # Scalars

    def scalar(self, name: str) -> Optional[Value]:
        """The number that a name stands for, if it is known."""
        value = self.values.get(name)
        return value if isinstance(value, (int, Expression)) else None

    def program_id(self, operation: Operation) -> Value:
        x, y, _ = self.grid
        axis = operation.text.split()[1]
        if x * y * self.grid[2] == 1:
            return 0
        cta = Expression("cta")
        if axis == "x":
            return ex.remainder(cta, x) if y * self.grid[2] > 1 else cta
        if axis == "y":
            rows = ex.divide(cta, x)
            return ex.remainder(rows, y) if self.grid[2] > 1 else rows
        return ex.divide(cta, x * y)

    def evaluate(self, operation: Operation) -> Optional[Value]:
        """The value of a scalar operation; None where it is no number that is known."""
        name, text = operation.name, operation.text
        if name == "arith.constant":
            found = re.match(r"arith\.constant (-?\d+(?= : i)|true|false)", text)
            if not found:
                return None
            word = found.group(1)
            return {"true": 1, "false": 0}.get(word) if word.isalpha() else int(word)
        if name == "tt.get_program_id":
            return self.program_id(operation)
        if name == "tt.get_num_programs":
            return self.grid["xyz".index(text.split()[1])]
        values = [self.scalar(operand) for operand in operation.operands]
        if any(value is None for value in values) or not values:
            return None
        known = [value for value in values if value is not None]
        if name in _LOGICAL and not text.endswith(": i1"):
            return None
        if name in _BINARY and len(known) == 2:
            return _BINARY[name](known[0], known[1])
        if name in _SAME:
            return known[0]
        if name == "arith.cmpi":
            return ex.compare(text.split()[1].rstrip(","), known[0], known[1])
        if name == "arith.select" and len(known) == 3:
            return ex.choose(known[0], known[1], known[2])
        return None

    # Statements

    def flush(self) -> None:
        """Writes the instructions since the last statement that takes time of its own."""
        if self.instructions > 0:
            self.out.append({"alu": self.instructions * self.threads})
        self.instructions = 0

    def emit(self, *statements: Statement) -> None:
        self.flush()
        self.out.extend(statements)

    def guarded(self, predicate: Value, statements: List[Statement]) -> None:
        """Statements that run where the predicate holds; behind others with the same one."""
        if isinstance(predicate, int):
            if predicate:
                self.emit(*statements)
            return
        condition = str(predicate)
        last = self.out[-1] if self.out and isinstance(self.out[-1], dict) else {}
        if last.get("if") == condition and "else" not in last:
            outer, self.out = self.out, last["then"]
            self.emit(*statements)
            self.out = outer
        else:
            self.emit({"if": condition, "then": statements})

    def block(self, operations: Sequence[Operation]) -> None:
        for i, operation in enumerate(operations):
            if operation.name == "ttng.warp_group_dot":
                self.dot(operation, self.is_serial(operation, operations[i:]))
            else:
                self.operation(operation)

    def is_serial(self, operation: Operation, rest: Sequence[Operation]) -> bool:
        """Whether ptxas waits for each wgmma, although the code leaves some in flight: it does so
        ("serialization") with two warp groups, 128 columns or more and 64 of K or less."""
        waits = [item for item in rest if item.name == "ttng.warp_group_dot_wait"]
        in_flight = waits[0].attribute("pendings") if waits else 0
        k, n = operation.types[1].shape[-2:]
        return bool(in_flight) and self.function.warps == 8 and n >= 128 and k <= 64

    def operation(self, operation: Operation) -> None:
        handler = _HANDLERS.get(operation.name)
        if handler is not None:
            handler(self, operation)
            return
        if GLOBAL_ACCESS.match(operation.name):
            note = f"{operation.name} is not simulated: it does not use a tensor map"
            if note not in self.notes:
                self.notes.append(note)
            return
        value = self.evaluate(operation)
        for result in operation.results:
            self.values[result] = value
        types = operation.types
        if types and operation.results:
            self.tensor_work(operation, types[-1])
        elif operation.results and operation.name != "arith.constant":
            division = re.search(r"(div|rem)(s|u)i$", operation.name) and not isinstance(value, int)
            self.instructions += DIVISION_INSTRUCTIONS if division else SCALAR_INSTRUCTIONS

    def tensor_work(self, operation: Operation, result: Shaped) -> None:
        elements = result.elements
        if operation.name == "tt.reduce":
            elements = operation.types[0].elements
            self.emit({"alu": elements})
        elif operation.name in SPECIAL_FUNCTIONS:
            self.emit({"sfu": elements})
        elif ELEMENT_COSTS.get(operation.name, 0) > 0:
            self.emit({"alu": elements * ELEMENT_COSTS[operation.name]})

    # Loops and branches

    def loop(self, operation: Operation) -> None:
        found = re.match(r"scf\.for (%\S+) = (%\S+) to (%\S+) step (%\S+)", operation.text)
        if found is None:
            self.refuse(operation, "is not understood")
        variable, low, high, step = found.groups()
        bounds = [self.scalar(name) for name in (low, high, step)]
        body = operation.regions[0]
        carried = re.findall(r"(%[\w-]+) = (%[\w-]+(?:#\d+)?)", operation.text[found.end() :])
        name = f"i{self.loops}"
        self.loops += 1
        if any(bound is None for bound in bounds):
            self.values.update((result, None) for result in operation.results)
            if any(inside.name.startswith("ttng.async_tma") for inside in walk(body)):
                self.refuse(operation, "has bounds that the record does not give")
            return
        start, end, stride = (bound for bound in bounds if bound is not None)
        self.resolve_carried(body, variable, Expression(name), start, stride, carried)
        self.values[variable] = Expression(name)
        self.flush()
        outer, self.out = self.out, []
        self.waited.append([_word("ring", root) for root in self.waits_of(body)])
        self.block(body)
        self.flush()
        self.waited.pop()
        inside, self.out = self.out, outer
        for result in operation.results:
            self.values[result] = None
        if inside:
            counted = [ex.written(start), ex.written(end), ex.written(stride)]
            self.out.append({"for": {name: counted}, "do": inside})

    def waits_of(self, body: Sequence[Operation]) -> List[str]:
        """The arrays of mbarriers that a body waits for, those of loops inside not included."""
        found = []
        for operation in body:
            if operation.name == "ttng.wait_barrier":
                found.append(self.roots.get(operation.operands[0], operation.operands[0]))
            elif operation.name != "scf.for":
                for region in operation.regions:
                    found.extend(self.waits_of(region))
        return found

    def resolve_carried(
        self,
        body: Sequence[Operation],
        variable: str,
        name: Expression,
        start: Value,
        stride: Value,
        carried: Sequence[Tuple[str, str]],
    ) -> None:
        """Values that the loop carries, where they follow from its variable: in an iteration, what
        the one before has yielded. A pipeline hands coordinates on over several iterations, and a
        flattened loop counts tiles; what depends on itself otherwise stays unknown."""
        yields = body[-1].operands if body and body[-1].name == "scf.yield" else []
        before = dict(self.values)
        initial = [self.scalar(value) for _, value in carried]
        if len(yields) != len(carried):
            self.values.update((item, None) for item, _ in carried)
            return
        solved = self.inductions(body, variable, start, stride, carried, yields)

        def known_at(at: Value) -> List[Optional[Value]]:
            n = ex.divide(ex.subtract(at, start), stride)
            return [solved[i](n) if i in solved else None for i in range(len(carried))]

        def yielded(at: Value, items: Sequence[Optional[Value]]) -> List[Optional[Value]]:
            self.values = dict(before)
            self.values.update((item, value) for (item, _), value in zip(carried, items))
            self.values[variable] = at
            self.scalars(body)
            found = [self.scalar(value) for value in yields]
            self.values = dict(before)
            return found

        def values_at(at: Value, iterations: int, guarded: bool) -> List[Optional[Value]]:
            """Values in the iteration of `at`. Unguarded ones are right if what is yielded were
            right before the first iteration, too."""
            found = known_at(at)
            if iterations == 0:
                return found
            earlier = ex.subtract(at, stride)
            handed = yielded(earlier, values_at(earlier, iterations - 1, guarded))
            for i, (value, begin) in enumerate(zip(handed, initial)):
                if i not in solved and value is not None and begin is not None:
                    first = ex.compare("eq", at, start)
                    found[i] = ex.choose(first, begin, value) if guarded else value
            return found

        general = values_at(name, CARRIED_ITERATIONS, False)
        first = values_at(start, CARRIED_ITERATIONS, False)
        guarded = values_at(name, CARRIED_ITERATIONS, True)
        right = all(a == b for a, b, c in zip(first, initial, general) if c is not None)
        for (item, _), value in zip(carried, general if right else guarded):
            self.values[item] = value

    def scalars(self, operations: Sequence[Operation]) -> None:
        """The values of scalar operations, and of branches that yield some."""
        for operation in operations:
            if operation.name == "scf.if" and operation.results:
                yields: List[List[Optional[Value]]] = []
                for region in operation.regions:
                    self.scalars(region)
                    names = region[-1].operands if region and _is_yield(region[-1]) else []
                    yields.append([self.scalar(name) for name in names])
                self.choose_results(operation, yields)
            elif not operation.regions:
                value = self.evaluate(operation)
                self.values.update((result, value) for result in operation.results)

    def choose_results(self, operation: Operation, yields: List[List[Optional[Value]]]) -> None:
        """The results of a branch, of what its regions yield."""
        condition = self.scalar(operation.operands[0])
        for i, result in enumerate(operation.results):
            values = [found[i] if i < len(found) else None for found in yields]
            if isinstance(condition, int):
                self.values[result] = values[0 if condition else -1]
            elif condition is None or len(values) != 2 or None in values:
                self.values[result] = None
            else:
                self.values[result] = ex.choose(condition, *values)  # type: ignore[arg-type]

    # Loops that Triton flattened

    def inductions(
        self,
        body: Sequence[Operation],
        variable: str,
        start: Value,
        stride: Value,
        carried: Sequence[Tuple[str, str]],
        yields: Sequence[str],
    ) -> Dict[int, Callable[[Value], Value]]:
        """Carried values that depend on themselves and are series that are recognised, as functions
        of the iteration's number."""
        initial = [self.scalar(value) for _, value in carried]
        flattened = any(item.name == "scf.if" and item.results for item in body)
        if not flattened or not isinstance(start, int) or not isinstance(stride, int):
            return {}
        solved: Dict[int, Callable[[Value], Value]] = {}
        # What begins with a number is followed alone; what begins with an expression is followed
        # from two numbers, and has to grow by the same in both.
        runs = [
            self.follow(body, variable, start, stride, carried, yields, seed)
            for seed in (0, SECOND_SEED)
        ]
        for i, begin in enumerate(initial):
            series, other = runs[0][i], runs[1][i]
            if begin is None or not series or not other:
                continue
            if isinstance(begin, int):
                form: Optional[Series] = cycle(series)
                if form is not None and series == other:
                    solved[i] = form.at
                continue
            grown = [value - series[0] for value in series]
            steps = staircase(grown)
            if steps is not None and grown == [value - other[0] for value in other]:
                solved[i] = _sum_of(begin, steps)
        self.follow_tiles(body, carried, yields, initial, solved)
        return solved

    def follow(
        self,
        body: Sequence[Operation],
        variable: str,
        start: int,
        stride: int,
        carried: Sequence[Tuple[str, str]],
        yields: Sequence[str],
        seed: int,
    ) -> List[List[int]]:
        """The numbers that the loop carries, iteration by iteration; an empty list where they are
        not known. Expressions begin with the seed."""
        before = dict(self.values)
        numbers: List[Optional[Value]] = []
        for _, name in carried:
            value = self.scalar(name)
            numbers.append(seed if isinstance(value, Expression) else value)
        series: List[List[int]] = [[] for _ in carried]
        for n in range(FOLLOWED_ITERATIONS):
            for found, number in zip(series, numbers):
                if isinstance(number, int) and len(found) == n:
                    found.append(number)
            self.values = dict(before)
            self.values.update((item, number) for (item, _), number in zip(carried, numbers))
            self.values[variable] = start + n * stride
            self.scalars(body)
            numbers = [self.scalar(name) for name in yields]
        self.values = before
        return [found if len(found) == FOLLOWED_ITERATIONS else [] for found in series]

    def follow_tiles(
        self,
        body: Sequence[Operation],
        carried: Sequence[Tuple[str, str]],
        yields: Sequence[str],
        initial: Sequence[Optional[Value]],
        solved: Dict[int, Callable[[Value], Value]],
    ) -> None:
        """Coordinates that a branch computes where it takes the next tile, and keeps elsewhere: they
        are always those of the tile."""
        places = {item: i for i, (item, _) in enumerate(carried)}
        for branch in body:
            if branch.name != "scf.if" or len(branch.regions) != 2:
                continue
            then, otherwise = (region[-1] for region in branch.regions)
            if not _is_yield(then) or not _is_yield(otherwise):
                continue
            kept = [places.get(name) for name in otherwise.operands]
            tiles = [j for j, i in enumerate(kept) if i in solved]
            for j, i in enumerate(kept):
                if i is None or i in solved or len(tiles) != 1 or yields[i] != branch.results[j]:
                    continue
                tile, of_tile = kept[tiles[0]], then.operands[tiles[0]]
                assert tile is not None
                place = self.place_of_tile(branch.regions[0], of_tile, then.operands[j])
                begin = initial[tile]
                if begin is not None and place(begin) == initial[i] is not None:
                    solved[i] = _composed(place, solved[tile])

    def place_of_tile(
        self, region: Sequence[Operation], tile: str, result: str
    ) -> Callable[[Value], Optional[Value]]:
        """What a region computes of a tile, as a function of the tile."""

        def place(number: Value) -> Optional[Value]:
            before = dict(self.values)
            for operation in region:
                known = tile in operation.results
                value = number if known else self.evaluate(operation)
                self.values.update((name, value) for name in operation.results)
            found = self.scalar(result)
            self.values = before
            return found

        return place

    def branch(self, operation: Operation) -> None:
        condition = self.scalar(operation.operands[0])
        bodies: List[List[Statement]] = []
        yields: List[List[Optional[Value]]] = []
        self.flush()
        for number, region in enumerate(operation.regions):
            taken = not isinstance(condition, int) or bool(condition) == (number == 0)
            outer, self.out = self.out, []
            self.block(region if taken else [])
            self.flush()
            inside, self.out = self.out, outer
            bodies.append(inside)
            names = region[-1].operands if taken and region and _is_yield(region[-1]) else []
            yields.append([self.scalar(name) for name in names])
        self.choose_results(operation, yields)
        if not any(bodies):
            return
        if condition is None:
            self.refuse(operation, "has a condition that the record does not give")
        if isinstance(condition, int):
            chosen = bodies[0] if condition else bodies[1] if len(bodies) > 1 else []
            self.out.extend(chosen)
            return
        statement: Statement = {"if": str(condition), "then": bodies[0]}
        if len(bodies) > 1 and bodies[1]:
            statement["else"] = bodies[1]
        if not statement["then"]:
            statement = {"if": f"!({condition})", "then": bodies[1]}
        self.out.append(statement)

    # Shared memory and mbarriers

    def allocate(self, operation: Operation) -> None:
        kind = operation.types[-1]
        result = operation.results[0]
        if kind.element == "i64" and kind.shape[-1] == 1:
            stages = kind.shape[0] if len(kind.shape) > 1 else 1
            if result[1:] not in self.rings:
                self.rings[result[1:]] = Ring(_word("ring", result), stages)
            self.values[result] = (self.rings[result[1:]], "")
            return
        memory = self.memories.setdefault(result[1:], Memory(_word("tile", result), kind))
        self.values[result] = memory
        initial = [value for value in operation.operands if value != result]
        if initial:
            dead = [ring for ring in self.rings.values() if ring.dead and ring.bytes >= kind.bytes]
            memory.over = dead[0].name if dead else None
            self.emit({"shared_wavefronts": -(-kind.bytes // 128)})

    def free(self, operation: Operation) -> None:
        memory = self.values.get(operation.operands[0])
        if isinstance(memory, Memory):
            for ring in self.rings.values():
                ring.dead = ring.dead or memory.name in ring.operands

    def index(self, operation: Operation) -> None:
        self.instructions += INDEX_INSTRUCTIONS
        self.values[operation.results[0]] = self.values.get(operation.operands[0])

    def alias(self, operation: Operation) -> None:
        self.values[operation.results[0]] = self.values.get(operation.operands[0])

    def transpose(self, operation: Operation) -> None:
        value = self.values.get(operation.operands[0])
        self.values[operation.results[0]] = (
            value.memory
            if isinstance(value, Transposed)
            else Transposed(value) if isinstance(value, Memory) else None
        )

    def factor(self, operation: Operation, number: int) -> Union[str, Dict[str, str]]:
        """The place of A (number 0) or B in shared memory. Tiles are contiguous along their last
        dimension, which is K of A, and N of B unless it is transposed."""
        value = self.values.get(operation.operands[number])
        memory = value.memory if isinstance(value, Transposed) else value
        if not isinstance(memory, Memory):
            self.refuse(operation, "multiplies a tile that is not understood")
        holders = [ring for ring in self.rings.values() if memory.name in ring.operands]
        memory.stored = memory.stored or not holders
        place = f"{holders[0].name}.{memory.name}" if holders else memory.name
        if isinstance(value, Transposed) == (number == 1):
            return place
        return {"tile": place, "major": "mn"}

    def ring_of(self, operation: Operation, operand: str) -> Ring:
        found = self.values.get(operand)
        if isinstance(found, tuple):
            return found[0]
        self.refuse(operation, f"has an mbarrier that is not understood: {operand}")

    def predicate(self, operation: Operation, operand: str) -> Value:
        value = self.scalar(operand)
        if value is None:
            self.refuse(operation, f"has a predicate that is not understood: {operand}")
        return value

    def expect(self, operation: Operation) -> None:
        """An arrival with expect_tx: a stage begins to fill. In a loop, the warps that fill it have
        used it before: as many waits ago as the ring has stages that the prologue leaves empty. The
        stages that a loop leaves are released where the next one begins."""
        barrier, predicate = operation.operands[0], operation.operands[-1]
        ring = self.ring_of(operation, barrier)
        waited = self.waits_here(ring)
        if waited is not None:
            behind = ring.stages - ring.acquires - (0 if waited else 1)
            if behind >= 0:
                self.emit({"release": {"ring": ring.name, "behind": behind}})
        ring.acquires += 1
        arrival = [{"sync": BARRIER}, {"acquire": ring.name}]
        self.guarded(self.predicate(operation, predicate), arrival)

    def waits_here(self, ring: Ring) -> Optional[bool]:
        """In the innermost loop: True if the ring was waited for above, False if it is waited for
        below, None if it is not waited for."""
        if {"wait": ring.name} in self.out:
            return True
        return False if self.waited and ring.name in self.waited[-1] else None

    def load(self, operation: Operation) -> None:
        source, *_ = operation.operands
        lists = operation.listed()
        coordinates = lists[0]
        target, barrier, predicate = operation.operands[1 + len(coordinates) : 4 + len(coordinates)]
        ring, memory = self.ring_of(operation, barrier), self.values.get(target)
        mapped = self.values.get(source)
        if not isinstance(memory, Memory) or not isinstance(mapped, TensorMapOf):
            self.refuse(operation, "has a tile or a descriptor that is not understood")
        block = operation.types[0]
        ring.operands[memory.name] = block.bytes
        self.instructions += COPY_INSTRUCTIONS
        place = f"{ring.name}.{memory.name}"
        loads = self.boxes(operation, mapped, block, coordinates, "load", {"into": place})
        self.guarded(self.predicate(operation, predicate), [{"sync": BARRIER}, *loads])

    def store(self, operation: Operation) -> None:
        target = operation.operands[0]
        coordinates = operation.listed()[0]
        memory = self.values.get(operation.operands[1 + len(coordinates)])
        mapped = self.values.get(target)
        if not isinstance(memory, Memory) or not isinstance(mapped, TensorMapOf):
            self.refuse(operation, "has a tile or a descriptor that is not understood")
        holders = [ring for ring in self.rings.values() if memory.name in ring.operands]
        memory.stored = not holders
        place = f"{holders[0].name}.{memory.name}" if holders else memory.name
        self.instructions += COPY_INSTRUCTIONS
        block = operation.types[0]
        stores = self.boxes(operation, mapped, block, coordinates, "store", {"from": place})
        self.emit(*stores, "commit")

    def boxes(
        self,
        operation: Operation,
        mapped: TensorMapOf,
        block: Shaped,
        coordinates: Sequence[str],
        verb: str,
        place: Dict[str, str],
    ) -> List[Statement]:
        """The operations that move a block: one for each box, the columns of boxes outermost."""
        values = [self.scalar(name) for name in coordinates]
        if any(value is None for value in values):
            self.refuse(operation, "has coordinates that do not follow from the record")
        known = [value for value in values if value is not None]
        counts = [-(-size // box) for size, box in zip(block.shape, mapped.box)]
        box_bytes = block.element_bytes
        for size in mapped.box:
            box_bytes *= size
        statements: List[Statement] = []
        starts: List[List[int]] = [[]]
        for d in reversed(range(len(counts))):
            starts = [[step * mapped.box[d], *rest] for rest in starts for step in range(counts[d])]
        starts.sort(key=lambda start: (start[-1], start[:-1]))
        for i, start in enumerate(starts):
            at = [ex.written(ex.add(value, step)) for value, step in zip(known, start)]
            moved: Dict[str, Any] = {"map": mapped.name, **place, "at": at[::-1]}
            if i > 0:
                moved["offset"] = i * box_bytes
            statements.append({verb: moved})
        return statements

    def wait(self, operation: Operation) -> None:
        ring = self.ring_of(operation, operation.operands[0])
        self.instructions += WAIT_INSTRUCTIONS
        self.emit({"sync": BARRIER}, {"wait": ring.name})

    def dot(self, operation: Operation, serial: bool) -> None:
        a, b = operation.types[0], operation.types[1]
        if len(a.shape) != 2:
            self.refuse(operation, "multiplies other tensors than matrices")
        (m, k), (_, n) = a.shape, b.shape
        product: Dict[str, Any] = {"shape": [m, n, k]}
        kind = MMA_TYPES.get(a.element, "float8")
        if kind != "float16":
            product["type"] = kind
        in_registers = re.search(r": tensor<", operation.text) is not None
        product["a"] = "registers" if in_registers else self.factor(operation, 0)
        product["b"] = self.factor(operation, 1)
        if "isAsync = true" in operation.text and not serial:
            product["in_flight"] = 7  # warp_group_dot_wait says when it waits
        self.instructions += DOT_INSTRUCTIONS
        for result in operation.results:
            self.values[result] = None
        self.emit({"mma": product})

    def dot_wait(self, operation: Operation) -> None:
        for result in operation.results:
            self.values[result] = None
        self.emit({"wait_mma": operation.attribute("pendings") or 0})

    def store_wait(self, operation: Operation) -> None:
        left = operation.attribute("pendings") or 0
        self.emit({"wait_stores": {"until": "read", "in_flight": left} if left else "read"})

    def shared_access(self, operation: Operation) -> None:
        kind = next(kind for kind in operation.types)
        self.values.update((result, None) for result in operation.results)
        self.emit({"shared_wavefronts": -(-kind.bytes // 128)})

    def fence(self, operation: Operation) -> None:
        self.emit({"sync": BARRIER})

    # Tensor maps that the kernel makes

    def make_map(self, operation: Operation) -> None:
        place, box, shape, strides, steps = (
            operation.operands[0],
            *([self.scalar(name) for name in names] for names in operation.listed()[:4]),
        )
        numbers = [value for values in (box, shape, strides, steps) for value in values]
        if not all(isinstance(value, int) for value in numbers):
            self.refuse(operation, "has sizes that are not numbers of the record")
        name = _word("map", place)
        self.made_maps[name] = {
            "data_type": REPLACE_TYPES[operation.attribute("elem_type") or 0],
            "global_dim": shape,
            "global_strides": strides,
            "box_dim": box,
            "element_strides": steps,
            "swizzle": SWIZZLES[operation.attribute("swizzle_mode") or 0],
            "oob_fill": "nan" if operation.attribute("fill_mode") else "zeros",
        }
        sizes = tuple(int(size) for size in reversed(box) if isinstance(size, int))
        self.values[place] = TensorMapOf(name, sizes)

    def nothing(self, operation: Operation) -> None:
        """An operation that takes no time of its own, and whose results nobody needs."""


def _is_yield(operation: Operation) -> bool:
    return operation.name == "scf.yield"


def _sum_of(begin: Value, series: Series) -> Callable[[Value], Value]:
    return lambda n: ex.add(begin, series.at(n))


def _composed(
    place: Callable[[Value], Optional[Value]], tile: Callable[[Value], Value]
) -> Callable[[Value], Value]:
    def of_iteration(n: Value) -> Value:
        found = place(tile(n))
        assert found is not None  # place knew it for the first tile
        return found

    return of_iteration


def _roots(body: Sequence[Operation]) -> Dict[str, str]:
    """What each piece of shared memory is a piece of."""
    roots: Dict[str, str] = {}
    for operation in walk(body):
        if operation.name == "ttg.memdesc_index":
            whole = operation.operands[0]
            roots[operation.results[0]] = roots.get(whole, whole)
    return roots


def _word(kind: str, name: str) -> str:
    """A name of a scenario for a value of the function."""
    return f"{kind}_{re.sub(r'[^A-Za-z0-9_]', '_', name[1:])}"


_HANDLERS: Dict[str, Callable[[Translator, Operation], None]] = {
    "scf.for": Translator.loop,
    "scf.if": Translator.branch,
    "scf.yield": Translator.nothing,
    "ttg.local_alloc": Translator.allocate,
    "ttg.local_dealloc": Translator.free,
    "ttg.memdesc_index": Translator.index,
    "ttg.memdesc_trans": Translator.transpose,
    "ttg.memdesc_reshape": Translator.alias,
    "ttg.memdesc_subslice": Translator.alias,
    "ttng.init_barrier": Translator.nothing,
    "ttng.inval_barrier": Translator.nothing,
    "ttng.barrier_expect": Translator.expect,
    "ttng.wait_barrier": Translator.wait,
    "ttng.async_tma_copy_global_to_local": Translator.load,
    "ttng.async_tma_copy_local_to_global": Translator.store,
    "ttng.async_tma_store_wait": Translator.store_wait,
    "ttng.fence_async_shared": Translator.fence,
    "ttng.warp_group_dot_wait": Translator.dot_wait,
    "ttg.local_load": Translator.shared_access,
    "ttg.local_store": Translator.shared_access,
    "ttng.tensormap_create": Translator.make_map,
    "ttng.reinterpret_tensor_descriptor": Translator.alias,
    "ttng.tensormap_fenceproxy_acquire": Translator.nothing,
    "ttg.global_scratch_alloc": Translator.nothing,
    "tt.return": Translator.nothing,
    "gpu.barrier": Translator.fence,
}
