"""The dead times of many cars: each car's is a `DelayLine`, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.rows import Cars
from vdsim_plant.delay_line import SAME_TIME_S

Array = NDArray[np.float64]


class DelayLines:
    """One for each car. What waits is kept in rings, one column a car."""

    def __init__(self, delay_s: Array) -> None:
        self.delay_s = delay_s
        n = len(delay_s)
        self._cars = np.arange(n)
        self._held: Array = np.zeros(n)
        self._first = np.zeros(n, dtype=np.int64)  # entries taken out, and put in, since the fill
        self._behind = np.zeros(n, dtype=np.int64)
        self._times = np.zeros((0, n))
        self._values = np.zeros((0, n))

    def fill(self, cars: Cars, values: Array | float) -> None:
        """Empty the lines of these cars; they hold these values from now on."""
        self._held[cars] = values
        self._first[cars] = 0
        self._behind[cars] = 0

    def pass_through(self, values: Array, now: Array) -> Array:
        """Put in values at times `now` [s]; return those of a delay earlier."""
        if not self.delay_s.any() and not len(self._times):
            self._held = values.copy()
            return values
        if not len(self._times) or (self._behind - self._first).max() >= len(self._times):
            self._make_room()
        slots = self._behind % len(self._times)
        self._times[slots, self._cars] = now
        self._values[slots, self._cars] = values
        self._behind += 1
        due = now - self.delay_s + SAME_TIME_S
        while True:
            slots = self._first % len(self._times)
            waits = self._first < self._behind
            ready = waits & (self._times[slots, self._cars] <= due)
            if not ready.any():
                held: Array = self._held.copy()
                return held
            self._held = np.where(ready, self._values[slots, self._cars], self._held)
            self._first += ready

    def begin(self, cars: Cars, values: Array, now: Array) -> None:
        """Fill the lines of these cars with values, and put them in at times `now` [s]."""
        self.fill(cars, values)
        late = self.delay_s[cars] > SAME_TIME_S
        if late.any():
            if not len(self._times):
                self._make_room()
            self._times[0, cars[late]] = now[late]
            self._values[0, cars[late]] = values[late]
            self._behind[cars[late]] = 1

    def take(self, cars: Cars, held: float, waiting: list[tuple[float, float]]) -> None:
        """Take up the state of one line for these cars: (time, value) of what waits in it."""
        self.fill(cars, held)
        while len(waiting) > len(self._times):
            self._make_room()
        for slot, (time, value) in enumerate(waiting):
            self._times[slot, cars] = time
            self._values[slot, cars] = value
        self._behind[cars] = len(waiting)

    def arrays(self) -> list[NDArray[Any]]:
        """Return the whole state."""
        return [self._held, self._first, self._behind, self._times, self._values]

    def restore(self, arrays: list[NDArray[Any]]) -> None:
        """Take up the state that `arrays` returned."""
        self._held, self._first, self._behind, self._times, self._values = arrays

    def _make_room(self) -> None:
        """Double the rings; what waits moves to their beginning."""
        old = len(self._times)
        rows = (self._first + np.arange(old)[:, np.newaxis]) % max(old, 1)
        room = np.zeros((max(4, old), len(self._held)))
        self._times = np.concatenate([self._times[rows, self._cars], room])
        self._values = np.concatenate([self._values[rows, self._cars], room])
        self._behind -= self._first
        self._first = np.zeros_like(self._first)
