"""Launches of compiled kernels: runs them with the command, and reads what it reports."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union, cast

from tmasim._library import configs, fail
from tmasim.errors import Diagnostic, RunError, ScenarioError

#: Words of reports for what warps wait for.
REASONS = {
    "issue": "issuing",
    "dependency": "a result of fixed latency",
    "shared": "shared memory, shuffles or special functions",
    "global": "global memory",
    "flags": "a flag in memory, which it loads in a loop",
    "mbarrier": "the phase of an mbarrier",
    "barrier": "a barrier of the CTA or the cluster",
    "product": "matrix products",
    "stores": "bulk stores",
    "copies": "cp.async",
    "not_selected": "the scheduler, which issued other warps",
    "pipe": "its pipe, which was busy",
    "fetch": "fetching instructions, branching",
    "sleep": "sleeping or polling",
}


@dataclass(frozen=True)
class Launch:
    """The record of a launch: what `tmasim.triton.capture` makes and `tmasim.run` takes.

    Attributes:
        name: Of the kernel.
        fields: The keys of a launch file but ``ptx``, as ``docs/compiled-kernels.md`` has them.
        ptx: The text of the PTX.
        constants: The compile-time arguments and options that made this kernel.
    """

    name: str
    fields: Mapping[str, Any]
    ptx: str
    constants: Mapping[str, Any]

    def to_dict(self) -> Dict[str, Any]:
        """The launch file as a dict, whose ``ptx`` is the text of the PTX."""
        return {"name": self.name, "ptx": self.ptx, **self.fields}

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the launch file and its PTX into a folder, which is made; returns its path."""
        return _write(self.to_dict(), Path(folder))


@dataclass(frozen=True)
class LaunchReport:
    """What a launch did. The figures are those of ``tmasim run --format json``.

    Attributes:
        report: The whole report.
    """

    report: Mapping[str, Any]

    @property
    def completed(self) -> bool:
        """Whether all CTAs ended; ``report["end"]`` says how a launch ended otherwise."""
        return bool(self.report["end"] == "completed")

    @property
    def cycles(self) -> int:
        """From the first CTA to the last; a profiler counts the launch besides.

        Raises:
            KeyError: The launch ran without time, or did not complete.
        """
        return int(self.report["timing"]["cycles"])

    @property
    def findings(self) -> List[Mapping[str, Any]]:
        """Races, missing fences and other faults of the kernel, each with its place."""
        return list(self.report["findings"])

    def lines(self, by: str = "instruction") -> List[Dict[str, Any]]:
        """The lines by what they cost, the most first: rows for ``pandas.DataFrame``.

        Args:
            by: ``"instruction"``: a row for each instruction of the PTX; ``"source"``: one for each
                line of the source, of PTX that has ``.loc`` lines.

        Returns:
            Rows with ``line`` (``"file:line"`` of the source; of an instruction without one the
            line of the PTX), ``opcode`` (of instructions), ``cycles`` that warps were there,
            ``percent`` of all such cycles, ``reason`` for most of them, ``executions`` by warps,
            and where there are any ``wavefronts`` and ``sectors``.

        Raises:
            ValueError: ``by`` is something else.
        """
        if by not in ("instruction", "source"):
            raise ValueError(f"by is {by!r}; expected 'instruction' or 'source'")
        rows: Dict[Any, Dict[str, Any]] = {}
        waits: Dict[Any, Dict[str, int]] = {}
        for number, item in enumerate(self.report["lines"]):
            place = item["at"]
            where = f"{place['source']}:{place['source_line']}" if "source" in place else ""
            ptx = f"{Path(self.report['ptx']).name}:{place['line']}"
            key = (where or ptx) if by == "source" else number
            row = rows.setdefault(key, {"line": where or ptx, "cycles": 0, "executions": 0})
            if by == "instruction":
                row["ptx_line"] = place["line"]
                row["opcode"] = item["opcode"]
            for name in ("executions", "wavefronts", "sectors"):
                row[name] = row.get(name, 0) + item.get(name, 0)
            reasons = waits.setdefault(key, {})
            for reason, cycles in item.get("warp_cycles", {}).items():
                row["cycles"] += cycles
                reasons[reason] = reasons.get(reason, 0) + cycles
        total = sum(row["cycles"] for row in rows.values()) or 1
        for key, row in rows.items():
            row["percent"] = round(100 * row["cycles"] / total, 1)
            most = max(waits[key], key=lambda name: waits[key][name], default="")
            row["reason"] = REASONS.get(most, most)
        return sorted(rows.values(), key=lambda row: -cast(int, row["cycles"]))


def command_path() -> str:
    """The command: ``TMASIM_COMMAND``, else the one of the library's folder, else that of PATH.

    Raises:
        FileNotFoundError: There is none.
    """
    folder = configs().parent  # the source tree, or PREFIX/share/tmasim
    candidates = [os.environ.get("TMASIM_COMMAND"), folder / "build/tmasim"]
    candidates += [folder / "build/release/tmasim", folder.parent.parent / "bin/tmasim"]
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            return str(candidate)
    found = shutil.which("tmasim")
    if found is None:
        raise FileNotFoundError("no command tmasim; TMASIM_COMMAND can name it")
    return found


def run(
    record: Union[Launch, Mapping[str, Any], str, "os.PathLike[str]"],
    *,
    why: Optional[bool] = None,
    sample: bool = False,
    functional: bool = False,
    sanitize: Optional[int] = None,
) -> LaunchReport:
    """Runs a launch of a compiled kernel, as ``tmasim run LAUNCH.yaml`` does.

    Args:
        record: A launch file; a dict with its keys, whose ``ptx`` is a path or the text of the PTX;
            or what `tmasim.triton.capture` gives.
        why: Find out by experiment what limits the launch; default: of short ones.
        sample: Simulate a long launch in part.
        functional: Bytes, findings and counts alone, without time.
        sanitize: How many CTAs are checked for races; default: 2.

    Returns:
        The report, also of a kernel that hangs, faults or races: see `LaunchReport.completed` and
        `LaunchReport.findings`.

    Raises:
        ScenarioError: The launch cannot be read, or does not fit the kernel or the machine.
        RunError: The kernel cannot be executed: its data has to be given, or an instruction is not
            known.
    """
    options = ["--quiet", "--format", "json"]
    if why is not None:
        options.append("--why" if why else "--no-why")
    options += ["--sample"] * sample + ["--functional"] * functional
    if sanitize is not None:
        options += ["--sanitize", str(sanitize)]
    if isinstance(record, (str, os.PathLike)):
        return _run(os.fspath(record), options)
    fields = record.to_dict() if isinstance(record, Launch) else dict(record)
    if not isinstance(fields.get("ptx"), (str, os.PathLike)):
        fail(ScenarioError, "the record has no ptx; expected a path or the text of the PTX")
    with tempfile.TemporaryDirectory(prefix="tmasim-") as folder:
        return _run(str(_write(fields, Path(folder))), options)


def _write(fields: Mapping[str, Any], folder: Path) -> Path:
    """Writes a launch file, and its PTX where that is a text; other paths become absolute ones."""
    name = re.sub(r"\W", "_", str(fields.get("name") or fields.get("kernel") or "launch"))
    folder.mkdir(parents=True, exist_ok=True)
    ptx = os.fspath(fields["ptx"])
    if "\n" in ptx:
        (folder / "ptx").mkdir(exist_ok=True)
        (folder / "ptx" / f"{name}.ptx").write_text(ptx)
        ptx = f"{name}.ptx"
    else:
        ptx = str(Path(ptx).resolve())
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({**fields, "ptx": ptx}, indent=1) + "\n")
    return path


def _run(path: str, options: List[str]) -> LaunchReport:
    done = subprocess.run(
        [command_path(), "run", path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output = done.stdout.decode("utf-8", "backslashreplace")
    messages = done.stderr.decode("utf-8", "backslashreplace")
    if done.returncode in (0, 1, 3) and output.startswith("{"):
        return LaunchReport(json.loads(output))
    code = "the launch cannot be run"
    if output.startswith("{"):  # executed, up to what cannot be executed
        found = [item["text"] for item in json.loads(output)["findings"]]
        raise RunError([Diagnostic(text, code, path) for text in found + messages.splitlines()])
    raise ScenarioError(_diagnostics(messages, code) or [Diagnostic(f"{path}: no report", code)])


def _diagnostics(messages: str, code: str) -> List[Diagnostic]:
    """The errors that the command printed."""
    found = []
    for line in messages.splitlines():
        at = re.match(r"(?:tmasim: )?(?:(.+?):(\d+)(?::(\d+))?: )?(?:error: )?(.*)", line)
        if at is not None and line.strip():
            number, column = (int(part) if part else None for part in at.group(2, 3))
            found.append(Diagnostic(at.group(4), code, at.group(1), number, column))
    return found
