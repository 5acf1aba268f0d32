"""How far the car has let itself be enabled: the handshake's table, read from the other side.

The car goes one row further when the settings of the next row arrive. It falls back when those of
the first row do, when those of its own row have not for GRACE_S (messages have different cycles),
when frames stop, when a person takes over and when it has a fault.
What a row waits for is then true of the rows up to that one: the signals that carry neither a
measured value nor a fault are set so.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from vdsim_can.car import CarFile, Condition, HandshakeStep, SignalName
from vdsim_can.dbc.network import Signal

Raw = Callable[[SignalName], float | None]
GRACE_S = 0.1


class Enabling:
    """`level`: the row of the table that the car has reached."""

    def __init__(self, car: CarFile) -> None:
        self._steps = car.handshake
        measured = {row.signal for row in car.reports} | {row.signal for row in car.overrides}
        measured |= {row.signal for row in car.faults}
        self._ours: dict[SignalName, list[tuple[int, Condition]]] = {}
        for place, step in enumerate(self._steps):
            for condition in step.wait_for:
                if condition.signal not in measured:
                    self._ours.setdefault(condition.signal, []).append((place, condition))
        self._car = car
        self.level = 0
        self._kept_s = -math.inf

    @property
    def is_enabled(self) -> bool:
        """Whether commands act."""
        return self.level >= len(self._steps) - 1

    def update(self, raw: Raw, now: float, *, may: bool) -> None:
        """Use the frames that are known; `may`: nobody took over, nothing is broken."""
        steps = self._steps
        if not steps:
            return
        if not may or (steps[0].send and _arrived(steps[0], raw)):
            self.level = 0
        elif self.level + 1 < len(steps) and _arrived(steps[self.level + 1], raw):
            self.level, self._kept_s = self.level + 1, now
        elif self.level:
            if _arrived(steps[self.level], raw):
                self._kept_s = now
            elif now - self._kept_s > GRACE_S:
                self.level = 0

    def raws(self) -> dict[SignalName, float]:
        """Return the raw values of the signals that say how far it is."""
        found: dict[SignalName, float] = {}
        for name, conditions in self._ours.items():
            signal = self._car.signal(name)
            reached = [condition for place, condition in conditions if place <= self.level]
            if reached:
                found[name] = raw_where(signal, reached[-1], holds=True)
            else:
                found[name] = raw_where(signal, conditions[0][1], holds=False)
        return found


def _arrived(step: HandshakeStep, raw: Raw) -> bool:
    return all(raw(setting.signal) == setting.raw for setting in step.send)


def raw_where(signal: Signal, condition: Condition, *, holds: bool) -> int:
    """Return a raw value with which a condition holds, or does not: 0 or the nearest to its bound.

    ValueError: the signal has none.
    """
    middle: int = round((condition.value - signal.offset) / signal.scale)
    low, high = signal.raw_range()
    raws: tuple[int, ...] = (*(() if holds else (0,)), middle, middle + 1, middle - 1, low, high)
    for raw in raws:
        if low <= raw <= high and condition.holds(signal.physical(raw)) is holds:
            return raw
    word = "holds" if holds else "does not hold"
    raise ValueError(f"{signal.name}: no raw value with which {condition} {word}")
