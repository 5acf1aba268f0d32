"""What arrives of a car's messages: checked, decoded, and how old it is.

A frame is used when its length, checksum and counter are those of the file. A counter that is not
accepted leaves the last good one as the one to count from, so that no stranger can move it. When
the message has been stale, two frames in a row begin a new count; a counter that stands never does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from vdsim_can.car import CarFile, MessageRow, SignalName
from vdsim_can.car.uses import uses_of
from vdsim_can.frame import Frame, shown
from vdsim_can.integrity import Counter, CounterCheck, count_after
from vdsim_can.traffic.reception import Fate, Outcome, Reception, page_of
from vdsim_can.traffic.straight import HEAD_BYTES, Head, Straight, straight_of
from vdsim_can.traffic.wire_message import WireMessage

Key = tuple[str, int, bool]


class Receiver:
    """The messages of `rows`, which others send; those of `ours` are not expected from anybody."""

    def __init__(
        self, car: CarFile, rows: Mapping[str, MessageRow], ours: Mapping[str, MessageRow]
    ) -> None:
        self.messages = {name: Reception(WireMessage(car, row)) for name, row in rows.items()}
        for name, _, _ in uses_of(car):
            page = page_of(car.signal(name))
            if page is not None and name.message in self.messages:
                self.messages[name.message].pages_s[page] = -math.inf
        self._by_key: dict[Key, Reception] = {}
        for reception in self.messages.values():
            self._by_key[reception.wire.key] = reception
        every = map(straight_of, self.messages.values())
        self.straight: dict[Head, Straight] = dict(each for each in every if each is not None)
        """How the usual frame of a message is taken; without it the result is the same."""
        self._ours: dict[Key, str] = {WireMessage(car, row).key: name for name, row in ours.items()}
        self.other_n = self.foreign_n = 0
        self.foreign_s = -math.inf
        self.foreign = ""

    def take(self, bus: str, data: bytes, now: float) -> Reception | None:
        """Accept the bytes of a usual frame, and return its message; None: `receive` judges it."""
        straight = self.straight.get((bus, data[:HEAD_BYTES]))
        if straight is None:
            return None
        reception, size, take = straight
        return reception if len(data) == size and take(data[HEAD_BYTES:], now) else None

    def receive(self, bus: str, frame: Frame, now: float) -> Outcome:
        """Check and decode a frame."""
        key = (bus, frame.can_id, frame.extended)
        reception = self._by_key.get(key)
        if reception is None:
            return self._other(key, frame, now)
        wire = reception.wire
        reception.arrivals.add(now, wire.row)
        if len(frame.data) != wire.message.length or frame.fd is not wire.is_fd:
            text = f"{len(frame.data)} bytes{' of CAN FD' if frame.fd else ''}; the file says "
            text += f"{wire.message.length}{' of CAN FD' if wire.is_fd else ''}"
            return self._rejected(reception, Fate.LENGTH, text)
        raws = wire.read(frame.data)
        if raws is None:
            return self._rejected(reception, Fate.CHECKSUM, f"wrong checksum: {shown(frame)}")
        why = self._counter_fault(reception, raws, now)
        if why:
            return self._rejected(reception, Fate.COUNTER, why)
        # A multiplexed message carries some of its signals a frame.
        if wire.is_multiplexed:
            reception.turn(raws, now)
            raws = {**reception.raws, **raws}
        reception.raws = raws
        reception.accepted_s = now
        reception.accepted_n += 1
        return reception.accepted

    def raw(self, name: SignalName, now: float) -> float | None:
        """Return the raw value of a signal; None while it is not known."""
        reception = self.messages.get(name[0])
        if reception is None or not reception.is_fresh(now):
            return None
        return reception.raws.get(name[1])

    def physical(self, name: SignalName, now: float) -> float:
        """Return the physical value of a signal; nan while it is not known."""
        reception = self.messages.get(name[0])
        if reception is None or not reception.is_fresh(now):
            return math.nan
        raw = reception.raws.get(name[1])
        return math.nan if raw is None else reception.wire.physical(name, raw)

    def fresh(self, now: float) -> dict[str, Mapping[str, float]]:
        """Return the raw values of the messages that are known."""
        messages = self.messages.items()
        return {name: each.raws for name, each in messages if each.is_fresh(now)}

    def stale(self, now: float) -> tuple[str, ...]:
        """Name the messages whose signals are not known."""
        return tuple([name for name, each in self.messages.items() if not each.is_fresh(now)])

    def restart(self) -> None:
        """Forget what was received: time jumped back."""
        for reception in self.messages.values():
            reception.accepted_s, reception.raws = -math.inf, {}
            reception.check = reception.candidate = None
            reception.pages_s = dict.fromkeys(reception.pages_s, -math.inf)
            reception.arrivals.restart()
        self.foreign_s = -math.inf

    def _other(self, key: Key, frame: Frame, now: float) -> Outcome:
        name = self._ours.get(key)
        if name is None:
            self.other_n += 1
            return Outcome(Fate.OTHER)
        self.foreign_n += 1
        self.foreign_s = now
        self.foreign = f"somebody else sends {name} (0x{frame.can_id:X}) on {key[0]}"
        return Outcome(Fate.FOREIGN, name, self.foreign)

    @staticmethod
    def _rejected(reception: Reception, fate: Fate, text: str) -> Outcome:
        reception.fates[fate] += 1
        wire = reception.wire
        reception.why = f"{wire.name} (0x{wire.message.can_id:X}): {text}"
        return Outcome(fate, wire.name, reception.why)

    @staticmethod
    def _counter_fault(reception: Reception, raws: Mapping[str, float], now: float) -> str:
        """Return what is wrong with the counter, and count on from it where nothing is."""
        rule = reception.wire.row.counter
        if rule is None:
            return ""
        count = int(raws[rule.signal])
        if reception.check is None:
            reception.check = CounterCheck(rule)
        elif not reception.is_followed(now):
            return _begun_again(reception, rule, count)
        reception.candidate = None
        before = reception.check.accepted
        why = reception.check.reject(count)
        if not why:
            reception.lost_n += _lost(rule, before, count)
        return why


def _begun_again(reception: Reception, rule: Counter, count: int) -> str:
    """Judge the counter of a message that was stale: two in a row begin a new count."""
    candidate = reception.candidate
    why = "" if candidate is None else candidate.reject(count)
    if candidate is None or why:
        reception.candidate = CounterCheck(rule)
        beyond = reception.candidate.reject(count)
        return why or beyond or f"counter begins again at {count}"
    reception.check, reception.candidate = candidate, None
    return ""


def _lost(rule: Counter, before: int | None, count: int) -> int:
    """Return how many frames are missing between two accepted counts."""
    if before is None or count_after(rule, before) == count:
        return 0
    for lost in range(rule.max_step):
        before = count_after(rule, before)
        if before == count:
            return lost
    return 0
