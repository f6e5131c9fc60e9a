"""Lines of machine files. Used by the scripts that write them."""

import re
import textwrap


def commented(text, why):
    """A line, with the origin of its value in a column of its own."""
    return f"{text:28}  # {why}"


def numbers(key, values):
    """The lines of a key with a list of numbers."""
    return textwrap.fill(f"  {key}: {values}", 96, subsequent_indent=" " * (len(key) + 5))


def put(text, key, lines):
    """Returns the text with these lines in place of the key's: its list alone, else all of its line."""
    text, count = re.subn(rf"^  {key}: (\[[^\]]*\]|.*$)", lambda _: lines, text, flags=re.MULTILINE)
    assert count == 1, key
    return text
