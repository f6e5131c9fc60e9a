"""Recognises series of numbers: what a loop carries from one iteration to the next.

Loops that Triton flattens count their inner iterations round (0, 1, ..., 63, 0, 1, ...), and take a
step to the next tile each time that count begins anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Union

from tmasim import _expressions as ex
from tmasim._expressions import Value

#: A series is recognised once it has gone round so often.
ROUNDS = 3


@dataclass(frozen=True)
class Cycle:
    """(first + step * n) % modulus."""

    first: int
    step: int
    modulus: int

    def at(self, n: Value) -> Value:
        """The value in iteration n."""
        return ex.remainder(ex.add(ex.multiply(n, self.step), self.first), self.modulus)

    def number(self, n: int) -> int:
        """The same as a number."""
        return (self.first + self.step * n) % self.modulus


@dataclass(frozen=True)
class Staircase:
    """height * ((n + shift) / period), rounded down: 0 at first."""

    height: int
    shift: int
    period: int

    def at(self, n: Value) -> Value:
        """The value in iteration n."""
        return ex.multiply(ex.divide(ex.add(n, self.shift), self.period), self.height)

    def number(self, n: int) -> int:
        """The same as a number."""
        return self.height * ((n + self.shift) // self.period)


Series = Union[Cycle, Staircase]


def _holds(form: Series, series: Sequence[int]) -> bool:
    return all(form.number(n) == value for n, value in enumerate(series))


def cycle(series: Sequence[int]) -> Optional[Cycle]:
    """The cycle that a series is, if it has gone round `ROUNDS` times."""
    drops = [n for n in range(1, len(series)) if series[n] < series[n - 1]]
    if len(drops) < ROUNDS:
        return None
    step = series[1] - series[0] if drops[0] > 1 else series[drops[0] + 1] - series[drops[0]]
    last = drops[0]
    form = Cycle(series[0], step, series[last - 1] + step - series[last])
    return form if step > 0 and form.modulus > 0 and _holds(form, series) else None


def staircase(series: Sequence[int]) -> Optional[Staircase]:
    """The staircase that a series is, if it has `ROUNDS` steps."""
    rises = [n for n in range(1, len(series)) if series[n] != series[n - 1]]
    if len(rises) < ROUNDS:
        return None
    period = rises[1] - rises[0]
    form = Staircase(series[rises[0]] - series[0], period - rises[0], period)
    return form if rises[0] <= period and _holds(form, series) else None
