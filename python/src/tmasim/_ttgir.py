"""Reads the text of a TTGIR module (Triton's GPU dialect of MLIR) into operations with regions.

Only the form that Triton prints is understood, and of it what `_translate` needs: names of values,
operations, types and the attributes behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import List, Optional, Sequence, Tuple

_RESULT = re.compile(r"^(%[\w-]+)(?::(\d+))? = (.*)$")
_NAME = re.compile(r'^"?([a-z_]+\.[\w.]+)"?')
_VALUE = re.compile(r"%[\w-]+(?:#\d+)?")
_SHAPED = re.compile(r"(?:tensor|!ttg\.memdesc)<((?:\d+x)+)([a-zA-Z]\w*)")

ELEMENT_BITS = {"i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
ELEMENT_BITS.update({"f16": 16, "bf16": 16, "f32": 32, "f64": 64})


@dataclass(frozen=True)
class Shaped:
    """The type of a tensor or of a piece of shared memory."""

    shape: Tuple[int, ...]
    element: str

    @property
    def elements(self) -> int:
        """The number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def element_bytes(self) -> int:
        """The size of an element; those with names such as f8E4M3FN have a byte."""
        return ELEMENT_BITS.get(self.element, 8) // 8

    @property
    def bytes(self) -> int:
        """The size."""
        return self.elements * self.element_bytes


@dataclass
class Operation:
    """An operation: its results, name, text and regions."""

    name: str
    text: str
    results: Tuple[str, ...]
    line: int
    regions: List[List["Operation"]] = field(default_factory=list)

    @property
    def operands(self) -> List[str]:
        """The values in the text, those of nested regions not included."""
        return _VALUE.findall(self.text)

    @property
    def types(self) -> List[Shaped]:
        """The shaped types in the text, in their order."""
        return [
            Shaped(tuple(int(size) for size in shape[:-1].split("x")), element)
            for shape, element in _SHAPED.findall(self.text)
        ]

    def attribute(self, key: str) -> Optional[int]:
        """An integer attribute, such as ``pendings = 1``."""
        found = re.search(rf"\b{key} = (-?\d+)", self.text)
        return int(found.group(1)) if found else None

    def listed(self) -> List[List[str]]:
        """The bracketed lists of values: ``[%m, %k]``."""
        return [_VALUE.findall(inside) for inside in re.findall(r"\[([^\[\]]*)\]", self.text)]


@dataclass(frozen=True)
class Argument:
    """An argument of the function: its name and the text of its type."""

    name: str
    type: str


@dataclass
class Function:
    """The kernel."""

    name: str
    arguments: Tuple[Argument, ...]
    body: List[Operation]
    warps: int


class _Lines:
    def __init__(self, text: str) -> None:
        self.lines = [line.strip() for line in text.splitlines()]
        self.at = 0

    def next(self) -> str:
        line = self.lines[self.at]
        self.at += 1
        return line

    @property
    def more(self) -> bool:
        return self.at < len(self.lines)


def _operation(line: str, number: int) -> Optional[Operation]:
    results: Tuple[str, ...] = ()
    text = line
    found = _RESULT.match(line)
    if found:
        name, count, text = found.groups()
        results = (name,) if count is None else tuple(f"{name}#{i}" for i in range(int(count)))
    named = _NAME.match(text)
    return Operation(named.group(1), text, results, number) if named else None


def _region(lines: _Lines) -> Tuple[List[Operation], str]:
    """The operations up to the line that closes the region, and that line."""
    operations: List[Operation] = []
    while lines.more:
        line = lines.next()
        if line.startswith("}"):
            return operations, line
        operation = _operation(line, lines.at)
        if operation is None:
            continue
        while line.endswith("{") or line.endswith("({"):
            inside, line = _region(lines)
            operation.regions.append(inside)
            operation.text += " " + line
        operations.append(operation)
    return operations, ""


def _arguments(signature: str) -> Tuple[Argument, ...]:
    """Splits ``%a: TYPE, %b: TYPE`` at the commas that no bracket surrounds."""
    parts: List[str] = []
    depth, start = 0, 0
    for i, character in enumerate(signature):
        if character in "<({[":
            depth += 1
        elif character in ">)}]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(signature[start:i])
            start = i + 1
    parts.append(signature[start:])
    found = []
    for part in parts:
        name, _, kind = part.strip().partition(": ")
        if name.startswith("%"):
            found.append(Argument(name, kind))
    return tuple(found)


def _signature(line: str) -> str:
    """What stands between the parentheses of a function's arguments."""
    start = line.index("(") + 1
    depth = 1
    for i in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if depth == 0:
            return line[start:i]
    return line[start:]


def parse(text: str) -> Function:
    """Reads the first function of a module.

    Raises:
        ValueError: The text has no function.
    """
    warps = re.search(r'"ttg\.num-warps" = (\d+)', text)
    lines = _Lines(text)
    while lines.more:
        line = lines.next()
        if line.startswith("tt.func"):
            name = re.search(r"@([\w.]+)", line)
            body, _ = _region(lines)
            return Function(
                name=name.group(1) if name else "kernel",
                arguments=_arguments(_signature(line)),
                body=body,
                warps=int(warps.group(1)) if warps else 4,
            )
    raise ValueError("the text has no function (tt.func)")


def walk(operations: Sequence[Operation]) -> List[Operation]:
    """All operations, those of nested regions too, in their order."""
    found: List[Operation] = []
    for operation in operations:
        found.append(operation)
        for region in operation.regions:
            found.extend(walk(region))
    return found


def descriptor_block(kind: str) -> Optional[Shaped]:
    """The block of an argument of type ``!tt.tensordesc<tensor<128x64xf16, ...>>``."""
    if not kind.startswith("!tt.tensordesc"):
        return None
    found = _SHAPED.search(kind)
    if found is None:
        return None
    shape, element = found.groups()
    return Shaped(tuple(int(size) for size in shape[:-1].split("x")), element)
