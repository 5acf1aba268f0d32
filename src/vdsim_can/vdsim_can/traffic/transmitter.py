"""When each message of ours is due, with its counter and its checksum.

A message is sent in the period that is nearest to its place in the cycle. One that was not sent for
longer than a cycle goes on from now: no burst makes up for the past. Nothing is sent by itself:
every frame carries values that were computed in its own period.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from vdsim_can.car import CarFile, MessageRow
from vdsim_can.frame import Frame
from vdsim_can.integrity import count_after
from vdsim_can.traffic.wire_message import WireMessage

Raws = Mapping[str, float]


class Sending:
    """One message of ours: its next time, and the counter of its next frame."""

    __slots__ = ("count", "cycle_s", "due_s", "phase_s", "wire")

    def __init__(self, wire: WireMessage) -> None:
        row = wire.row
        self.wire = wire
        self.cycle_s, self.phase_s = 1e-3 * row.cycle_ms, 1e-3 * row.phase_ms
        self.due_s = math.nan
        self.begin()

    def begin(self) -> None:
        """Count from the beginning, as after a start."""
        rule = self.wire.row.counter
        self.count = 0 if rule is None else rule.start

    def is_due(self, now: float, early_s: float) -> bool:
        """Whether it is to be sent in this period; the next time follows."""
        due_s = self.due_s
        # The first time, or time jumped back.
        if not due_s - now <= 1.5 * self.cycle_s + self.phase_s:
            due_s = self.due_s = now + self.phase_s
        if now + early_s < due_s:
            return False
        due_s += self.cycle_s
        self.due_s = due_s if now < due_s else now + self.cycle_s
        return True

    def frame(self, raws: Raws) -> Frame:
        """Return the next frame; it counts once `on_sent` says that it has left."""
        return self.wire.frame(raws, self.count)

    def on_sent(self) -> None:
        """Count on: the frame is on the bus."""
        rule = self.wire.row.counter
        if rule is not None:
            self.count = count_after(rule, self.count)


class Transmitter:
    """The messages of `rows`, sent by whoever has a tick every `period_s`."""

    def __init__(self, car: CarFile, rows: Mapping[str, MessageRow], period_s: float) -> None:
        self.messages = {name: Sending(WireMessage(car, row)) for name, row in rows.items()}
        self._early_s = 0.5 * period_s

    def due(self, now: float) -> list[Sending]:
        """Return the messages to send in this period."""
        early_s = self._early_s
        return [each for each in self.messages.values() if each.is_due(now, early_s)]

    def send(self, now: float, raws: Callable[[str], Raws | None]) -> list[tuple[str, Frame]]:
        """Return the frames of this period with their buses; None: that message is left out."""
        frames = []
        for sending in self.due(now):
            values = raws(sending.wire.name)
            if values is not None:
                frames.append((sending.wire.row.bus, sending.frame(values)))
                sending.on_sent()
        return frames

    def restart(self) -> None:
        """Begin the cycles with the next period."""
        for sending in self.messages.values():
            sending.due_s = math.nan
