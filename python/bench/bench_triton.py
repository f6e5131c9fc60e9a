"""How far the simulated time of recorded Triton kernels is from the measured one.

The records (tests/triton/records) have the time of a launch on an H200, with L2 flushed before it.
"""

from __future__ import annotations

import json
from pathlib import Path

from tmasim._workers import run_all
from tmasim.scenario import Scenario
from tmasim.triton import Compiled

RECORDS = Path(__file__).resolve().parents[1] / "tests" / "triton" / "records"


def main() -> None:
    """Runs all records and prints a row for each."""
    paths = sorted(RECORDS.glob("*.json"))
    scenarios = [Compiled.from_record(path).scenario() for path in paths]
    print(f"{'kernel':<20} {'measured us':>11} {'simulated us':>12} {'ratio':>6}  busiest")
    for path, (result, error) in zip(paths, run_all([(Scenario.run, (s,)) for s in scenarios])):
        if error is not None:
            raise error
        measured = json.loads(path.read_text())["launch_us"]
        simulated = result.time_ns / 1000
        ratio = simulated / measured
        print(
            f"{path.stem:<20} {measured:>11.1f} {simulated:>12.1f} {ratio:>6.2f}  {result.busiest}"
        )


if __name__ == "__main__":
    main()
