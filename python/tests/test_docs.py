"""The examples of docs/python.md, and the type hints."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

from conftest import ROOT
from page import PAGE


def test_the_page_shows_what_python_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failures, examples = doctest.testfile(str(PAGE), module_relative=False)
    assert failures == 0
    assert examples > 20


def test_the_hints_are_right() -> None:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir=/dev/null"],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
