"""Many runs: sweeps over settings, and the fastest of many combinations."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from tmasim._library import meaning
from tmasim._types import Sampling
from tmasim._workers import Call, Interrupted, as_error, run_all
from tmasim.errors import Diagnostic, Error, RunError, ScenarioError
from tmasim.result import Result
from tmasim.scenario import Scenario, Settings, Source, kernel_path, run_row

#: What to try: values by path, all combinations of which are taken, the first path varying slowest;
#: or a list of settings, one for each row.
Tries = Union[Mapping[str, Sequence[Any]], Sequence[Mapping[str, Any]]]

#: Combinations whose time is within this fraction of the best run with further draws.
FINALIST_MARGIN = 0.02


@dataclass(frozen=True)
class SweepRow:
    """A row of a sweep.

    Attributes:
        row: Its number, from 1.
        set: The settings of the row, by path.
        result: The result; None where the row failed.
        error: Why it failed; None where it did not.
    """

    row: int
    set: Mapping[str, Any]
    result: Optional[Result]
    error: Optional[Error]

    def to_dict(self) -> Dict[str, Any]:
        """The row for a table: its settings, then the columns of ``tmasim sweep``."""
        figures: Dict[str, Any] = {"row": self.row, **self.set}
        if self.result is not None:
            figures.update(_sweep_figures(self.result))
        figures["error"] = None if self.error is None else str(self.error)
        return figures


@dataclass(frozen=True)
class Sweep:
    """The rows of a sweep, in the order of what was tried.

    Attributes:
        rows: All rows, or those that were done when Ctrl-C came.
        partial: Whether Ctrl-C ended the sweep.
    """

    rows: Tuple[SweepRow, ...]
    partial: bool = False

    @property
    def best(self) -> Optional[SweepRow]:
        """The row with the fewest cycles, the first of them; None where all failed."""
        good = [row for row in self.rows if row.result is not None]
        return min(good, key=_cycles) if good else None

    def to_records(self) -> List[Dict[str, Any]]:
        """A dict for each row: ``pandas.DataFrame(sweep.to_records())``."""
        return [row.to_dict() for row in self.rows]


def sweep(
    scenario: Union[Scenario, Source],
    tries: Tries,
    *,
    settings: Optional[Settings] = None,
    jobs: Optional[int] = None,
    sample: Union[bool, Sampling] = False,
) -> Sweep:
    """Runs a scenario with many settings, in worker processes.

    Args:
        scenario: A scenario, or what makes one. It need not be complete, if each row sets the rest.
        tries: What to try: ``{"workload.pipeline.depth": [2, 4, 8]}``.
        settings: Settings of all rows.
        jobs: Number of processes; default: the cores.
        sample: Simulate long rows in part, as `Scenario.run` does.

    Returns:
        All rows. One that fails has its error, and the others go on. Ctrl-C ends the sweep with the
        rows that are done: `Sweep.partial` says so.

    Raises:
        ValueError: There is nothing to try, or ``jobs`` is less than 1.
    """
    source, before, name = _recipe(scenario, settings)
    rows = _combinations(tries)
    calls = [(run_row, (source, before, name, row, 0, sample)) for row in rows]
    found, partial = _run_some(calls, jobs)
    return Sweep(
        tuple(
            SweepRow(number + 1, rows[number], result, as_error(error))
            for number, (result, error) in sorted(found.items())
        ),
        partial,
    )


def _cycles(row: SweepRow) -> int:
    return 0 if row.result is None else row.result.cycles


def _run_some(
    calls: Sequence[Call], jobs: Optional[int]
) -> Tuple[Dict[int, Tuple[Any, Any]], bool]:
    """What `run_all` gives, by number, and whether Ctrl-C ended it."""
    try:
        return dict(enumerate(run_all(calls, jobs))), False
    except Interrupted as interrupted:
        return interrupted.found, True


@dataclass(frozen=True)
class TuneRow:
    """A combination of settings of a kernel. The names are those of ``tmasim tune``.

    Attributes:
        rank: From 1, the fastest; None for one that cannot run.
        kernel: The kernel.
        set: The settings that were tried, by path.
        found: ``"simulated"``, or ``"illegal"``: it cannot run, or its run failed.
        cycles: Of the run.
        time_ns: The same in nanoseconds.
        ratio: Of the time to the best one's.
        least_ns: The least time over the draws; None without further draws.
        most_ns: The most.
        same_as_best: Whether its draws and those of the best overlap.
        result: The result; None for one that cannot run.
        error: Why it cannot run.
    """

    rank: Optional[int]
    kernel: str
    set: Mapping[str, Any]
    found: str
    cycles: Optional[int] = None
    time_ns: Optional[float] = None
    ratio: Optional[float] = None
    least_ns: Optional[float] = None
    most_ns: Optional[float] = None
    same_as_best: bool = False
    result: Optional[Result] = None
    error: Optional[Error] = None

    def to_dict(self) -> Dict[str, Any]:
        """The row for a table: its settings, then the columns of ``tmasim tune``."""
        row: Dict[str, Any] = {"rank": self.rank, "kernel": self.kernel, **self.set}
        row["found"] = self.found
        for name in ("cycles", "time_ns", "ratio", "least_ns", "most_ns", "same_as_best"):
            row[name] = getattr(self, name)
        if self.result is not None:
            wait, waited = _longest_wait(self.result)
            row["busiest"] = self.result.busiest
            row["busy"] = self.result.busy[self.result.busiest]
            row["longest_wait"] = wait
            row["waited"] = waited
        row["error"] = None if self.error is None else str(self.error)
        return row


@dataclass(frozen=True)
class Tuning:
    """The combinations of a tuner, the fastest first and those that cannot run last.

    Attributes:
        rows: All combinations, or those that were done when Ctrl-C came.
        partial: Whether Ctrl-C ended the search.
    """

    rows: Tuple[TuneRow, ...]
    partial: bool = False

    @property
    def best(self) -> Optional[TuneRow]:
        """The fastest; None where none can run."""
        return self.rows[0] if self.rows and self.rows[0].rank is not None else None

    def to_records(self) -> List[Dict[str, Any]]:
        """A dict for each row: ``pandas.DataFrame(tuning.to_records())``."""
        return [row.to_dict() for row in self.rows]


def tune(
    kernels: Union[str, Sequence[str]],
    tries: Tries,
    *,
    settings: Optional[Settings] = None,
    draws: int = 2,
    jobs: Optional[int] = None,
) -> Tuning:
    """Finds the fastest combination of a kernel's parameters, or of several kernels'.

    Simulates every legal combination to its end, as ``tmasim tune --exact --all`` does. Ctrl-C ends
    it with the combinations that are done: `Tuning.partial` says so.

    Args:
        kernels: Names of kernels of the library, or paths of scenarios with kernels.
        tries: What to try: ``{"BM": [64, 128], "STAGES": [2, 3, 4]}``.
        settings: Settings of all combinations: ``{"M": 4096, "N": 4096, "K": 4096}``.
        draws: Those within 2 % of the best also run with the seeds 1 to ``draws``: where the draws
            overlap, they are the same.
        jobs: Number of processes; default: the cores.

    Raises:
        ScenarioError: There is no such kernel.
        ValueError: There is nothing to try, or a number is out of its range.
    """
    if not 0 <= draws <= 1000:
        raise ValueError(f"draws is {draws}; expected 0 to 1000")
    names = [kernels] if isinstance(kernels, str) else list(kernels)
    rows = [(name, row) for name in names for row in _combinations(tries)]
    recipes = {name: _recipe(kernel_path(name), settings) for name in names}

    def run(
        numbers: Sequence[int], extra: Mapping[str, Any]
    ) -> Tuple[Dict[int, Tuple[Any, Any]], bool]:
        calls: List[Call] = []
        for number in numbers:
            name, row = rows[number]
            source, before, path = recipes[name]
            calls.append((_run_kernel, (source, before, path, {**row, **extra})))
        done, interrupted = _run_some(calls, jobs)
        return {numbers[call]: outcome for call, outcome in done.items()}, interrupted

    found, partial = run(range(len(rows)), {})
    times = {number: result.time_ns for number, (result, error) in found.items() if not error}
    least, most = dict(times), dict(times)
    limit = min(times.values(), default=0.0) * (1 + FINALIST_MARGIN)
    finalists = [number for number, time in times.items() if time <= limit]
    failed: Dict[int, Any] = {}
    for draw in range(1, draws + 1):
        if partial:
            break
        drawn_runs, partial = run(finalists, {"gpu.topology.draw": draw})
        for number, (result, error) in drawn_runs.items():
            if error is not None:
                failed[number] = error
                continue
            # At the clock of the row itself.
            time_ns = times[number] * result.cycles / found[number][0].cycles
            least[number] = min(least[number], time_ns)
            most[number] = max(most[number], time_ns)
    ranked: List[TuneRow] = []
    for number, (result, error) in sorted(found.items()):
        name, row = rows[number]
        error = error or failed.get(number)
        if error is not None:
            ranked.append(TuneRow(None, name, row, "illegal", error=as_error(error)))
            continue
        drawn = draws > 0 and number in finalists
        ranked.append(
            TuneRow(
                rank=0,
                kernel=name,
                set=row,
                found="simulated",
                cycles=result.cycles,
                time_ns=times[number],
                least_ns=least[number] if drawn else None,
                most_ns=most[number] if drawn else None,
                result=result,
            )
        )
    return Tuning(tuple(_ranked(ranked)), partial)


def _ranked(rows: Sequence[TuneRow]) -> List[TuneRow]:
    good = sorted((row for row in rows if row.rank is not None), key=lambda row: row.time_ns or 0)
    ranked = []
    for rank, row in enumerate(good, 1):
        best = good[0]
        same = rank == 1 or (
            row.least_ns is not None and best.most_ns is not None and row.least_ns <= best.most_ns
        )
        ratio = row.time_ns / best.time_ns if row.time_ns and best.time_ns else None
        ranked.append(replace(row, rank=rank, ratio=ratio, same_as_best=same))
    return ranked + [row for row in rows if row.rank is None]


def _recipe(
    scenario: Union[Scenario, Source], settings: Optional[Settings]
) -> Tuple[Source, Tuple[str, ...], str]:
    """What makes a scenario in another process: its source, its settings, its name."""
    if isinstance(scenario, Scenario):
        return scenario.recipe(settings)
    return Scenario.recipe_of(scenario, settings)


def _run_kernel(source: Source, before: Sequence[str], name: str, row: Mapping[str, Any]) -> Result:
    """In a worker process: one combination of a tuner."""
    made = Scenario.recipe_of(source, before)[1] + Scenario.recipe_of(source, row)[1]
    scenario = Scenario(source, settings=made, name=name)
    if not scenario.has_roles:
        message = "it has a workload; tune takes kernels with roles"
        raise RunError([Diagnostic(message, meaning(1))])
    return scenario.run()


def _combinations(tries: Tries) -> List[Dict[str, Any]]:
    if isinstance(tries, Mapping):
        rows = [dict(zip(tries, values)) for values in itertools.product(*tries.values())]
        rows = [row for row in rows if row]
    else:
        rows = [dict(row) for row in tries]
    if not rows:
        raise ValueError("nothing to try")
    return rows


def _sweep_figures(result: Result) -> Dict[str, Any]:
    figures = {
        "cycles": result.cycles,
        "time_ns": result.time_ns,
        "gigabytes_per_second": result.gigabytes_per_second,
        "bytes_per_cycle_per_sm": result.bytes_per_cycle_per_sm,
        "latency_cycles": result.latency_cycles.median,
        "l2_hit_fraction": result.l2_hit_fraction,
        "dram_bytes": result.dram_read_bytes + result.dram_write_bytes,
        "excess_wavefronts": result.excess_wavefronts,
        "busy": result.busy[result.busiest],
        "busiest": result.busiest,
        "timing_validated": result.timing_validated,
        "timing_edited": result.report["machine"]["timing_edited"],
    }
    if result.sampled is not None:
        figures["simulated_percent"] = result.sampled.simulated_percent
        figures["error_percent"] = result.sampled.error_percent
    return figures


def _longest_wait(result: Result) -> Tuple[str, float]:
    """What the role that computes longest waits for longest, and the fraction of its time."""

    def cycles_of(role: Mapping[str, Any]) -> Dict[str, int]:
        return {cause["cause"]: cause["cycles"] for cause in role["time"]}

    work = ("compute", "products", "shared")
    computing = max(
        (cycles_of(role) for role in result.report["roles"]),
        key=lambda c: sum(c[cause] for cause in work),
    )
    waits = {cause: cycles for cause, cycles in computing.items() if cause not in work}
    longest = max(waits, key=lambda cause: waits[cause])
    total = sum(computing.values())
    return longest, waits[longest] / total if total > 0 else 0.0
