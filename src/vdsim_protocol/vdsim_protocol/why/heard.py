"""What a vehicle interface has published: the evidence, a timeline, a view of both. Pure.

    control_source, safety_status, state_report, trace  ->  Heard  ->  evidence, view

Time comes in. The topics are converted in `messages.py`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from vdsim_protocol.why.causes import NOT_FOR_A_PERSON, Answer, Level, explained
from vdsim_protocol.why.evidence import (
    EMERGENCY_LOCK,
    SILENT_S,
    Answered,
    Control,
    Evidence,
    ModeEnd,
    Rule,
    Source,
)
from vdsim_protocol.why.steps import Step, Way, steps
from vdsim_protocol.why.typed import typed

Json = dict[str, Any]
_MOST_EVENTS = 40
_SHOWN_EVENTS = 14
_TOLD_OTHERWISE = frozenset(
    {"link_timeout", "emergency", "gate_emergency", "manual_block", "hazard_priority"}
)
"""Rules whose cause is a line of the timeline by itself."""
_GONE_S = 10.0
"""An interface that has published nothing for this time is not there any more."""
_TRACE_STALE_S = 1.0
_DROPPED_S = 1.5
"""Commands are dropped now if one was within this time [s]."""
_WINDOW_S, _LEAST_S = 1.5, 1.0
"""How long what the car does is compared with what is sent [s]."""


class Status(NamedTuple):
    """Of safety_status."""

    mode: str
    disengaged: ModeEnd
    refused: ModeEnd
    command_age_s: float | None
    is_command_stale: bool
    is_link_well: bool
    link_reason: str
    active: tuple[Rule, ...]
    dropped: Mapping[Rule, int] = MappingProxyType({})
    """How often each rule has dropped a command."""


class InControl(NamedTuple):
    """Of control_source."""

    control: Control
    source: str
    reason: str
    sources: tuple[Source, ...]
    locks: tuple[str, ...]


class Body(NamedTuple):
    """Of state_report."""

    gear: str
    has_hand_brake: bool
    blinker: str
    headlight: str
    wiper: str
    has_horn: bool


class Event(NamedTuple):
    """A line of the timeline."""

    number: int
    at_s: float
    level: Level
    text: str


class Heard:
    """What one interface has published."""

    def __init__(self, namespace: str, plant: str, starter: str = "") -> None:
        """`starter`: how ./ws is called where this process was started; empty: not by ./ws."""
        self._starter = starter
        self._names = Evidence(namespace=namespace, plant=plant)
        self._status: Status | None = None
        self._status_s = -math.inf
        self._control: InControl | None = None
        self._body: Body | None = None
        self._way: Way | None = None
        self._way_s = -math.inf
        self._begun_s: dict[str, float] = {}
        self._dropping: Rule | None = None
        self._dropped_s = -math.inf
        self._speeds: deque[tuple[float, float]] = deque()
        self._sent: deque[tuple[float, float]] = deque()
        self._events: deque[Event] = deque(maxlen=_MOST_EVENTS)
        self._count = 0

    @property
    def locks(self) -> tuple[str, ...]:
        """The locks that are on."""
        return () if self._control is None else self._control.locks

    def on_status(self, status: Status, now: float) -> None:
        """Take a safety_status."""
        before, self._status, self._status_s = self._status, status, now
        begun_s = self._begun_s
        self._begun_s = {rule.name: begun_s.get(rule.name, now) for rule in status.active}
        if before is None:
            self._note(now, Level.NOTE, f"mode {status.mode}")
            return
        for rule, count in status.dropped.items():
            if count > sum(n for known, n in before.dropped.items() if known.name == rule.name):
                self._dropping, self._dropped_s = rule, now
        if status.mode != before.mode:
            ended = before.mode == "AUTONOMOUS"
            why = f": {status.disengaged.reason}" if ended and status.disengaged.reason else ""
            level = Level.WARN if ended else Level.GOOD
            self._note(now, level, f"{before.mode} to {status.mode}{why}")
        if _is_newer(status.refused, before.refused):
            self._note(now, Level.WARN, status.refused.reason)
        if status.is_link_well != before.is_link_well:
            well = status.is_link_well
            text = "the vehicle reports again" if well else f"vehicle lost: {status.link_reason}"
            self._note(now, Level.GOOD if well else Level.ALARM, text)
        for rule in _begun(before.active, status.active):
            self._note(now, Level.NOTE, rule.reason or rule.name)

    def on_control(self, control: InControl, now: float) -> None:
        """Take a control_source."""
        before, self._control = self._control, control
        reason, locks = _first(control.reason), set(control.locks)
        known = set() if before is None else set(before.locks)
        for name in sorted(locks - known):
            word = "emergency stop" if name == EMERGENCY_LOCK else f"lock {name} is on"
            self._note(now, Level.ALARM, word)
        for name in sorted(known - locks):
            word = "emergency stop released" if name == EMERGENCY_LOCK else f"lock {name} is off"
            self._note(now, Level.NOTE, word)
        if before is not None and reason and reason != _first(before.reason):
            self._note(now, Level.NOTE, reason)

    def on_body(self, body: Body) -> None:
        """Take a state_report."""
        self._body = body

    def on_way(self, way: Way, now: float) -> None:
        """Take a command_trace."""
        self._way, self._way_s = way, now
        limited = dict(way.stages).get("limited")
        if limited is not None and limited.accel_mps2 is not None:
            _keep(self._sent, now, limited.accel_mps2)

    def on_speed(self, speed_mps: float, now: float) -> None:
        """Take the speed of the car."""
        _keep(self._speeds, now, speed_mps)

    def steps(self, now: float) -> tuple[Step, ...]:
        """The way of the latest command, step by step; none where no trace is heard."""
        way = self._fresh_way(now)
        if way is None:
            return ()
        return steps(way, {name: now - at_s for name, at_s in self._begun_s.items()})

    def events_after(self, number: int) -> list[Event]:
        """Return the events since one, by its number."""
        return [each for each in self._events if each.number > number]

    def is_heard(self, now: float) -> bool:
        """Whether it has published within the last seconds."""
        return self._status is not None and now - self._status_s <= _GONE_S

    def evidence(
        self, now: float, *, speed_mps: float | None = None, is_paused: bool = False
    ) -> Evidence:
        """What is known at `now` [s]; the speed and the pause are the simulated car's own."""
        known = replace(self._names, speed_mps=speed_mps, is_plant_paused=is_paused)
        if (status := self._status) is not None:
            passed_s = now - self._status_s
            command_s = status.command_age_s
            known = replace(
                known,
                status_age_s=passed_s,
                mode=status.mode,
                disengaged=_older(status.disengaged, passed_s),
                refused=_older(status.refused, passed_s),
                command_age_s=None if command_s is None else command_s + passed_s,
                is_command_stale=status.is_command_stale,
                is_link_well=status.is_link_well,
                link_reason=status.link_reason,
                active=status.active,
                rejected=self._dropping if now - self._dropped_s <= _DROPPED_S else None,
                answered=self._answered(now),
            )
        if (control := self._control) is not None:
            known = replace(
                known,
                control=control.control,
                source=control.source,
                control_reason=control.reason,
                sources=control.sources,
                locks=control.locks,
            )
        if (body := self._body) is not None:
            known = replace(known, gear=body.gear, has_hand_brake=body.has_hand_brake)
        if (way := self._fresh_way(now)) is not None:
            asked = way.stages[0][1]
            known = replace(
                known,
                active=(*known.active, *self._on_the_way(now)),
                blocked=way.blocked,
                asked_mps=asked.velocity_mps,
                asked_mps2=asked.accel_mps2,
            )
        return known

    def view(
        self, now: float, *, speed_mps: float | None = None, is_paused: bool = False
    ) -> Json | None:
        """All of it for the page; None where no interface is heard, or not any more."""
        control, body = self._control, self._body
        if not self.is_heard(now):
            return None
        evidence = self.evidence(now, speed_mps=speed_mps, is_paused=is_paused)
        way = self._fresh_way(now)
        return {
            "namespace": evidence.namespace,
            "fresh": now - self._status_s <= SILENT_S,
            "mode": evidence.mode,
            "source": evidence.source,
            "control": None if control is None else control.control.name.lower(),
            "control_reason": evidence.control_reason,
            "locks": list(evidence.locks),
            "stopped": EMERGENCY_LOCK in evidence.locks,
            "refused": _end_view(evidence.refused),
            "disengaged": _end_view(evidence.disengaged),
            "body": None if body is None else body._asdict(),
            "stages": None if way is None else {name: each._asdict() for name, each in way.stages},
            "reasons": [] if way is None else list(way.reasons),
            "steps": [
                {
                    "step": step.name,
                    "rule": each.rule,
                    "since": None if each.since_s is None else round(each.since_s, 1),
                    "bounds": list(each.bounds),
                }
                for step in self.steps(now)
                for each in step.changes
            ],
            "why": answer_view(explained(evidence), self._starter),
            "events": [
                {
                    "number": each.number,
                    "age": round(now - each.at_s, 1),
                    "level": each.level.value,
                    "text": each.text,
                }
                for each in list(self._events)[-_SHOWN_EVENTS:]
            ],
        }

    def _answered(self, now: float) -> Answered | None:
        """What the car made of what was sent; None where too little was heard."""
        speeds, sent = self._speeds, self._sent
        if not speeds or not sent or min(speeds[-1][0], sent[-1][0]) < now - _LEAST_S:
            return None
        passed_s = speeds[-1][0] - speeds[0][0]
        if passed_s < _LEAST_S or sent[-1][0] - sent[0][0] < _LEAST_S:
            return None
        return Answered(
            sum(value for _, value in sent) / len(sent),
            (speeds[-1][1] - speeds[0][1]) / passed_s,
            max(speed for _, speed in speeds),
        )

    def _on_the_way(self, now: float) -> tuple[Rule, ...]:
        """What changes the command beyond the safety rules, of which alone the status knows."""
        told = {rule.name for rule in self._status.active} if self._status else set()
        every = {each.rule: each for step in self.steps(now) for each in step.changes}
        return tuple(Rule(name, each.line) for name, each in every.items() if name not in told)

    def _fresh_way(self, now: float) -> Way | None:
        return self._way if now - self._way_s <= _TRACE_STALE_S else None

    def _note(self, now: float, level: Level, text: str) -> None:
        self._count += 1
        self._events.append(Event(self._count, now, level, text))


def _keep(values: deque[tuple[float, float]], now: float, value: float) -> None:
    """Keep a value and those before it in the window."""
    values.append((now, value))
    while values[0][0] < now - _WINDOW_S or values[0][0] > now:
        values.popleft()


def answer_view(answer: Answer, starter: str) -> Json:
    """An answer for the page."""
    return {
        "cause": answer.cause,
        "level": answer.level.value,
        "title": answer.title,
        "sentence": answer.sentence,
        "evidence": answer.evidence,
        "action": answer.action,
        "command": typed(answer.command, starter),
    }


def _is_newer(end: ModeEnd, before: ModeEnd) -> bool:
    """Whether a reason is another one, or the same again: its age has become less."""
    if not end.reason:
        return False
    return end.reason != before.reason or end.age_s < before.age_s - 0.5 * SILENT_S


def _older(end: ModeEnd, passed_s: float) -> ModeEnd:
    return end._replace(age_s=end.age_s + passed_s)


def _begun(before: tuple[Rule, ...], now: tuple[Rule, ...]) -> list[Rule]:
    known = {rule.name for rule in before} | NOT_FOR_A_PERSON | _TOLD_OTHERWISE
    return [rule for rule in now if rule.name not in known]


def _first(reason: str) -> str:
    """The part of control_source's reason that is about the latest change."""
    return reason.partition("; autonomy waits for give_back")[0]


def _end_view(end: ModeEnd) -> Json | None:
    return {"reason": end.reason, "age": round(end.age_s, 1)} if end.reason else None
