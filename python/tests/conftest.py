"""What the tests share: the command that Python is compared with, and the repository's files."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
Command = Callable[..., str]


def find_command() -> str:
    """TMASIM_COMMAND, else the command of the source tree, else the installed one."""
    for candidate in (os.environ.get("TMASIM_COMMAND"), ROOT / "build" / "tmasim"):
        if candidate and Path(candidate).exists():
            return str(candidate)
    found = shutil.which("tmasim")
    assert found is not None, "no command tmasim: build it, or set TMASIM_COMMAND"
    return found


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs the command and gives its standard output, whatever its exit status is."""
    program = find_command()

    def run(*arguments: str, text: str = "") -> str:
        environment = {**os.environ, "TMASIM_QUIET": "yes"}
        done = subprocess.run(
            [program, *arguments], input=text, capture_output=True, text=True, env=environment
        )
        assert done.stdout, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def command_json(command: Command) -> Callable[..., Any]:
    """Runs the command and gives the JSON on its standard output."""

    def run(*arguments: str, text: str = "") -> Any:
        return json.loads(command(*arguments, text=text))

    return run


def records(name: str) -> Iterator[Dict[str, str]]:
    """The rows of a file of records of an H200."""
    with open(ROOT / "tests" / "hardware" / "h200" / name, newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def integers(cell: str) -> List[int]:
    """The integers of a cell."""
    return [int(part) for part in cell.split(",")]
