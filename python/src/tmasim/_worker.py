"""A worker process: calls functions that it reads from its input, one after the other.

`tmasim._workers` starts it. A process of its own, and no fork: the engine keeps the thread of its
first run, and programs need no guard around their main part.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Any, BinaryIO, Optional, Tuple


def main() -> None:
    """Reads pairs of a function and its arguments, and writes pairs of a value and an exception."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    requests: BinaryIO = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else writes among the answers
    while True:
        try:
            function, arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer: Tuple[Any, Optional[Exception]] = (function(*arguments), None)
        except Exception as error:  # the caller raises it, or makes it a row's error
            answer = (None, error)
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
