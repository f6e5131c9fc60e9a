"""Runs independent calls in worker processes."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from tmasim._library import meaning
from tmasim.errors import Diagnostic, Error, RunError

Call = Tuple[Callable[..., Any], Tuple[Any, ...]]


class WorkerDied(Exception):
    """A worker process ended in the middle of a call."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended the calls.

    Attributes:
        found: Of the calls that were done by then, by number: as of `run_all`.
    """

    def __init__(self, found: Dict[int, Tuple[Any, Any]]) -> None:
        super().__init__()
        self.found = found


class _Worker:
    """One process, started when it is needed."""

    def __init__(self) -> None:
        self.process: Optional["subprocess.Popen[bytes]"] = None
        self.killed = False

    def call(self, call: Call) -> Any:
        """The value of the call. Raises what the call raises, or `WorkerDied`."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tmasim._worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        if self.killed:
            process.kill()
        try:
            pickle.dump(call, process.stdin)
            process.stdin.flush()
            value, error = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            self.process = None
            _close(process)
            raise WorkerDied(f"its worker process ended: {_ending(process.wait())}") from None
        if error is not None:
            raise error
        return value

    def kill(self) -> None:
        """Ends the process now; the thread that waits for it finds that it died."""
        self.killed = True
        process = self.process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Lets the process end, which has no call."""
        process = self.process
        if process is not None:
            _close(process)
            process.wait()


def _close(process: "subprocess.Popen[bytes]") -> None:
    """Closes both pipes. What a process that died has not read is lost."""
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def default_jobs() -> int:
    """As many as this process may use cores."""
    return len(os.sched_getaffinity(0))


def run_all(calls: Sequence[Call], jobs: Optional[int] = None) -> List[Tuple[Any, Any]]:
    """Runs all calls in as many processes as ``jobs`` says; default: the cores.

    Returns:
        For each call, in their order, its value and None, or None and its exception.

    Raises:
        ValueError: ``jobs`` is less than 1.
        Interrupted: Ctrl-C came first.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs}; expected 1 or more")
    waiting: "queue.SimpleQueue[int]" = queue.SimpleQueue()
    for number in range(len(calls)):
        waiting.put(number)
    found: Dict[int, Tuple[Any, Any]] = {}
    workers = [_Worker() for _ in range(min(jobs or default_jobs(), len(calls)))]
    ended = threading.Event()
    # Python 3.11 takes a thread for ended whose join() was interrupted (bpo-45274), so each says it.
    done: "queue.SimpleQueue[_Worker]" = queue.SimpleQueue()

    def serve(worker: _Worker) -> None:
        try:
            while not ended.is_set():
                number = waiting.get_nowait()
                try:
                    found[number] = (worker.call(calls[number]), None)
                except WorkerDied as error:
                    if not ended.is_set():
                        found[number] = (None, error)
                except Exception as error:
                    found[number] = (None, error)
        except queue.Empty:
            pass
        finally:
            worker.close()
            done.put(worker)

    for worker in workers:
        threading.Thread(target=serve, args=(worker,), daemon=True).start()
    serving = set(workers)
    try:
        while serving:
            serving.remove(done.get())
    except BaseException as error:
        ended.set()
        for worker in serving:
            worker.kill()
        while serving:
            serving.discard(done.get())
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(found) from None
        raise
    return [found[number] for number in range(len(calls))]


def as_error(error: Any) -> Optional[Error]:
    """The exception of a call as one of this package. Raises what the package does not know."""
    if error is None or isinstance(error, Error):
        return error
    if isinstance(error, WorkerDied):
        return RunError([Diagnostic(str(error), meaning(11))])
    raise error
