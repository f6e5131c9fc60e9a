"""sweep and tune: compared with the verbs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List

import pytest

import tmasim
from conftest import Command
from tmasim import _workers

SMALL = {"M": 512, "N": 512, "K": 512}


def lines(text: str) -> List[Dict[str, Any]]:
    """The objects of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_sweep_has_the_rows_of_the_command(command: Command) -> None:
    path = str(tmasim.configs() / "scenarios" / "narrow_rows.yaml")
    tries = {"workload.pipeline.depth": [1, 900], "tensor_maps.A.l2_promotion": ["none", "256b"]}
    name = next(iter(tmasim.Scenario(path).tensor_maps))
    tries = {key.replace(".A.", f".{name}."): values for key, values in tries.items()}
    options = [f"--try={key}={','.join(map(str, values))}" for key, values in tries.items()]
    expected = lines(command("sweep", path, *options, "--format", "jsonl"))
    found = tmasim.sweep(path, tries, jobs=2)
    assert len(found.rows) == len(expected) == 4
    for row, other in zip(found.to_records(), expected):
        assert row["row"] == other["row"]
        assert {key: str(row[key]) for key in tries} == other["set"]
        if "error" in other:
            assert str(row["error"]).split(": ", 1)[1] in other["error"]
            continue
        assert row["error"] is None
        for key in set(other) - {"row", "set"}:
            assert row[key] == pytest.approx(other[key], abs=6e-4), key
    assert found.best is not None and found.best.row == 1 + found.best.row // 2
    failed = [row for row in found.rows if row.error is not None]
    assert len(failed) == 2 and isinstance(failed[0].error, tmasim.ScenarioError)
    assert failed[0].error.diagnostics[0].file == "--set 1"


def test_a_sampled_sweep_has_the_rows_of_the_command(command: Command) -> None:
    settings = {"workload.ctas": 8}
    tries = {"workload.iterations": [64, 2048]}
    path = str(tmasim.configs() / "scenarios" / "l2_resident.yaml")
    options = ["--set=workload.ctas=8", "--try=workload.iterations=64,2048", "--sample"]
    expected = lines(command("sweep", path, *options, "--format", "jsonl"))
    found = tmasim.sweep(path, tries, settings=settings, jobs=2, sample=True)
    for row, other in zip(found.to_records(), expected):
        sampled = other["sampled"]
        assert row["cycles"] == other["cycles"]
        assert row["simulated_percent"] == sampled["simulated_percent"]
        assert row["error_percent"] == sampled["error_percent"]
    assert [row["simulated_percent"] < 100 for row in found.to_records()] == [False, True]


def test_a_sweep_takes_scenarios_and_lists() -> None:
    scenario = tmasim.Scenario("narrow_rows", settings={"workload.pipeline.depth": 2})
    by_list = tmasim.sweep(scenario, [{"gpu.sm_clock": "1500 MHz"}, {}], jobs=1)
    own = scenario.run()
    assert by_list.rows[1].result == own
    assert by_list.rows[0].result is not None
    assert by_list.rows[0].result.report["machine"]["sm_clock_mhz"] == 1500
    empty = {"name": "x", "gpu": tmasim.machine()}
    (row,) = tmasim.sweep(empty, {"name": ["y"]}, jobs=1).rows
    assert row.result is None and row.error is not None
    assert tmasim.Sweep((row,)).best is None
    for nothing in ({}, [], {"name": []}):
        with pytest.raises(ValueError, match="nothing to try"):
            tmasim.sweep(empty, nothing)
    with pytest.raises(ValueError, match="jobs is 0"):
        tmasim.sweep(scenario, [{}], jobs=0)


def test_tune_ranks_as_the_command_does(command: Command) -> None:
    settings = [f"--set={key}={value}" for key, value in SMALL.items()]
    tries = ["--try", "BM=64,128,300", "--try", "STAGES=2,3"]
    arguments = [
        "tune",
        "gemm",
        "gemm_ws",
        *settings,
        *tries,
        "--exact",
        "--all",
        "--format",
        "jsonl",
    ]
    expected = lines(command(*arguments))
    found = tmasim.tune(
        ["gemm", "gemm_ws"], {"BM": [64, 128, 300], "STAGES": [2, 3]}, settings=SMALL, jobs=2
    )
    assert len(found.rows) == len(expected) == 12
    for row, other in zip(found.to_records(), expected):
        assert row["rank"] == other.get("rank")
        assert row["kernel"] == other["kernel"]
        assert {key: str(row[key]) for key in ("BM", "STAGES")} == other["set"]
        assert row["found"] == other["found"]
        if row["found"] == "illegal":
            assert row["error"]
            continue
        for key in ("cycles", "time_ns", "ratio", "same_as_best", "busiest", "longest_wait"):
            assert row[key] == pytest.approx(other[key]), key
        for key in ("busy", "waited"):
            assert row[key] == pytest.approx(other[key], abs=2e-6), key
        for key in ("least_ns", "most_ns"):
            assert row[key] == pytest.approx(other.get(key)), key
    assert found.best is not None and found.best.rank == 1 and found.best.ratio == 1


def test_tune_says_what_is_wrong(tmp_path: Any) -> None:
    with pytest.raises(tmasim.ScenarioError, match="no kernel 'gem'"):
        tmasim.tune("gem", {"BM": [64]})
    with pytest.raises(ValueError, match="draws is 2000"):
        tmasim.tune("gemm", {"BM": [64]}, draws=2000)
    workload = str(tmasim.configs() / "scenarios" / "copy.yaml")
    found = tmasim.tune(workload, {"workload.pipeline.depth": [1]}, draws=0, jobs=1)
    assert found.best is None
    assert str(found.rows[0].error) == "it has a workload; tune takes kernels with roles"


def test_a_worker_that_dies_is_one_error() -> None:
    found = _workers.run_all([(os._exit, (7,)), (abs, (-3,)), (abs, ("x",))], jobs=1)
    assert isinstance(found[0][1], _workers.WorkerDied)
    assert str(found[0][1]) == "its worker process ended: exit status 7"
    assert found[1] == (3, None)
    assert isinstance(found[2][1], TypeError)
    (killed,) = _workers.run_all([(signal.raise_signal, (signal.SIGKILL,))], jobs=1)
    assert str(killed[1]) == "its worker process ended: signal 9"


def test_what_a_call_prints_does_not_disturb(capfd: pytest.CaptureFixture[str]) -> None:
    assert _workers.run_all([(print, ("hello",)), (abs, (-1,))], jobs=1) == [
        (None, None),
        (1, None),
    ]


def test_an_interrupt_ends_all_workers() -> None:
    import time

    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        _workers.run_all([(time.sleep, (60,))] * 2, jobs=2)
    timer.join()
    assert time.monotonic() - begin < 20


def interrupt_soon(seconds: float) -> threading.Timer:
    """Ctrl-C, after a while."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


#: Its second row takes minutes.
LONG = {"workload.iterations": [1, 100_000_000, 2]}


def test_an_interrupted_sweep_has_what_is_done() -> None:
    timer = interrupt_soon(2)
    found = tmasim.sweep("narrow_rows", LONG, jobs=2)
    timer.join()
    assert found.partial
    assert {row.row for row in found.rows} <= {1, 3} and found.rows
    assert all(row.error is None for row in found.rows)
    assert found.best is not None and found.best.row == 1
    whole = tmasim.sweep("narrow_rows", {"workload.iterations": [1, 2]}, jobs=2)
    assert not whole.partial and whole.rows[0].result == found.rows[0].result


def test_an_interrupted_tuner_has_what_is_done() -> None:
    tries = [{"M": 512}, {"M": 1 << 20}]
    timer = interrupt_soon(3)
    found = tmasim.tune("gemm", tries, settings={"N": 512, "K": 512}, draws=0, jobs=2)
    timer.join()
    assert found.partial
    assert [row.set for row in found.rows] == [{"M": 512}]
    assert found.best is not None and found.best.found == "simulated"


def test_compare_gives_the_cycles_of_the_command(command: Command) -> None:
    scenario = tmasim.Scenario("gemm_tile", settings={"workload.ctas": 1, "workload.iterations": 4})
    path = str(tmasim.configs() / "scenarios" / "gemm_tile.yaml")
    settings = [f"--set={setting}" for setting in scenario.settings]
    expected = json.loads(command("compare", path, *settings, "--draws", "2", "--format", "json"))
    found = scenario.compare(draws=2, jobs=2)
    for row, other in zip(found.to_records(), expected["modes"]):
        assert row["swizzle"] == other["swizzle"] and row["legal"] == other["legal"]
        assert row["reason"] == other.get("reason", "")
        for key in ("cycles", "wavefronts", "ideal_wavefronts", "excess_wavefronts"):
            assert row.get(key) == other.get(key), key
        if row["legal"]:
            assert row["bytes_per_cycle_per_sm"] == pytest.approx(
                other["bytes_per_cycle_per_sm"], abs=6e-4
            )
    assert len(found.modes) == len(expected["modes"])
    assert found.best is not None and found.best.swizzle == "128b"
    with pytest.raises(ValueError, match="draws is 1001"):
        scenario.compare(draws=1001, jobs=1)


def test_compare_takes_kernels_with_roles(command: Command) -> None:
    path = str(tmasim.configs() / "scenarios" / "kernels" / "two_readers.yaml")
    expected = json.loads(command("compare", path, "--format", "json"))
    found = tmasim.Scenario(path).compare(jobs=2)
    assert len(found.modes) == len(expected["modes"])
    for row, other in zip(found.to_records(), expected["modes"]):
        for key in ("swizzle", "legal", "cycles", "wavefronts", "ideal_wavefronts"):
            assert row.get(key) == other.get(key), key
        assert row["reason"] == other.get("reason", "")
    assert found.best is not None and found.best.swizzle == "128b"
    assert found.best.result is not None and found.best.result.excess_wavefronts == 0
    with pytest.raises(tmasim.RunError, match="no role reads a tile with an access statement"):
        tmasim.Scenario.kernel("gemm").compare()


def test_compare_changes_the_maps_that_are_read() -> None:
    operand = {"data_type": "float16", "global_dim": [32, 256], "box_dim": [32, 64]}
    ring = {"stages": 2, "operands": {"a": 4096, "b": 8192}}
    load = {"map": "A", "into": "ab.a", "at": [0, "64*i"]}
    wide = {**operand, "global_dim": [48, 256], "box_dim": [48, 64], "swizzle": "128b"}
    body = [
        {"acquire": "ab"},
        {"load": load},
        {"load": {**load, "map": "B", "into": "ab.b"}},
        {"wait": "ab"},
        {"access": {"tile": "ab.a", "instruction": "ldmatrix.x4", "lanes": "matrix"}},
        {"sync": "all"},  # the thread that loads knows that all warps have read
        {"release": "ab"},
    ]
    program = {"warps": 4, "program": [{"for": {"i": 4}, "do": body}]}
    kernel = {"ctas": 1, "rings": {"ab": ring}, "barriers": ["all"], "roles": {"program": program}}
    maps = {"A": operand, "B": wide}
    scenario = tmasim.Scenario(
        {"name": "two", "gpu": tmasim.machine("h200"), "tensor_maps": maps, "kernel": kernel}
    )
    legal = [mode.swizzle for mode in scenario.compare(jobs=1).modes if mode.legal]
    assert legal == ["none", "64b"]  # in which the 96 bytes of a row of B would not fit


def test_a_script_needs_no_guard(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import tmasim\n"
        "sweep = tmasim.sweep('narrow_rows', {'workload.pipeline.depth': [1, 2]}, jobs=2)\n"
        "print([row.result.cycles > 0 for row in sweep.rows])\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout == "[True, True]\n", done.stderr
