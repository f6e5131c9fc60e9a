"""What is wrong with an input, and the exceptions that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong with an input.

    Attributes:
        text: One sentence that says what is wrong and what is allowed.
        code: The general kind of the error, for example ``"the text is not well formed"``.
        file: The file, or the name of the text or of the setting; None where there is none.
        line: The line, from 1; None where the error is about the file as a whole.
        column: The column, from 1; None where the error is about a line or file as a whole.
    """

    text: str
    code: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.text}" if place else self.text


@dataclass(frozen=True)
class Violation(Diagnostic):
    """A rule that a tensor map breaks: why a driver refuses the map.

    Attributes:
        rule: The identifier of the rule, for example ``"stride_alignment"``.
        field: The field of the tensor map, for example ``"global_strides"``.
        index: The index in a field that is a list; None for a single value.
        value: The value of the field: a number in the unit of the field, or a name.
        nearest: The nearest value that all rules on the field accept.
        why: Why the rule exists.
        fix: What to do about it.
        source: The document, or the records of a GPU, that the rule rests on.
    """

    rule: str = ""
    field: str = ""
    index: Optional[int] = None
    value: Any = None
    nearest: Any = None
    why: str = ""
    fix: str = ""
    source: str = ""


@dataclass(frozen=True)
class Advice:
    """A property of a legal tensor map that is costly or surprising.

    Attributes:
        advice: The identifier, for example ``"short_rows"``.
        text: One sentence with the estimated cost.
        field: The field to change.
        index: The index in a field that is a list; None for a single value.
        cost: The estimated cost of the map, in ``unit``; None where there is no number.
        ideal: The cost after the change, in ``unit``; None where there is no number.
        unit: ``"cycles"``, ``"bytes of DRAM traffic"``, or ``""``.
    """

    advice: str
    text: str
    field: str
    index: Optional[int]
    cost: Optional[float]
    ideal: Optional[float]
    unit: str


class Error(Exception):
    """Base of all exceptions of this package.

    Attributes:
        diagnostics: All that is wrong, in the order of the input; at least one.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(str(diagnostic) for diagnostic in self.diagnostics)


class TensorMapError(Error, ValueError):
    """A tensor map, or an operation on it, that hardware or driver do not take."""


class ScenarioError(Error, ValueError):
    """A scenario that cannot be read, or that its machine cannot run."""


class RunError(Error, RuntimeError):
    """A run that failed; its subclasses say how."""


class DeadlockError(RunError):
    """The simulated program waits forever. The text names who waits for what."""


class FaultError(RunError):
    """An operation faults: hardware would stop the kernel."""


class RaceError(RunError):
    """Two accesses to shared memory are in no order. The text names both."""
