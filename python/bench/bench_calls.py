"""What a call of check() and encode() takes, and how much of that Python adds to C.

C's time is measured in the extension itself, by a loop over the same map. Prints a row for each
call; exits with 1 if Python adds more than the bound of docs/python.md.
"""

from __future__ import annotations

import sys
import timeit

import tmasim
from tmasim._native import lib

BOUND_US = 5.0
CALLS = 50_000
REPEATS = 7

MAPS = {
    "tiled, rank 2": tmasim.TensorMap(
        data_type="float16", global_dim=[4096, 4096], box_dim=[64, 128], swizzle="128b"
    ),
    "tiled, rank 5": tmasim.TensorMap(
        data_type="float32", global_dim=[64, 32, 16, 8, 4], box_dim=[32, 4, 2, 2, 1]
    ),
    "im2col": tmasim.TensorMap(
        kind="im2col",
        data_type="float16",
        global_dim=[64, 16, 16, 8],
        lower_corner=[-1, -1],
        upper_corner=[-1, -1],
        channels_per_pixel=32,
        pixels_per_column=64,
    ),
}


def python_us(call: object) -> float:
    """Microseconds of a call from Python: the best of several loops."""
    timer = timeit.Timer(call)  # type: ignore[arg-type]
    return min(timer.repeat(REPEATS, CALLS)) / CALLS * 1e6


def c_us(native: object, encodes: bool) -> float:
    """Microseconds of the same in C."""
    nanoseconds = min(lib.py_time_calls(native, encodes, CALLS) for _ in range(REPEATS))
    return nanoseconds / CALLS / 1e3


def main() -> int:
    """Measures all calls."""
    worst = 0.0
    print(f"{'map':<14} {'call':<8} {'Python us':>10} {'C us':>8} {'added us':>9}")
    for name, made in MAPS.items():
        for call, encodes in ((made.check, False), (made.encode, True)):
            python, c = python_us(call), c_us(made._map, encodes)
            worst = max(worst, python - c)
            print(f"{name:<14} {call.__name__:<8} {python:>10.2f} {c:>8.2f} {python - c:>9.2f}")
    print(f"most added: {worst:.2f} us; bound: {BOUND_US:.0f} us")
    return 0 if worst <= BOUND_US else 1


if __name__ == "__main__":
    sys.exit(main())
