"""Runs the examples of docs/python.md, and writes what they print.

usage: python page.py --accept    writes what the examples print anew
"""

from __future__ import annotations

import doctest
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"


class Printed(doctest.DocTestRunner):
    """Keeps what the examples print that differs from the page, by the example's line."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.by_line: Dict[int, str] = {}

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self.by_line[example.lineno] = got


def accepted(text: str) -> str:
    """The page with what its examples print now. An example that raises what it should not ends
    this with an error."""
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    printed = Printed()
    printed.run(test, out=sys.stderr.write)
    lines: List[str] = text.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno not in printed.by_line:
            continue
        first = example.lineno + example.source.count("\n")
        lines[first : first + example.want.count("\n")] = [printed.by_line[example.lineno]]
    if printed.failures != len(printed.by_line):
        sys.exit(f"{PAGE}: an example raises an exception")
    return "".join(lines)


def main() -> None:
    """Writes the page."""
    if sys.argv[1:] != ["--accept"]:
        sys.exit(__doc__)
    os.chdir(ROOT)
    PAGE.write_text(accepted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
