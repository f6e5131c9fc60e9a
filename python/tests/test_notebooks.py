"""The notebooks of examples/ show what they print today."""

from __future__ import annotations

import nbformat
import pytest

from notebooks import execute, notebooks, outputs


def test_there_are_notebooks() -> None:
    assert [path.name for path in notebooks()] == ["compiled.ipynb", "notebook.ipynb"]


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_prints(path: object) -> None:
    shown = outputs(nbformat.read(path, as_version=4))
    assert len(shown) >= 5
    assert shown == outputs(execute(path))
