"""Counters of messages: what a sender counts, and what a receiver accepts."""

from __future__ import annotations

from vdsim_can.integrity.rules import Counter


def count_after(counter: Counter, value: int) -> int:
    """Return the value that follows another one."""
    size = counter.last - counter.first + 1
    return (value - counter.first + counter.step) % size + counter.first


def source_after(counter: Counter, value: str) -> str:
    """Return `count_after` as the expression of a generated function; `value`: its variable."""
    size = counter.last - counter.first + 1
    return f"({value} + {counter.step - counter.first}) % {size} + {counter.first}"


def value_at(counter: Counter, frame_n: int) -> int:
    """Return the value of a sender's frame, of which the first is number 0."""
    size = counter.last - counter.first + 1
    return (counter.start - counter.first + frame_n * counter.step) % size + counter.first


class CounterCheck:
    """Judges the counter of each received frame.

    Only an accepted frame moves the baseline: whoever replays old frames cannot make the next ones
    of the true sender look wrong, or the replayed ones right. A sender that starts again is
    accepted when its counter reaches the expected value, or at once after `forget`. `accepted`: the
    baseline, None before the first frame; `expected`: what follows it.
    """

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self.accepted: int | None = None
        self.expected: int | None = None

    def forget(self) -> None:
        """Accept any value next: the message has been stale."""
        self.accepted = self.expected = None

    def reject(self, value: int) -> str:
        """Return why a value is wrong; empty where it is accepted, which makes it the baseline."""
        counter = self._counter
        if not counter.first <= value <= counter.last:
            return f"counter {value}, not of {counter.first} to {counter.last}"
        if self.accepted is None:
            self._accept(value)
            return ""
        if value == self.accepted:
            return f"counter stands at {value}"
        expected = self.accepted
        for _ in range(counter.max_step):
            expected = count_after(counter, expected)
            if value == expected:
                self._accept(value)
                return ""
        return f"counter {value} after {self.accepted}"

    def _accept(self, value: int) -> None:
        self.accepted, self.expected = value, count_after(self._counter, value)
