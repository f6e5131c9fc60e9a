"""A scenario under every swizzle mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from tmasim._library import SWIZZLES
from tmasim._workers import Call, as_error, run_all
from tmasim.errors import ScenarioError
from tmasim.result import Result


@dataclass(frozen=True)
class SwizzleRun:
    """A scenario with one swizzle mode for all maps that are compared.

    Attributes:
        swizzle: The mode.
        result: The result; None where the mode is illegal.
        reason: Why it is illegal; empty where it is legal.
    """

    swizzle: str
    result: Optional[Result]
    reason: str

    @property
    def legal(self) -> bool:
        """Whether the scenario can run in this mode."""
        return self.result is not None

    @property
    def cycles(self) -> Optional[int]:
        """Of the run."""
        return None if self.result is None else self.result.cycles

    def to_dict(self) -> Dict[str, Any]:
        """The mode as a row of a table, with the columns of ``tmasim compare``."""
        row: Dict[str, Any] = {"swizzle": self.swizzle, "legal": self.legal, "cycles": self.cycles}
        if self.result is not None:
            row["draws"] = self.result.report.get("draws")
            for name in ("ideal_wavefronts", "wavefronts", "excess_wavefronts"):
                row[name] = getattr(self.result, name)
            row["bytes_per_cycle_per_sm"] = self.result.bytes_per_cycle_per_sm
        row["reason"] = self.reason
        return row


@dataclass(frozen=True)
class SwizzleRuns:
    """A scenario under every swizzle mode.

    Attributes:
        modes: All modes, in the order of the library.
    """

    modes: Tuple[SwizzleRun, ...]

    @property
    def best(self) -> Optional[SwizzleRun]:
        """The legal mode with the fewest cycles, the first of them; None: no mode is legal."""
        legal = [mode for mode in self.modes if mode.legal]
        return min(legal, key=lambda mode: mode.cycles or 0) if legal else None

    def to_records(self) -> List[Dict[str, Any]]:
        """A dict for each mode: ``pandas.DataFrame(runs.to_records())``."""
        return [mode.to_dict() for mode in self.modes]


def compare_swizzles(
    run: Callable[..., Result],
    recipe: Tuple[Any, Tuple[str, ...], str],
    maps: Sequence[str],
    *,
    draws: int,
    jobs: Optional[int],
) -> SwizzleRuns:
    """What `Scenario.compare` does: ``run(*recipe, row, draws)`` runs a mode in a worker process,
    where ``row`` sets the swizzle of all ``maps``."""
    calls: List[Call] = []
    for swizzle in SWIZZLES.by_name:
        row = {f"tensor_maps.{one}.swizzle": swizzle for one in maps}
        calls.append((run, (*recipe, row, draws)))
    modes = []
    for swizzle, (result, error) in zip(SWIZZLES.by_name, run_all(calls, jobs)):
        if error is not None and not isinstance(error, ScenarioError):
            raise as_error(error) or error
        reason = "" if error is None else error.diagnostics[0].text
        modes.append(SwizzleRun(swizzle, result, reason))
    return SwizzleRuns(tuple(modes))
