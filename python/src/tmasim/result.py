"""The figures of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Percentiles:
    """How a number is distributed, in cycles of the SM clock. Percentiles are nearest ranks."""

    count: int
    min: int
    median: int
    p95: int
    max: int


@dataclass(frozen=True)
class Experiment:
    """A run with one thing relieved.

    Attributes:
        name: What is relieved, as a key.
        text: The same in words.
        change: What the experiment changes.
        advice: Whether a user can do that; else it shows what limits the run.
        saved_fraction: Of the mean cycles; can be negative.
        helps: Whether it saves something, and not by chance.
    """

    name: str
    text: str
    change: str
    advice: bool
    saved_fraction: float
    helps: bool


@dataclass(frozen=True)
class Sampled:
    """What a sampled run simulated.

    Attributes:
        simulated_percent: Of the cycles; 100 where all of the run was simulated.
        error_percent: The cycles are right within so much of them, but for slow drift.
        drift_possible: Whether tiles are read again, so that the run may drift slowly.
        whole: Why all of the run was simulated; None where it was not.
        trusted: False where a part was simulated, and its cycles may have been more than 20 % off: then all of the run was
            simulated, and all figures are exact.
        refused_error_percent: By how much they may have been off; None where the part was trusted.
    """

    simulated_percent: float
    error_percent: float
    drift_possible: bool
    whole: Optional[str] = None
    trusted: bool = True
    refused_error_percent: Optional[float] = None


@dataclass(frozen=True)
class Result:
    """What a run found. The figures are those of ``tmasim run --format json``.

    Attributes:
        scenario: Name of the scenario.
        machine: Name of the machine.
        timing_validated: Whether the timing of the machine was compared with hardware.
        cycles: From the first issue to the last completion, in cycles of the SM clock.
        memory_cycles: Until L2 and DRAM are done too.
        time_ns: ``cycles`` in nanoseconds.
        moved_bytes: Loaded, stored and reduced.
        gigabytes_per_second: ``moved_bytes`` over ``time_ns``; 1 GB is 10^9 bytes.
        bytes_per_cycle_per_sm: The same for each SM that has a CTA.
        cta_cycles: Of each CTA, from its first issue to its last completion.
        latency_cycles: Of each operation, from its issue to the completion of its mbarrier.
        operations: TMA operations that completed.
        l2_hit_fraction: Of the sectors that L2 was asked for.
        dram_read_bytes: From DRAM.
        dram_write_bytes: To DRAM.
        dram_gigabytes_per_second: While L2 and DRAM work.
        wavefronts: Of all consumers, or of the ``access`` statements of a kernel with roles.
        ideal_wavefronts: The same without bank conflicts.
        busy: How busy each kind of resource is, as a fraction of the run.
        time: Where the time of slots goes, in cycles by cause; for kernels with roles by
            ``"role.cause"``.
        limited_by: What limits the run, in words; of runs with ``why=True``, else None.
        advice: What would make it faster, in sentences; of runs with ``why=True``.
        experiments: Of runs with ``why=True``.
        report: The whole report.
        sampled: Of runs with ``sample``, else None. Where not all of the run was simulated, all
            figures are estimates.
    """

    scenario: str
    machine: str
    timing_validated: bool
    cycles: int
    memory_cycles: int
    time_ns: float
    moved_bytes: int
    gigabytes_per_second: float
    bytes_per_cycle_per_sm: float
    cta_cycles: Percentiles
    latency_cycles: Percentiles
    operations: int
    l2_hit_fraction: float
    dram_read_bytes: int
    dram_write_bytes: int
    dram_gigabytes_per_second: float
    wavefronts: int
    ideal_wavefronts: int
    busy: Mapping[str, float]
    time: Mapping[str, int]
    limited_by: Optional[str]
    advice: Tuple[str, ...]
    experiments: Tuple[Experiment, ...]
    report: Mapping[str, Any]
    sampled: Optional[Sampled] = None

    @property
    def excess_wavefronts(self) -> int:
        """What bank conflicts add to the wavefronts of the consumers."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def busiest(self) -> str:
        """The resource that is busiest; the first of several."""
        return max(self.busy, key=lambda resource: self.busy[resource])

    def to_dict(self) -> Dict[str, Any]:
        """The report as one flat row: ``pandas.DataFrame([result.to_dict()])``.

        Keys join the steps of the report with points: ``"rate.gigabytes_per_second"``,
        ``"latency_cycles.median"``, ``"time.dram_queue.slot_cycles"``.
        """
        return dict(_flat("", self.report))


def result_of(report: Mapping[str, Any], wavefronts: int, ideal_wavefronts: int) -> Result:
    """The result that a report in JSON holds, with the wavefronts of consumers, which a report of a
    kernel with roles lacks."""
    dram = report["dram"]
    return Result(
        scenario=report["scenario"],
        machine=report["machine"]["name"],
        timing_validated=report["machine"]["timing_validated"],
        cycles=report["cycles"],
        memory_cycles=report["memory_cycles"],
        time_ns=report["time_ns"],
        moved_bytes=report["bytes"]["moved"],
        gigabytes_per_second=report["rate"]["gigabytes_per_second"],
        bytes_per_cycle_per_sm=report["rate"]["bytes_per_cycle_per_sm"],
        cta_cycles=Percentiles(**report["cta_cycles"]),
        latency_cycles=Percentiles(**report["latency_cycles"]),
        operations=report["tma"]["operations"],
        l2_hit_fraction=report["l2"]["hit_fraction"],
        dram_read_bytes=32 * dram["read_sectors"],
        dram_write_bytes=32 * dram["write_sectors"],
        dram_gigabytes_per_second=dram["gigabytes_per_second"],
        wavefronts=wavefronts,
        ideal_wavefronts=ideal_wavefronts,
        busy=report["busy"],
        time=dict(_times(report)),
        limited_by=report["limited_by"]["text"] if report.get("experiments") else None,
        advice=tuple(report.get("advice", ())),
        experiments=tuple(_experiments(report)),
        report=report,
        sampled=Sampled(**report["sampled"]) if "sampled" in report else None,
    )


def _times(report: Mapping[str, Any]) -> Iterator[Tuple[str, int]]:
    for cause in report.get("time", ()):
        yield cause["cause"], cause["slot_cycles"]
    for role in report.get("roles", ()):
        for cause in role["time"]:
            yield f"{role['name']}.{cause['cause']}", cause["cycles"]


def _experiments(report: Mapping[str, Any]) -> Iterator[Experiment]:
    for item in report.get("experiments", ()):
        yield Experiment(
            name=item["name"],
            text=item["text"],
            change=item["change"],
            advice=item["advice"],
            saved_fraction=item["saved_fraction"],
            helps=item["helps"],
        )


def _flat(prefix: str, value: Any) -> Iterator[Tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else key, item)
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for i, item in enumerate(value):
            step = item.get("cause") or item.get("name") or str(i)
            rest = {k: v for k, v in item.items() if v != step and k != "text"}
            yield from _flat(f"{prefix}.{step}", rest)
    else:
        yield prefix, value
