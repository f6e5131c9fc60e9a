"""Scenario: reports, settings, errors; compared with the command."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import threading
from typing import Any, Callable, Dict, List

import pytest

import tmasim
from conftest import ROOT
from tmasim import Scenario, ScenarioError

CONFIGS = ROOT / "configs"


def path_of(name: str) -> str:
    """A scenario of the repository."""
    return str(CONFIGS / "scenarios" / f"{name}.yaml")


@pytest.mark.parametrize("name", ["gemm_tile", "conv_halo", "reduce_add", "wgmma_operands"])
def test_a_run_reports_what_the_command_reports(
    name: str, command_json: Callable[..., Any]
) -> None:
    result = Scenario(path_of(name)).run()
    assert result.report == command_json("run", path_of(name), "--no-why", "--format", "json")
    assert result.limited_by is None


def test_why_and_draws_are_those_of_the_command(command_json: Callable[..., Any]) -> None:
    result = Scenario("narrow_rows").run(why=True, draws=2)
    arguments = ("--why", "--draws", "2", "--format", "json")
    assert result.report == command_json("run", path_of("narrow_rows"), *arguments)
    assert result.limited_by is not None and result.experiments
    assert all(experiment.text for experiment in result.experiments)
    draws = Scenario("narrow_rows").run(draws=2).report
    assert draws["draws"]["launches"] == 2 and draws["experiments"] == []


SMALL = {"M": 512, "N": 512, "K": 512}


def test_a_kernel_of_the_library(command_json: Callable[..., Any]) -> None:
    result = Scenario.kernel("gemm", **SMALL, STAGES=3).run()
    path = str(CONFIGS / "kernels" / "gemm.yaml")
    settings = [f"--set={key}={value}" for key, value in {**SMALL, "STAGES": 3}.items()]
    assert result.report == command_json("run", path, *settings, "--no-why", "--format", "json")
    assert result.time["program.compute"] > 0
    assert result.busiest == max(result.busy, key=result.busy.__getitem__)
    assert "gemm" in tmasim.kernels()
    with pytest.raises(ScenarioError) as caught:
        Scenario.kernel("gem")
    assert str(caught.value).startswith("no kernel 'gem'; there are: attention")
    with pytest.raises(ScenarioError):
        Scenario.kernel("gemm", TILE=3)
    with pytest.raises(ValueError, match="draws is -1"):
        Scenario.kernel("gemm", **SMALL).run(draws=-1)


@pytest.mark.parametrize("sample", [True, "careful"])
def test_a_sampled_run_is_that_of_the_command(
    sample: Any, command_json: Callable[..., Any]
) -> None:
    settings = {"CTAS": 4, "M": 2048, "N": 1024, "K": 512}
    result = Scenario.kernel("gemm_persistent", **settings).run(sample=sample)
    path = str(CONFIGS / "kernels" / "gemm_persistent.yaml")
    option = "--sample" if sample is True else f"--sample={sample}"
    given = [f"--set={key}={value}" for key, value in settings.items()]
    assert result.report == command_json("run", path, *given, option, "--format", "json")
    sampled = result.sampled
    assert (
        sampled is not None and sampled.error_percent == result.report["sampled"]["error_percent"]
    )
    assert (sampled.whole is None) == (sampled.simulated_percent < 100)


def test_sampling_of_a_workload_and_its_errors() -> None:
    scenario = Scenario("l2_resident", settings={"workload.ctas": 8, "workload.iterations": 2048})
    whole, part = scenario.run(), scenario.run(sample="usual")
    assert whole.sampled is None and part.sampled is not None
    assert part.sampled.whole is None and 0 < part.sampled.simulated_percent < 100
    off = abs(part.cycles / whole.cycles - 1)
    assert 0 < 100 * off <= part.sampled.error_percent
    short = Scenario("narrow_rows").run(sample="careful")
    assert short.sampled is not None and "few waves" in (short.sampled.whole or "")
    assert short.cycles == Scenario("narrow_rows").run().cycles
    with pytest.raises(ValueError, match="which why needs"):
        scenario.run(sample=True, why=True)
    with pytest.raises(ValueError, match="which draws needs"):
        scenario.run(sample=True, draws=2)
    wrong: Any = "fast"
    with pytest.raises(tmasim.RunError, match="sample is 'fast'; allowed: usual, careful"):
        scenario.run(sample=wrong)


def test_why_of_a_kernel(command_json: Callable[..., Any]) -> None:
    path = str(CONFIGS / "scenarios" / "kernels" / "triton_copy.yaml")
    result = Scenario(path).run(why=True)
    assert result.report == command_json("run", path, "--why", "--format", "json")
    assert result.limited_by is not None and result.experiments


def test_figures_of_a_result() -> None:
    result = Scenario("gemm_unswizzled").run()
    report = result.report
    assert result.cycles == report["cycles"]
    assert result.excess_wavefronts == report["shared_memory"]["excess_wavefronts"] > 0
    assert sum(result.time.values()) == report["slot_cycles"]
    assert result.dram_read_bytes == report["dram"]["read_bytes"]
    assert result.latency_cycles.median == report["latency_cycles"]["median"]
    flat = result.to_dict()
    assert flat["rate.gigabytes_per_second"] == result.gigabytes_per_second
    assert flat["time.dram_queue.slot_cycles"] == result.time["dram_queue"]
    assert flat["workload.tensor_maps.A.swizzle"] == "none"
    assert flat["shared_memory.consumers.1.wavefronts"] > 0
    assert not any(isinstance(value, dict) for value in flat.values())


def test_results_make_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    depths = [1, 2, 4]
    base = Scenario("narrow_rows")
    rows = [base.with_settings({"workload.pipeline.depth": depth}).run() for depth in depths]
    table = pandas.DataFrame([row.to_dict() for row in rows])
    assert list(table["workload.depth"]) == depths
    assert list(table["cycles"]) == [row.cycles for row in rows]
    assert table["cycles"].is_monotonic_decreasing


def mapping(**pipeline: Any) -> Dict[str, Any]:
    """A scenario as Python writes it."""
    return {
        "name": "from_python",
        "gpu": tmasim.machine("h200"),
        "tensor_maps": {
            "A": {"data_type": "float16", "global_dim": [4096, 4096], "box_dim": [64, 64]},
        },
        "workload": {
            "ctas": 4,
            "iterations": 8,
            "pipeline": {"depth": 2, **pipeline},
            "operations": [{"load": "A"}],
        },
    }


def test_a_scenario_is_a_path_a_text_or_a_mapping() -> None:
    by_mapping = Scenario(mapping())
    by_text = Scenario(json.dumps(mapping(), indent=1))
    assert by_mapping.run() == by_text.run()
    assert by_mapping.name == "from_python"
    assert by_mapping.tensor_maps["A"] == tmasim.TensorMap(**mapping()["tensor_maps"]["A"])
    beside = mapping()
    beside["gpu"] = "../gpus/h200.yaml"
    assert Scenario(beside, name=path_of("mine")).run() == by_mapping.run()
    assert Scenario(CONFIGS / "scenarios" / "copy.yaml").name == Scenario("copy").name == "copy"
    assert Scenario("gemm_tile").description and not Scenario("gemm_tile").has_roles


def test_settings_are_paths_with_values() -> None:
    settings = {"workload.pipeline.depth": 3, "tensor_maps.A.box_dim": [32, 64]}
    scenario = Scenario(mapping(), settings=settings)
    assert scenario.settings == ("workload.pipeline.depth=3", "tensor_maps.A.box_dim=[32, 64]")
    more = scenario.with_settings(["gpu.sm_clock=1000 MHz"])
    report = more.run().report
    assert report["workload"]["depth"] == 3
    assert report["machine"]["sm_clock_mhz"] == 1000 and report["machine"]["timing_edited"]
    assert more.tensor_maps["A"].box_dim == (32, 64)
    assert pickle.loads(pickle.dumps(more)).run() == more.run()


def test_errors_have_file_line_and_column(tmp_path: Any) -> None:
    text = (CONFIGS / "scenarios" / "gemm_tile.yaml").read_text()
    wrong = tmp_path / "wrong.yaml"
    text = text.replace("../gpus", str(CONFIGS / "gpus"))
    wrong.write_text(text.replace("depth: 4", "depth: 0").replace("load: B", "load: C"))
    with pytest.raises(ScenarioError) as caught:
        Scenario(wrong)
    found = caught.value.diagnostics
    lines = wrong.read_text().splitlines()
    assert [diagnostic.file for diagnostic in found] == [str(wrong)] * 2
    assert "depth: 0" in lines[(found[0].line or 0) - 1]
    assert "load: C" in lines[(found[1].line or 0) - 1]
    for diagnostic in found:
        assert diagnostic.column
        place = f"{wrong}:{diagnostic.line}:{diagnostic.column}"
        assert str(diagnostic) == f"{place}: {diagnostic.text}"
    with pytest.raises(ScenarioError) as caught:
        Scenario("no/such/file.yaml")
    assert caught.value.diagnostics[0].file == "no/such/file.yaml"
    with pytest.raises(ScenarioError) as caught:
        Scenario("gemm_tile", settings={"workload.pipeline.depth": 900})
    assert caught.value.diagnostics[0].file == "--set 1"


def test_illegal_maps_are_errors_of_the_scenario() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario("gemm_tile", settings={"tensor_maps.A.global_strides": [1000]})
    assert "stride_alignment" in str(caught.value)


def test_a_deadlock_is_an_exception() -> None:
    with pytest.raises(tmasim.DeadlockError) as caught:
        Scenario(mapping(expect_tx="5 KiB")).run()
    assert "mbarrier" in str(caught.value)
    assert Scenario(mapping()).run().cycles > 0  # the engine still works


def test_a_fault_is_an_exception() -> None:
    with pytest.raises((tmasim.FaultError, ScenarioError)) as caught:
        Scenario("conv_halo", settings={"workload.operations.0.walk.start": [-1, -1, -1]}).run()
    assert "coordinate" in str(caught.value)


def test_a_kernel_that_fails_says_where() -> None:
    path = CONFIGS / "scenarios" / "kernels" / "gemm.yaml"
    with pytest.raises(tmasim.Error) as caught:
        Scenario(path, settings={"STAGES": 1}).run()
    assert caught.value.diagnostics[0].file == str(path)
    assert caught.value.diagnostics[0].line


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(mapping(), settings={"workload.iterations": 200000, "workload.ctas": 132}),
        Scenario.kernel("gemm", M=16384, N=16384, K=16384),
    ],
    ids=["workload", "kernel"],
)
def test_an_interrupt_ends_a_run(scenario: Scenario) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        scenario.run()
    timer.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert Scenario(mapping()).run().cycles > 0


def test_a_fork_of_a_process_that_simulated_says_so() -> None:
    Scenario(mapping()).run()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(said_in_a_fork).startswith("this process was forked from one that")


def said_in_a_fork() -> str:
    """In the forked process: what a run says."""
    try:
        Scenario(mapping()).run()
    except tmasim.RunError as error:
        return str(error)
    return "nothing"


def test_threads_run_one_after_the_other() -> None:
    expected = Scenario(mapping()).run()
    found: List[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(Scenario(mapping()).run())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_configs_can_lie_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("TMASIM_CONFIGS", str(tmp_path))
    with pytest.raises(FileNotFoundError):
        tmasim.configs()
    (tmp_path / "gpus").mkdir()
    assert tmasim.configs() == tmp_path
    with pytest.raises(FileNotFoundError) as caught:
        tmasim.machine("h300")
    assert "no machine 'h300'" in str(caught.value)
