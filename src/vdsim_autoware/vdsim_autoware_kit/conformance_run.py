"""The whole drive of the conformance kit against a double, on virtual time."""

from __future__ import annotations

import math

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.conductor import Call, Conductor, Join, Options, Provoke, Publish
from vdsim_autoware.conformance.record import Alarm, Arrival, Record
from vdsim_autoware.conformance.requirements import judge
from vdsim_autoware.conformance.scenes import whole_drive
from vdsim_autoware.conformance.verdict import Judged

from vdsim_autoware_kit.conformance_double import Double, Status

TICK_S = 0.05
BEGIN_S = 1000.0
LONGEST_S = 2000.0
ALL_CAUSES = Options(causes=frozenset(names.CAUSES))


class VirtualRun:
    """Conductor and double, tick by tick."""

    def __init__(self, *faults: str, options: Options = ALL_CAUSES) -> None:
        self.record = Record()
        self.double = Double(frozenset(faults))
        self.options = options
        self.conductor = Conductor(self.record, options, whole_drive)
        self.now = BEGIN_S

    def run(self) -> tuple[Judged, ...]:
        """Drive and judge."""
        self.record.endpoints = self.double.endpoints()
        while not self.conductor.is_done:
            assert self.now - BEGIN_S < LONGEST_S, "the drive has no end"
            self.tick()
        return judge(self.record, self.options)

    def tick(self) -> None:
        """Go on by one tick."""
        self.now += TICK_S
        statuses, lines = self.double.step(self.now)
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
            self.double.receive(action.topic, action.values, stamp_s)
        elif isinstance(action, Call):
            answer = self.double.request(action.mode)
            if answer is not None:
                self.conductor.answered(action.name, action.mode, answer)
        elif isinstance(action, Join):
            self.conductor.joined(action.topic, self.double.latched(action.topic) is not None)
        else:
            change = self.double.provoked.add if action.begins else self.double.provoked.discard
            change(action.cause)
            self.conductor.provoked(action.cause, 0)
