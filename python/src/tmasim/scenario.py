"""Scenarios: a machine, tensor maps, and what the CTAs do."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from tmasim._engine import simulate
from tmasim._library import SAMPLINGS, configs, diagnostics_of, meaning, run_error, text
from tmasim._native import ffi, lib
from tmasim._types import Sampling
from tmasim.errors import Diagnostic, RunError, ScenarioError
from tmasim.result import Result, result_of
from tmasim.swizzles import SwizzleRuns, compare_swizzles
from tmasim.tensor_map import TensorMap

#: Values of settings: by path (``{"workload.pipeline.depth": 8}``), or as texts "PATH=VALUE".
Settings = Union[Mapping[str, Any], Sequence[str]]
Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Scenario:
    """A scenario that was read and that its machine can run.

    Args:
        source: The path of a file; or YAML text, which has at least one line break; or a mapping
            with the keys of a scenario. A word that is no file is the name of one of
            ``configs()/scenarios``.
        settings: What ``--set`` sets: values by path, or texts ``"PATH=VALUE"``. A path that begins
            with ``gpu.`` sets a value of the machine.
        name: Of a text or a mapping: stands for the path of its file. Diagnostics name it, and the
            machine's path (``gpu``) is relative to its folder.

    Raises:
        ScenarioError: Something is wrong; the diagnostics say what, with file, line and column.
    """

    def __init__(
        self,
        source: Source,
        *,
        settings: Optional[Settings] = None,
        name: str = "scenario.yaml",
    ) -> None:
        self._source: Source = dict(source) if isinstance(source, Mapping) else source
        self._settings = _setting_texts(settings)
        self._name = name
        encoded = [ffi.new("char[]", setting.encode()) for setting in self._settings]
        list_of = ffi.new("char *[]", encoded)
        items = ffi.cast("const char *const *", list_of)
        self._native = ffi.gc(ffi.new("struct tma_scenario *"), lib.tma_scenario_free)
        found = ffi.new("struct tma_diagnostics *", lib.tma_diagnostics_empty())
        body, path = _text_and_path(self._source, name)
        place = ffi.new("char[]", os.fsencode(path))
        if body is None:
            good = lib.tma_scenario_read(place, items, len(encoded), self._native, found)
        else:
            yaml = body.encode()
            good = lib.tma_scenario_read_text(yaml, place, items, len(encoded), self._native, found)
        diagnostics = diagnostics_of(found)
        lib.tma_diagnostics_free(found)
        self._path = path
        if not good:
            raise ScenarioError(diagnostics)

    @classmethod
    def kernel(cls, name: str, **parameters: int) -> "Scenario":
        """A kernel of the library: ``Scenario.kernel("gemm", M=8192, STAGES=3)``.

        Args:
            name: One of `kernels`.
            parameters: Values of its parameters; others keep their defaults.

        Raises:
            ScenarioError: There is no such kernel or parameter, or a value does not fit.
        """
        return cls(library_kernel(name), settings=parameters)

    def with_settings(self, settings: Settings) -> "Scenario":
        """The same scenario with more settings, which come after its own.

        Raises:
            ScenarioError: As the constructor does.
        """
        texts = [*self._settings, *_setting_texts(settings)]
        return Scenario(self._source, settings=texts, name=self._name)

    def recipe(self, settings: Optional[Settings] = None) -> Tuple[Source, Tuple[str, ...], str]:
        """What makes the scenario again, in another process too: its source, all settings as texts
        (its own and then these), and its name."""
        texts = (*self._settings, *_setting_texts(settings))
        return self._source, texts, self._name

    @staticmethod
    def recipe_of(
        source: Source, settings: Optional[Settings] = None, name: str = "scenario.yaml"
    ) -> Tuple[Source, Tuple[str, ...], str]:
        """The same of a scenario that is not read yet."""
        return source, tuple(_setting_texts(settings)), name

    def __reduce__(self) -> Any:
        return (_again, self.recipe())

    @property
    def name(self) -> str:
        """The scenario's name in reports."""
        return text(self._native.name)

    @property
    def description(self) -> str:
        """What the scenario shows."""
        return text(self._native.description)

    @property
    def settings(self) -> Tuple[str, ...]:
        """The settings, as texts ``"PATH=VALUE"``."""
        return tuple(self._settings)

    @property
    def has_roles(self) -> bool:
        """Whether the scenario has a kernel with roles (the key ``kernel``)."""
        return bool(self._native.program != ffi.NULL)

    @property
    def tensor_maps(self) -> Dict[str, TensorMap]:
        """The tensor maps by name."""
        workload = self._native.workload
        return {
            text(self._native.map_names[i]): TensorMap._of(ffi.addressof(workload.maps, i))
            for i in range(workload.map_count)
        }

    def __repr__(self) -> str:
        return f"<Scenario {self.name}>"

    def run(
        self,
        *,
        why: bool = False,
        draws: int = 0,
        unbounded: bool = False,
        sample: Union[bool, Sampling] = False,
    ) -> Result:
        """Simulates the scenario.

        A process runs one simulation at a time: other threads wait. Ctrl-C ends it.

        Args:
            why: Also find out what limits the run, by running it again with one thing relieved at a
                time.
            draws: Also run it with the seeds 1 to ``draws``.
            unbounded: Run a kernel even if it has more than 10^9 operations.
            sample: Simulate a long run in part, as ``tmasim run --sample`` does: True or "usual",
                or "careful" (longer windows, against slow drift). All figures are then estimates,
                and `Result.sampled` says how wrong the cycles may be. Not together with ``why`` or ``draws``, which compare runs.

        Raises:
            DeadlockError: The simulated program waits forever.
            FaultError: Hardware would stop the kernel.
            RaceError: Two accesses to shared memory are in no order.
            RunError: The run failed otherwise, or ``sample`` is no way of sampling.
            ValueError: ``draws`` is not 0 to 1000, or is given together with ``sample``, as ``why``
                must not be.
        """
        if sample and (why or draws):
            needed_by = "why" if why else "draws"
            raise ValueError(f"sample leaves out parts of the run, which {needed_by} needs")
        if not 0 <= draws <= 1000:
            raise ValueError(f"draws is {draws}; expected 0 to 1000")
        options = ffi.new("struct py_run_options *", {"why": why, "draws": draws})
        options.unbounded = unbounded
        options.sampling = _sampling(sample)
        outcome = ffi.new("struct py_run_outcome *")
        simulate(self._native, options, outcome)
        try:
            report = "" if outcome.report == ffi.NULL else text(outcome.report)
        finally:
            lib.py_free(outcome.report)
        if outcome.code == lib.TMA_ERROR_INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.code != lib.TMA_OK:
            raise run_error(outcome.code)(
                [
                    Diagnostic(
                        text=text(outcome.error.text),
                        code=meaning(outcome.code),
                        file=self._path,
                        line=outcome.line or None,
                        column=outcome.column or None,
                    )
                ]
            )
        return result_of(json.loads(report), outcome.wavefronts, outcome.ideal_wavefronts)

    def compare(self, *, draws: int = 0, jobs: Optional[int] = None) -> SwizzleRuns:
        """Runs the scenario under every swizzle mode, in worker processes, as ``tmasim compare``
        does. All tensor maps get the mode; of a kernel with roles, those whose tiles an ``access``
        statement reads.

        Args:
            draws: Also run each mode with the seeds 1 to ``draws``.
            jobs: Number of processes; default: the cores.

        Raises:
            RunError: A kernel has no ``access`` statements, or too many, or a mode that is legal
                cannot run.
            ValueError: A number is out of its range.
        """
        maps = self._compared_maps()
        return compare_swizzles(run_row, self.recipe(), maps, draws=draws, jobs=jobs)

    def _compared_maps(self) -> List[str]:
        """The names of the maps that get each mode."""
        names = list(self.tensor_maps)
        compared = ffi.new("bool[]", len(names))
        error = ffi.new("struct tma_error *")
        code = lib.py_compared_maps(self._native, compared, error)
        if code != lib.TMA_OK:
            raise run_error(code)([Diagnostic(text(error.text), meaning(code), self._path)])
        return [name for name, used in zip(names, compared) if used]


def run_row(
    source: Source,
    before: Sequence[str],
    name: str,
    row: Mapping[str, Any],
    draws: int = 0,
    sample: Union[bool, Sampling] = False,
) -> Result:
    """Runs a scenario, made of a `Scenario.recipe`, with the settings of a row of a table."""
    made = Scenario.recipe_of(source, before)[1] + Scenario.recipe_of(source, row)[1]
    return Scenario(source, settings=made, name=name).run(draws=draws, sample=sample)


def _sampling(sample: Union[bool, Sampling]) -> int:
    """The value of the library's enumeration."""
    if sample is False:
        return int(lib.TMA_SAMPLING_NONE)
    return SAMPLINGS.value("usual" if sample is True else sample, "sample", RunError)


def kernels() -> List[str]:
    """The names of the kernels of the library, for `Scenario.kernel`."""
    return sorted(path.stem for path in (configs() / "kernels").glob("*.yaml"))


def library_kernel(name: str) -> Path:
    """The path of a kernel of the library.

    Raises:
        ScenarioError: There is no such kernel.
    """
    known = kernels()
    if name not in known:
        message = f"no kernel {name!r}; there are: {', '.join(known)}"
        raise ScenarioError([Diagnostic(message, meaning(1))])
    return configs() / "kernels" / f"{name}.yaml"


def kernel_path(name: str) -> Path:
    """The path of a kernel: a file, or one of the library.

    Raises:
        ScenarioError: There is no such kernel.
    """
    return Path(name) if Path(name).exists() else library_kernel(name)


def _again(source: Source, settings: Sequence[str], name: str) -> Scenario:
    return Scenario(source, settings=settings, name=name)


def _text_and_path(source: Source, name: str) -> Tuple[Optional[str], str]:
    """The text, if the source is no file, and what stands for its path."""
    if isinstance(source, Mapping):
        return json.dumps(source, indent=1), name
    path = os.fspath(source)
    if isinstance(source, str) and "\n" in source:
        return source, name
    if not Path(path).exists() and not set(path) & set("/."):
        known = configs() / "scenarios" / f"{path}.yaml"
        if known.exists():
            return None, str(known)
    return None, path


def setting_value(value: Any) -> str:
    """A value as ``--set`` takes it."""
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        value = value.tolist()
    return json.dumps(value)


def _setting_texts(settings: Optional[Settings]) -> List[str]:
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        return [f"{path}={setting_value(value)}" for path, value in settings.items()]
    return list(settings)
