"""What was seen of a vehicle interface, and when: the only thing that the checks look at."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vdsim_autoware.conformance.interface import MODE_STATUS, PUBLISHER, TRANSIENT_LOCAL

OK, WARN, ERROR, STALE = 0, 1, 2, 3
AFTER_PAUSE_S = 1.0
"""How long a vehicle, whose commands paused, may still recover from that."""


class Endpoint(NamedTuple):
    """One end of a topic or service of the vehicle interface, as the ROS graph announces it."""

    topic: str
    end: str
    type_name: str
    reliability: str = ""
    durability: str = ""


class Arrival(NamedTuple):
    """A status. `age_s`: time of receipt minus stamp; nan for a stamp of zero."""

    time_s: float
    topic: str
    values: tuple[float, ...]
    stamp_s: float
    age_s: float
    is_first: bool = False


class Joined(NamedTuple):
    """Whether a late subscriber that asks for latched values received one at once."""

    topic: str
    received: bool


class Answer(NamedTuple):
    """An answer of the service; `success` is None when none came."""

    name: str
    mode: int
    success: bool | None


class Alarm(NamedTuple):
    """One line of /diagnostics."""

    time_s: float
    name: str
    level: int
    text: str

    @property
    def meaning(self) -> str:
        """The text without its numbers: the same problem with another figure is not a new one."""
        return "".join(letter for letter in self.text if not letter.isdigit())


class Probe(NamedTuple):
    """A part of the drive by name; `reached`: what it waited for has happened."""

    name: str
    begin_s: float
    end_s: float
    reached: bool = True


@dataclass
class Record:
    """One drive."""

    endpoints: tuple[Endpoint, ...] = ()
    arrivals: dict[str, list[Arrival]] = field(default_factory=dict)
    joined: dict[str, Joined] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    alarms: list[Alarm] = field(default_factory=list)
    probes: dict[str, Probe] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    sent_hz: dict[str, float] = field(default_factory=dict)
    current: dict[str, Alarm] = field(default_factory=dict)
    pauses: list[tuple[float, float]] = field(default_factory=list)
    """When the kit itself stood still, so that its commands paused: from, to."""

    def arrived(self, arrival: Arrival) -> None:
        """Store a status."""
        if arrival.topic not in self.arrivals:
            self.arrivals[arrival.topic] = [arrival._replace(is_first=True)]
        else:
            self.arrivals[arrival.topic].append(arrival)

    def alarmed(self, alarm: Alarm) -> None:
        """Store a line of /diagnostics."""
        self.alarms.append(alarm)
        self.current[alarm.name] = alarm

    def latest(self, topic: str, place: int = 0) -> float:
        """Return the latest value; nan before the first."""
        arrivals = self.arrivals.get(topic)
        return arrivals[-1].values[place] if arrivals else math.nan

    def during(self, topic: str, probe: Probe, after_s: float = 0.0) -> list[Arrival]:
        """Return the statuses that arrived in a part of the drive."""
        arrivals = self.arrivals.get(topic, [])
        begin, end = _places(arrivals, probe.begin_s + after_s, probe.end_s)
        return arrivals[begin:end]

    def new_alarms(self, probe: Probe, level: int) -> list[Alarm]:
        """Return the problems that /diagnostics did not have before this part."""
        before: dict[str, Alarm] = {}
        new = []
        for alarm in self.alarms:
            if alarm.time_s <= probe.begin_s:
                before[alarm.name] = alarm
            elif alarm.time_s <= probe.end_s and alarm.level >= level:
                known = before.get(alarm.name)
                if known is None or known.level < level or known.meaning != alarm.meaning:
                    new.append(alarm)
        return new

    def ends(self, topic: str, end: str) -> list[Endpoint]:
        """Return the vehicle interface's ends of a topic."""
        return [item for item in self.endpoints if (item.topic, item.end) == (topic, end)]

    def modes(self, begin_s: float, end_s: float) -> list[float]:
        """Return the control mode at a time, and those until another one."""
        arrivals = self.arrivals.get(MODE_STATUS, [])
        begin, end = _places(arrivals, begin_s, end_s)
        return [item.values[0] for item in arrivals[max(begin - 1, 0) : end]]

    def is_latched(self, topic: str) -> bool:
        """Whether a status that does not change need not be repeated."""
        ends = self.ends(topic, PUBLISHER)
        return bool(ends) and all(end.durability == TRANSIENT_LOCAL for end in ends)

    def without_paused_parts(self) -> Record:
        """Return the record without the parts of the drive in which the kit itself stood still."""
        paused = {
            name: f"the kit itself stood still for {end_s - begin_s:.2f} s in this part"
            for name, probe in self.probes.items()
            for begin_s, end_s in self.pauses
            if begin_s < probe.end_s and end_s + AFTER_PAUSE_S > probe.begin_s
        }
        kept = {name: probe for name, probe in self.probes.items() if name not in paused}
        return replace(self, probes=kept, skipped={**paused, **self.skipped})

    def why_skipped(self, name: str) -> str:
        """Return why a part of the drive did not take place."""
        for prefix, reason in self.skipped.items():
            if name.startswith(prefix):
                return reason
        return "the drive ended before it"


def _places(arrivals: Sequence[Arrival], begin_s: float, end_s: float) -> tuple[int, int]:
    """Where those after a time begin, and where those after another one do; they come in order."""
    begin = bisect_right(arrivals, begin_s, key=lambda item: item.time_s)
    return begin, bisect_right(arrivals, end_s, begin, key=lambda item: item.time_s)
