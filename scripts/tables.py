"""Tables of Markdown, between marks in documents. Used by the scripts that write them."""

import sys


def table_row(cells):
    return "| " + " | ".join(cells) + " |"


def put_table(path, name, script, lines):
    """Writes the lines between the marks of that name and script in the document."""
    document = path.read_text(encoding="utf-8")
    begin, end = f"<!-- begin {name}: scripts/{script} -->", f"<!-- end {name} -->"
    if document.count(begin) != 1 or document.count(end) != 1:
        sys.exit(f"{script}: {path} must have {begin} and {end}, once each")
    before, rest = document.split(begin)
    after = rest.split(end)[1]
    text_of_table = "\n".join(lines)
    path.write_text(f"{before}{begin}\n{text_of_table}\n{end}{after}", encoding="utf-8")
