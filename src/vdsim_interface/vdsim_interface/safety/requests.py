"""VehicleStateCommand messages -> requests that name only what their sender wants to change.

The message has no "unset": a sender that only wants a gear still sends hand_brake=false. So the
first message counts in full, and each later one names exactly the fields in which it differs from
the previous one. A refused gear or hand brake is requested again for as long as the sender repeats
it. So is the gear that our PARK replaced: at once by a message of its own, by a stream only where
PARK is older than the present autonomy, since a stream goes on while its stack stands. Numbers
outside the enumerations are ignored and reported.

A sender that wants another lamp copies the rest from the vehicle's report, with the hand brake and
the PARK that we have set. So these are no request in a message that changes lamps, wipers or horn:
they stay ours, and end with the next request to drive.
"""

import math
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple, TypeVar

from vdsim_interface.values import (
    NOT_YET_REPORTED,
    Blinker,
    BodyState,
    Gear,
    Headlight,
    Mode,
    Notice,
    StateCommand,
    StateMessage,
    Wiper,
    notice_kinds,
)

E = TypeVar("E", bound=IntEnum)
ENUMS: dict[str, type[IntEnum]] = {
    "blinker": Blinker,
    "headlight": Headlight,
    "wiper": Wiper,
    "gear": Gear,
    "mode": Mode,
}
DEFAULTS = StateMessage()
STREAM_PERIOD_S = 2.0
"""A message that follows the previous one within this belongs to a stream: they have 1 to 10 Hz."""


class Repeatable(NamedTuple):
    """What a message requests although it only repeats the previous one.

    `refused_gear`, `hand_brake_refused`: what could not be done yet. `gear_before_park`: the gear
    that PARK replaced where we have set it. `park_is_older`: than the present autonomy, if any.
    `hand_brake_is_ours`: we have set it at rest.
    """

    refused_gear: Gear | None = None
    hand_brake_refused: bool = False
    gear_before_park: Gear | None = None
    park_is_older: bool = False
    hand_brake_is_ours: bool = False


NOTHING = Repeatable()


class StateMessageReader:
    """Remembers the last message of the stream and the time of its receipt [s]."""

    def __init__(self) -> None:
        self._last: StateMessage | None = None
        self._last_s = math.inf
        self._copied: frozenset[str] = frozenset()
        """What the last message named without a request: its next naming is one."""

    def read(
        self,
        message: StateMessage,
        now: float,
        repeatable: Repeatable = NOTHING,
        body: BodyState = NOT_YET_REPORTED,
    ) -> tuple[StateCommand, tuple[Notice, ...]]:
        """Return what the message requests to change, and notices about undefined numbers.

        `body`: as the vehicle reports it.
        """
        last, notices = self._last, []
        is_in_stream = 0.0 <= now - self._last_s <= STREAM_PERIOD_S
        self._last, self._last_s = message, now
        copied: frozenset[str] = frozenset()
        if message != last or not is_in_stream:
            copied, self._copied = self._copied, copied
        for name, kind in ENUMS.items():
            number = getattr(message, name)
            if number not in kind.__members__.values() and _differs(message, last, name):
                notices.append(_undefined(name, number, kind))

        def differs(name: str) -> bool:
            return name in copied or _differs(message, last, name)

        def enum_request(name: str, kind: type[E]) -> E | None:
            number = getattr(message, name)
            if number not in kind.__members__.values() or not differs(name):
                return None
            return kind(number)

        def flag_request(name: str) -> bool | None:
            return bool(getattr(message, name)) if differs(name) else None

        gear = enum_request("gear", Gear)
        again = {repeatable.refused_gear}
        if repeatable.park_is_older or not is_in_stream:
            again.add(repeatable.gear_before_park)
        if gear is None and message.gear in again:
            gear = Gear(message.gear)
        hand_brake = flag_request("hand_brake")
        if repeatable.hand_brake_refused and message.hand_brake:
            hand_brake = True
        # Mode and autonomous act on a change only: their default requests nothing.
        previous = DEFAULTS if last is None else last
        request = StateCommand(
            blinker=enum_request("blinker", Blinker),
            headlight=enum_request("headlight", Headlight),
            wiper=enum_request("wiper", Wiper),
            gear=gear,
            hand_brake=hand_brake,
            horn=flag_request("horn"),
            mode=enum_request("mode", Mode) if message.mode != previous.mode else None,
            autonomous=message.autonomous if message.autonomous != previous.autonomous else None,
        )
        if _changes_lamps(request, body) or (last is not None and request.horn is not None):
            request = self._without_copies(request, repeatable)
        return request, tuple(notices)

    def _without_copies(self, request: StateCommand, repeatable: Repeatable) -> StateCommand:
        """Leave out PARK and hand brake where we have set them: the sender has copied them."""
        copied: dict[str, None] = {}
        if request.gear is Gear.PARK and repeatable.gear_before_park is not None:
            copied["gear"] = None
        if request.hand_brake and repeatable.hand_brake_is_ours:
            copied["hand_brake"] = None
        self._copied |= copied.keys()
        return replace(request, **copied)


def _changes_lamps(request: StateCommand, body: BodyState) -> bool:
    """Whether lamps, wipers or horn are to be other than the vehicle reports them."""
    return any(
        wanted is not None and wanted != reported
        for wanted, reported in (
            (request.blinker, body.blinker),
            (request.headlight, body.headlight),
            (request.wiper, body.wiper),
            (request.horn, body.horn),
        )
    )


def _differs(message: StateMessage, last: StateMessage | None, name: str) -> bool:
    return last is None or bool(getattr(message, name) != getattr(last, name))


def _undefined(name: str, number: int, kind: type[IntEnum]) -> Notice:
    known = ", ".join(f"{int(item)} {item.name}" for item in kind)
    return Notice(
        notice_kinds.UNDEFINED_VALUE, f"state command {name}={number} ignored: known are {known}"
    )
