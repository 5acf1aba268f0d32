"""The whole drive of the conformance kit against a double, on virtual time."""

from __future__ import annotations

import math
from typing import Protocol

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.conductor import Call, Conductor, Join, Options, Provoke, Publish
from vdsim_autoware.conformance.record import Alarm, Arrival, Endpoint, Record
from vdsim_autoware.conformance.requirements import judge
from vdsim_autoware.conformance.scenes import whole_drive
from vdsim_autoware.conformance.verdict import Judged

from vdsim_autoware_kit.conformance_double import Double, Line, Status

TICK_S = 0.05
BEGIN_S = 1000.0
LONGEST_S = 2000.0
ALL_CAUSES = Options(causes=frozenset(names.CAUSES))


class Driven(Protocol):
    """What the kit drives: the double, or a vehicle in its place."""

    provoked: set[str]

    def endpoints(self) -> tuple[Endpoint, ...]:
        """What DDS announces."""

    def latched(self, topic: str) -> Status | None:
        """What a late subscriber receives at once."""

    def receive(self, topic: str, values: tuple[float, ...], stamp_s: float) -> None:
        """Take a command."""

    def request(self, mode: int) -> bool | None:
        """Answer a request of a control mode; None: no answer."""

    def step(self, now: float) -> tuple[list[Status], list[Line]]:
        """Go on to `now`; return what to publish."""


class VirtualRun:
    """Conductor and double, tick by tick. `vehicle`: what takes the place of the double."""

    def __init__(
        self,
        *faults: str,
        options: Options = ALL_CAUSES,
        vehicle: Driven | None = None,
        tick_s: float = TICK_S,
    ) -> None:
        self.record = Record()
        self.double = Double(frozenset(faults))
        self.driven: Driven = self.double if vehicle is None else vehicle
        self.tick_s = tick_s
        self.options = options
        self.conductor = Conductor(self.record, options, whole_drive)
        self.now = BEGIN_S

    def run(self) -> tuple[Judged, ...]:
        """Drive and judge."""
        self.record.endpoints = self.driven.endpoints()
        while not self.conductor.is_done:
            assert self.now - BEGIN_S < LONGEST_S, "the drive has no end"
            self.tick()
        return judge(self.record, self.options)

    def tick(self) -> None:
        """Go on by one tick."""
        self.now += self.tick_s
        self.play(*self.driven.step(self.now))

    def play(self, statuses: list[Status], lines: list[Line]) -> None:
        """Let the kit receive what the car has published, and act."""
        for status in statuses:
            self.record.arrived(self._arrival(status))
        for line in lines:
            self.record.alarmed(Alarm(self.now, line.name, line.level, line.text))
        for action in self.conductor.step(self.now):
            self._do(action)

    def _arrival(self, status: Status) -> Arrival:
        age_s = self.now - status.stamp_s if status.stamp_s else math.nan
        return Arrival(self.now, status.topic, status.values, status.stamp_s, age_s)

    def _do(self, action: Publish | Call | Join | Provoke) -> None:
        if isinstance(action, Publish):
            stamp_s = self.now + action.stamp_offset_s
            self.driven.receive(action.topic, action.values, stamp_s)
        elif isinstance(action, Call):
            answer = self.driven.request(action.mode)
            if answer is not None:
                self.conductor.answered(action.name, action.mode, answer)
        elif isinstance(action, Join):
            self.conductor.joined(action.topic, self.driven.latched(action.topic) is not None)
        else:
            change = self.driven.provoked.add if action.begins else self.driven.provoked.discard
            change(action.cause)
            self.conductor.provoked(action.cause, 0)
