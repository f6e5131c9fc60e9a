"""Tables of Markdown, between marks in documents. Used by the scripts that write them."""

import subprocess
import sys

import replay


def table_row(cells):
    return "| " + " | ".join(cells) + " |"


def taken_at(commit=None):
    """Says of which commit the figures are that take too long to be compared in CI; by default, of the one that is
    checked out."""
    if commit is None:
        done = subprocess.run(["git", "-C", replay.ROOT, "rev-parse", "--short=8", "HEAD"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        commit = done.stdout.strip()
    return f"Taken at commit {commit}." if commit else "Taken outside a repository."


def put_table(path, name, script, lines, check=False):
    """Writes the lines between the marks of that name and script in the document; with `check`, ends the program
    where they are others than those that stand there."""
    document = path.read_text(encoding="utf-8")
    begin, end = f"<!-- begin {name}: scripts/{script} -->", f"<!-- end {name} -->"
    if document.count(begin) != 1 or document.count(end) != 1:
        sys.exit(f"{script}: {path} must have {begin} and {end}, once each")
    before, rest = document.split(begin)
    after = rest.split(end)[1]
    text_of_table = "\n".join(lines)
    text = f"{before}{begin}\n{text_of_table}\n{end}{after}"
    if check and text != document:
        sys.exit(f"{script}: the table {name} of {path} is not what the records give now:\n{text_of_table}")
    if not check:
        path.write_text(text, encoding="utf-8")
