"""Executes the notebooks of examples/, and compares or writes their outputs.

usage: python notebooks.py --accept    writes the outputs anew
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any, List

import nbformat
from ipykernel.kernelspec import install
from nbconvert.preprocessors import ExecutePreprocessor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNEL = "tmasim-examples"


def notebooks() -> List[Path]:
    """The notebooks."""
    return sorted(EXAMPLES.glob("*.ipynb"))


def execute(path: Path) -> Any:
    """The notebook with the outputs of this interpreter and package."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        install(kernel_name=KERNEL, prefix=folder)  # of this interpreter, not of the system's
        before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = str(Path(folder) / "share" / "jupyter")
        try:
            processor = ExecutePreprocessor(timeout=300, kernel_name=KERNEL)
            processor.preprocess(notebook, {"metadata": {"path": str(EXAMPLES)}})
        finally:
            if before is None:
                del os.environ["JUPYTER_PATH"]
            else:
                os.environ["JUPYTER_PATH"] = before
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        merge_streams(cell)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return notebook


def merge_streams(cell: Any) -> None:
    """Makes one output of the pieces in which a cell's printed text arrived."""
    merged: List[Any] = []
    for output in cell.get("outputs", []):
        if merged and output.get("name") and merged[-1].get("name") == output["name"]:
            merged[-1]["text"] += output["text"]
        else:
            merged.append(output)
    if "outputs" in cell:
        cell["outputs"] = merged


def outputs(notebook: Any) -> List[Any]:
    """What each cell shows, as text: the HTML of tables differs between versions of pandas. Of cells
    with the tag `timing`, whose figures change with the model, the kinds of outputs alone: goldens
    elsewhere have such figures."""
    shown: List[Any] = []
    for cell in notebook.cells:
        timed = "timing" in cell.metadata.get("tags", [])
        for output in cell.get("outputs", []):
            plain = output.get("data", {}).get("text/plain")
            text = output.get("text") or plain or dict(output)
            shown.append(output["output_type"] if timed else text)
    return shown


def main() -> None:
    """Writes the outputs of all notebooks."""
    if sys.argv[1:] != ["--accept"]:
        sys.exit(__doc__)
    for path in notebooks():
        nbformat.write(execute(path), path)


if __name__ == "__main__":
    main()
