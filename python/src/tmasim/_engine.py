"""The thread that simulates.

The engine keeps the thread of its first run for all others, and runs one simulation at a time. So
one thread of the process runs them all, and the caller's thread waits, where Ctrl-C reaches it.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Optional

from tmasim._library import fail
from tmasim._native import lib
from tmasim.errors import RunError

#: How long a run that was interrupted may take to end, in seconds. Runs look at the request every
#: few milliseconds; experiments end by themselves, behind the caller's back.
PATIENCE_S = 1.0

_executor: Optional[ThreadPoolExecutor] = None
_forked = False


def _note_fork() -> None:
    global _executor, _forked
    _forked = _forked or _executor is not None
    _executor = None


os.register_at_fork(after_in_child=_note_fork)


def simulate(scenario: Any, options: Any, outcome: Any) -> None:
    """Runs py_run of native.c in the engine's thread, and waits for it."""
    global _executor
    if _forked:
        fail(
            RunError,
            "this process was forked from one that has simulated, and cannot simulate itself; "
            "use tmasim.sweep, or start processes with the method spawn",
        )
    if _executor is None:
        _executor = ThreadPoolExecutor(1, thread_name_prefix="tmasim")
    run = _executor.submit(lib.py_run, scenario, options, outcome)
    try:
        run.result()
    except BaseException:
        _end(run)
        raise


def _end(run: "Future[None]") -> None:
    """Ends the run. It may not have begun to look at the request, so that one is not enough."""
    attempts = 20
    for _ in range(attempts):
        if run.cancel() or run.done():
            return
        lib.py_interrupt()
        wait([run], PATIENCE_S / attempts)
