"""A dead time: returns what was put in one delay ago."""

from __future__ import annotations

from collections import deque

# Times are sums of ticks: two that are meant to be equal differ by rounding.
SAME_TIME_S = 1e-9


class DelayLine:
    """Holds values until `delay_s` has passed; before that, what it was filled with."""

    def __init__(self, delay_s: float, value: float = 0.0) -> None:
        self._delay_s = delay_s
        self._waiting: deque[tuple[float, float]] = deque()
        self._value = value

    def fill(self, value: float) -> None:
        """Forget what is waiting; hold `value` from now on."""
        self._waiting.clear()
        self._value = value

    def pass_through(self, value: float, now: float) -> float:
        """Put in the value of time `now` [s]; return the one of `delay_s` earlier."""
        self._waiting.append((now, value))
        while self._waiting and self._waiting[0][0] <= now - self._delay_s + SAME_TIME_S:
            self._value = self._waiting.popleft()[1]
        return self._value

    def state(self) -> tuple[float, list[tuple[float, float]]]:
        """Return the value held, and (time, value) of what waits."""
        return self._value, list(self._waiting)

    def numbers(self) -> list[float]:
        """Return the whole state as numbers: the value held, the count waiting, the waiting."""
        waiting = [number for entry in self._waiting for number in entry]
        return [self._value, float(len(self._waiting)), *waiting]

    def take(self, numbers: deque[float]) -> None:
        """Take up a state from the front of `numbers`."""
        self._value = numbers.popleft()
        count = int(numbers.popleft())
        self._waiting = deque((numbers.popleft(), numbers.popleft()) for _ in range(count))
