"""Signal temporal logic over sampled signals: how far a requirement is from being broken.

    formula = always(0.0, 1.0, at_most("throttle", 0.0))
    margin = formula.robustness(signals, period_s)[0]

A formula yields one margin a sample: positive where it holds, negative where it is broken, in the
units of its signals. Times are seconds from the sample at which the formula is evaluated. A window
that reaches beyond the record is cut there; over nothing `always` holds (+inf) and `eventually`
does not (-inf). The meaning is the usual quantitative one: `until` demands its left side before,
not at, the sample at which its right side holds.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Signals = Mapping[str, Sequence[float]]
Margins = list[float]
_HALF_A_SAMPLE = 0.5


class Formula:
    """A requirement on signals."""

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        raise NotImplementedError

    def holds(self, signals: Signals, period_s: float) -> bool:
        """Return whether it holds at the first sample."""
        return self.margin(signals, period_s) >= 0.0

    def margin(self, signals: Signals, period_s: float) -> float:
        """Return the margin at the first sample."""
        return self.robustness(signals, period_s)[0]


@dataclass(frozen=True)
class Linear(Formula):
    """`scale * signal + offset >= 0`. A sample that is no number breaks it."""

    signal: str
    scale: float
    offset: float

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        values = [self.scale * value + self.offset for value in signals[self.signal]]
        return [-math.inf if math.isnan(value) else value for value in values]


def at_most(signal: str, bound: float) -> Formula:
    """`signal <= bound`."""
    return Linear(signal, -1.0, bound)


def at_least(signal: str, bound: float) -> Formula:
    """`signal >= bound`."""
    return Linear(signal, 1.0, -bound)


@dataclass(frozen=True)
class Not(Formula):
    """The opposite."""

    part: Formula

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        return [-margin for margin in self.part.robustness(signals, period_s)]


@dataclass(frozen=True)
class All(Formula):
    """Every part at once."""

    parts: tuple[Formula, ...]

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        margins = [part.robustness(signals, period_s) for part in self.parts]
        return [min(each) for each in zip(*margins, strict=True)]


@dataclass(frozen=True)
class Some(Formula):
    """One part at least."""

    parts: tuple[Formula, ...]

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        margins = [part.robustness(signals, period_s) for part in self.parts]
        return [max(each) for each in zip(*margins, strict=True)]


@dataclass(frozen=True)
class Window(Formula):
    """The least or the largest margin of a part between two times from now."""

    from_s: float
    to_s: float
    part: Formula
    is_least: bool

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        margins = self.part.robustness(signals, period_s)
        first, last = _samples(self.from_s, period_s), _samples(self.to_s, period_s)
        sign = 1.0 if self.is_least else -1.0
        return [sign * m for m in _sliding_least([sign * m for m in margins], first, last)]


def always(from_s: float, to_s: float, part: Formula) -> Formula:
    """At every sample between two times from now."""
    return Window(from_s, to_s, part, is_least=True)


def eventually(from_s: float, to_s: float, part: Formula) -> Formula:
    """At one sample at least between two times from now."""
    return Window(from_s, to_s, part, is_least=False)


@dataclass(frozen=True)
class Until(Formula):
    """The right part holds between two times from now, and the left part at each sample before."""

    from_s: float
    to_s: float
    left: Formula
    right: Formula

    def robustness(self, signals: Signals, period_s: float) -> Margins:
        """Return the margin at each sample."""
        left = self.left.robustness(signals, period_s)
        right = self.right.robustness(signals, period_s)
        first, last = _samples(self.from_s, period_s), _samples(self.to_s, period_s)
        return [_until(left, right, now, now + first, now + last) for now in range(len(left))]


def _until(left: Margins, right: Margins, now: int, first: int, last: int) -> float:
    best, so_far = -math.inf, math.inf
    for n in range(now, min(last, len(left) - 1) + 1):
        if n >= first:
            best = max(best, min(so_far, right[n]))
        so_far = min(so_far, left[n])
    return best


def implies(condition: Formula, part: Formula) -> Formula:
    """Where the condition holds, the part does."""
    return Some((Not(condition), part))


def _samples(time_s: float, period_s: float) -> int:
    return int(time_s / period_s + _HALF_A_SAMPLE)


def _sliding_least(margins: Margins, first: int, last: int) -> Margins:
    """For each sample n the least of samples n+first to n+last; inf where there is none."""
    size = len(margins)
    found = [math.inf] * size
    kept: deque[int] = deque()  # rising margins; the first is the least of the window
    entered = size
    for now in range(size - 1, -1, -1):
        # Going back, each step adds one sample in front of the window and drops one at its end.
        begin, end = now + first, now + last
        while entered > begin:
            entered -= 1
            while kept and margins[kept[0]] >= margins[entered]:
                kept.popleft()
            kept.appendleft(entered)
        while kept and kept[-1] > end:
            kept.pop()
        if kept:
            found[now] = margins[kept[-1]]
    return found


def sampled(
    times_s: Sequence[float], values: Sequence[float], begin_s: float, count: int, period_s: float
) -> list[float]:
    """Sample a signal that holds its value until the next; NaN before the first."""
    found: list[float] = []
    place, latest = 0, math.nan
    for n in range(count):
        now = begin_s + n * period_s
        while place < len(times_s) and times_s[place] <= now:
            latest = values[place]
            place += 1
        found.append(latest)
    return found
