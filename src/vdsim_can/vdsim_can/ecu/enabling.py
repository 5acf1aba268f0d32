"""How far the car has let itself be enabled: the handshake's table, read from the other side.

The car goes one row further when the settings of the next row arrive. It falls back when those of
the first row do, when those of its own row have not for GRACE_S (messages have different cycles),
when frames stop, when a person takes over and when it has a fault.
What a row waits for is then true of the rows up to that one: the signals that carry no measured
value are set so, unless a fault is on order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from vdsim_can.car import CarFile, Condition, SignalName
from vdsim_can.dbc.network import Signal
from vdsim_can.fields.handshake_settings import settings_of

Raw = Callable[[SignalName], float | None]
GRACE_S = 0.1


class Enabling:
    """`level`: the row of the table that the car has reached."""

    def __init__(self, car: CarFile) -> None:
        steps = self._steps = car.handshake
        self._settings = [settings_of(steps, index) for index in range(len(steps))]
        measured = {row.signal for row in car.reports} | {row.signal for row in car.overrides}
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
        if not may or (steps[0].send and self._arrived(0, raw)):
            self.level = 0
        elif self.level + 1 < len(steps) and self._arrived(self.level + 1, raw):
            self.level, self._kept_s = self.level + 1, now
        elif self.level:
            if self._arrived(self.level, raw):
                self._kept_s = now
            elif now - self._kept_s > GRACE_S:
                self.level = 0

    def _arrived(self, index: int, raw: Raw) -> bool:
        return all(raw(name) == value for name, value in self._settings[index].items())

    def raws(self) -> dict[SignalName, float]:
        """Return the raw values of the signals that say how far it is."""
        found: dict[SignalName, float] = {}
        for name, conditions in self._ours.items():
            signal = self._car.signal(name)
            reached = [condition for place, condition in conditions if place <= self.level]
            ahead = [condition for place, condition in conditions if place > self.level]
            found[name] = raw_where(signal, reached[-1:], ahead)
        return found


def raw_where(signal: Signal, holds: list[Condition], not_yet: list[Condition]) -> float:
    """Return a raw value with which a condition holds and those of later rows do not.

    Where no value does both, the first one counts. ValueError: no value does.
    """
    bounds = [condition.value for condition in (*holds, *not_yet)]
    nearest = [round((value - signal.offset) / signal.scale) for value in bounds]
    low, high = signal.raw_range()
    near = {raw + step for raw in nearest for step in (-1, 0, 1)}
    raws = [raw for raw in (0, *nearest, *sorted(near), low, high) if low <= raw <= high]
    fit = [raw for raw in raws if all(each.holds(signal.physical(raw)) for each in holds)]
    for raw in fit:
        if not any(each.holds(signal.physical(raw)) for each in not_yet if each not in holds):
            return raw
    if not fit:
        raise ValueError(f"{signal.name}: no raw value with which {holds} holds")
    return fit[0]
