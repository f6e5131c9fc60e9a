"""Integer expressions of a kernel's scalars, in the language of scenarios.

A value is a number where it is known, else an `Expression`. Sums keep their constant apart, so that
``(x + 64) - 64`` is ``x``. Divisions of Triton round towards zero and those of scenarios down:
programs divide numbers that are not negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class Expression:
    """``base + offset``."""

    base: str
    offset: int = 0

    def __str__(self) -> str:
        if self.offset == 0:
            return self.base
        sign = "+" if self.offset > 0 else "-"
        return f"({self.base} {sign} {abs(self.offset)})"


Value = Union[int, Expression]

_COMPARISONS = {
    "slt": "<",
    "sle": "<=",
    "sgt": ">",
    "sge": ">=",
    "ult": "<",
    "ule": "<=",
    "ugt": ">",
    "uge": ">=",
    "eq": "==",
    "ne": "!=",
}


def add(a: Value, b: Value) -> Value:
    """a + b."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        assert isinstance(a, Expression)
        return Expression(a.base, a.offset + b)
    assert isinstance(a, Expression)
    return Expression(f"({a.base} + {b.base})", a.offset + b.offset)


def subtract(a: Value, b: Value) -> Value:
    """a - b."""
    if isinstance(b, int):
        return add(a, -b)
    if isinstance(a, Expression) and a.base == b.base:
        return a.offset - b.offset
    return Expression(f"({a} - {b})")


def multiply(a: Value, b: Value) -> Value:
    """a * b."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    for one, other in ((a, b), (b, a)):
        if one == 0:
            return 0
        if one == 1:
            return other
    return Expression(f"({a} * {b})")


def divide(a: Value, b: Value) -> Value:
    """a / b, rounded down."""
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        return a // b
    return a if b == 1 else Expression(f"({a} / {b})")


def divide_up(a: Value, b: Value) -> Value:
    """a / b, rounded up."""
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        return -(-a // b)
    return a if b == 1 else Expression(f"ceil({a} / {b})")


def remainder(a: Value, b: Value) -> Value:
    """a % b."""
    if isinstance(a, int) and isinstance(b, int) and b != 0:
        return a % b
    return 0 if b == 1 else Expression(f"({a} % {b})")


def least(a: Value, b: Value) -> Value:
    """min(a, b)."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return Expression(f"min({a}, {b})")


def most(a: Value, b: Value) -> Value:
    """max(a, b)."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return Expression(f"max({a}, {b})")


def compare(predicate: str, a: Value, b: Value) -> Value:
    """1 or 0, by a predicate of arith.cmpi."""
    sign = _COMPARISONS[predicate]
    difference = subtract(a, b)
    if isinstance(difference, int):
        return int(
            {
                "<": difference < 0,
                "<=": difference <= 0,
                ">": difference > 0,
                ">=": difference >= 0,
                "==": difference == 0,
                "!=": difference != 0,
            }[sign]
        )
    return Expression(f"({a} {sign} {b})")


def both(a: Value, b: Value) -> Value:
    """a && b."""
    if isinstance(a, int):
        return b if a else 0
    if isinstance(b, int):
        return a if b else 0
    return Expression(f"({a} && {b})")


def either(a: Value, b: Value) -> Value:
    """a || b."""
    if isinstance(a, int):
        return 1 if a else b
    if isinstance(b, int):
        return 1 if b else a
    return Expression(f"({a} || {b})")


def choose(condition: Value, a: Value, b: Value) -> Value:
    """a where the condition is not 0, else b."""
    if isinstance(condition, int):
        return a if condition else b
    return a if a == b else Expression(f"({condition} ? {a} : {b})")


def written(value: Value) -> Union[int, str]:
    """The value as a scenario has it."""
    return value if isinstance(value, int) else str(value)
