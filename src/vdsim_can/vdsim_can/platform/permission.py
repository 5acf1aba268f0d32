"""May the car be driven, by what it says? Judged at every frame, not at every report.

A frame that is not as it must be may be followed by a good one before the interface looks; a maker
whose steering leaves at such a frame does not come back by itself. So what was once wrong is kept
until it was taken, and then ends the handshake.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vdsim_can.car import Agreement, CarFile, SignalName
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import ACCEPTED, Outcome


class Flag(NamedTuple):
    """A signal, its name with that of its message, and the raw values that are well."""

    signal: str
    shown: str
    allowed: frozenset[float]


class Permission:
    """The rows `only_while`, `send_while`, `agree` and `max_rejects` of a car file."""

    def __init__(self, car: CarFile, receiver: Receiver) -> None:
        self._receiver = receiver
        self._allowed = _by_message(car.limits.flags)
        self._speaks = _by_message(car.limits.send_while)
        self._mute: dict[str, str] = {}
        self._max_rejects = {
            name: row.max_rejects for name, row in car.receive.items() if row.max_rejects
        }
        self._agreements: dict[str, list[Agreement]] = {}
        for each in car.limits.agree:
            for message in {each.signal.message, each.other.message}:
                self._agreements.setdefault(message, []).append(each)
        self.watched = frozenset((*self._allowed, *self._max_rejects, *self._agreements))
        self._rejected: dict[str, int] = {}
        self._why: dict[str, str] = {}
        self._kept = ""

    def see(self, outcome: Outcome) -> None:
        """Judge a frame of a message in `watched`."""
        name = outcome.message
        if outcome.fate is ACCEPTED:
            self._rejected[name] = 0
            why = _not_allowed(self._allowed.get(name, ()), self._receiver.messages[name].raws)
            why = why or self._apart(name)
        else:
            count = self._rejected[name] = self._rejected.get(name, 0) + 1
            most = self._max_rejects.get(name, 0)
            why = outcome.text if most and count >= most else self._why.get(name, "")
        self._why[name] = why
        self._kept = self._kept or why
        if name in self._speaks:
            raws = self._receiver.messages[name].raws
            self._mute[name] = outcome.text or _not_allowed(self._speaks[name], raws)

    def silence(self, now: float) -> str:
        """Return why nothing at all may be sent now; empty when frames may go out."""
        for name in self._speaks:
            if not self._receiver.messages[name].is_fresh(now):
                return f"no {name}"
            if self._mute.get(name):
                return self._mute[name]
        return ""

    def why(self, now: float) -> str:
        """Return what is wrong now, in words; empty for nothing."""
        found = [why for why in self._why.values() if why]
        for name in self._max_rejects:
            if not self._receiver.messages[name].is_fresh(now):
                found.append(f"no {name}")
        return "; ".join(found)

    def trusts(self, message: str) -> bool:
        """Whether the values of a message may be used: its flags were good in the last frame."""
        return not self._why.get(message)

    def take(self, now: float) -> str:
        """Return what was wrong since it was last taken, or is now."""
        kept, self._kept = self._kept, ""
        return kept or self.why(now)

    def restart(self) -> None:
        """Time jumped back: what was received before it says nothing."""
        self._rejected, self._why, self._mute, self._kept = {}, {}, {}, ""

    def _apart(self, message: str) -> str:
        """Return which two signals do not agree, by the last frame of each."""
        for signal, other, within, _ in self._agreements.get(message, ()):
            value, measured = self._last(signal), self._last(other)
            if abs(value - measured) > within:
                return f"{signal} is {value:g} and {other} is {measured:g}, not within {within:g}"
        return ""

    def _last(self, name: SignalName) -> float:
        """Return the last physical value of a signal; nan where none was received."""
        reception = self._receiver.messages[name.message]
        raw = reception.raws.get(name.signal, math.nan)
        return reception.wire.physical(name, raw)


def _by_message(flags: Iterable[tuple[SignalName, tuple[int, ...]]]) -> dict[str, list[Flag]]:
    found: dict[str, list[Flag]] = {}
    for name, raws in flags:
        flag = Flag(name.signal, str(name), frozenset[float](raws))
        found.setdefault(name.message, []).append(flag)
    return found


def _not_allowed(flags: Iterable[Flag], raws: Mapping[str, float]) -> str:
    """Return the signals of a message that have another value than those allowed."""
    return ", ".join(
        f"{flag.shown} is {raws[flag.signal]:g}"
        for flag in flags
        if flag.signal in raws and raws[flag.signal] not in flag.allowed
    )
