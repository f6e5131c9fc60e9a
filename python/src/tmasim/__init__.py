"""Tensor maps, shared-memory layouts and simulated kernels of the Tensor Memory Accelerator.

- `TensorMap`: check, encode and decode tensor maps; where each element lies; which swizzle fits.
- `Scenario`: simulate a workload or a kernel, and read its figures.
- `sweep`, `tune`: many runs, in worker processes.
- `run`: launches of compiled kernels, and what each line costs.
- `tmasim.triton`: records of Triton's kernels, which `run` takes.

Everything is computed by the C library libtmasim.
"""

from tmasim._library import configs, machine, version
from tmasim.consumers import Consumer, Distribution, MatrixDescriptor
from tmasim.errors import (
    Advice,
    DeadlockError,
    Diagnostic,
    Error,
    FaultError,
    RaceError,
    RunError,
    ScenarioError,
    TensorMapError,
    Violation,
)
from tmasim.launch import Launch, LaunchReport, run
from tmasim.result import Experiment, Percentiles, Result, Sampled
from tmasim.scenario import Scenario, kernels
from tmasim.search import Sweep, SweepRow, TuneRow, Tuning, sweep, tune
from tmasim.swizzles import SwizzleRun, SwizzleRuns
from tmasim.tensor_map import ComparedMode, Comparison, ConsumerCost, TensorMap

__version__ = version()

__all__ = [
    "Advice",
    "ComparedMode",
    "Comparison",
    "Consumer",
    "ConsumerCost",
    "DeadlockError",
    "Diagnostic",
    "Distribution",
    "Error",
    "Experiment",
    "FaultError",
    "Launch",
    "LaunchReport",
    "MatrixDescriptor",
    "Percentiles",
    "RaceError",
    "Result",
    "RunError",
    "Sampled",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "SweepRow",
    "SwizzleRun",
    "SwizzleRuns",
    "TensorMap",
    "TensorMapError",
    "TuneRow",
    "Tuning",
    "Violation",
    "configs",
    "kernels",
    "machine",
    "run",
    "sweep",
    "tune",
    "version",
]
