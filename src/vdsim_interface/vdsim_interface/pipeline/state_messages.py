"""VehicleStateCommand messages -> requests that name only what their sender wants to change.

The intake of every composition reads them, so that the safety side receives explicit requests.
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
from typing import TypeVar

from vdsim_interface.values import (
    Blinker,
    BodyState,
    Gear,
    Headlight,
    Mode,
    RequestContext,
    StateCommand,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage

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
NO_CONTEXT = RequestContext()


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
        context: RequestContext = NO_CONTEXT,
    ) -> StateCommand:
        """Return what the message requests to change, with its undefined numbers in words."""
        last, undefined = self._last, []
        is_in_stream = 0.0 <= now - self._last_s <= STREAM_PERIOD_S
        self._last, self._last_s = message, now
        copied: frozenset[str] = frozenset()
        if message != last or not is_in_stream:
            copied, self._copied = self._copied, copied
        for name, kind in ENUMS.items():
            number = getattr(message, name)
            if number not in kind.__members__.values() and _differs(message, last, name):
                undefined.append(_undefined(name, number, kind))

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
        again = {context.refused_gear}
        if context.parked_before or not is_in_stream:
            again.add(context.gear_before_park)
        if gear is None and message.gear in again:
            gear = Gear(message.gear)
        hand_brake = flag_request("hand_brake")
        if context.hand_brake_refused and message.hand_brake:
            hand_brake = True
        # Mode and autonomous act on a change only: their default requests nothing, and neither does
        # a first message that still asks for autonomy: the reader is new, not the request.
        previous = DEFAULTS if last is None else last
        if last is None and context.autonomous:
            asks = message.autonomous or message.mode == Mode.AUTONOMOUS
            previous = replace(message, autonomous=message.autonomous if asks else True)
        request = StateCommand(
            blinker=enum_request("blinker", Blinker),
            headlight=enum_request("headlight", Headlight),
            wiper=enum_request("wiper", Wiper),
            gear=gear,
            hand_brake=hand_brake,
            horn=flag_request("horn"),
            mode=enum_request("mode", Mode) if message.mode != previous.mode else None,
            autonomous=message.autonomous if message.autonomous != previous.autonomous else None,
            undefined=tuple(undefined),
        )
        if _changes_lamps(request, context.body) or (last is not None and request.horn is not None):
            request = self._without_copies(request, context)
        return request

    def _without_copies(self, request: StateCommand, context: RequestContext) -> StateCommand:
        """Leave out PARK and hand brake where we have set them: the sender has copied them."""
        gear = request.gear is Gear.PARK and context.gear_before_park is not None
        hand_brake = bool(request.hand_brake) and context.hand_brake_is_ours
        if gear:
            self._copied |= {"gear"}
            request = replace(request, gear=None)
        if hand_brake:
            self._copied |= {"hand_brake"}
            request = replace(request, hand_brake=None)
        return request


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


def _undefined(name: str, number: int, kind: type[IntEnum]) -> str:
    known = ", ".join(f"{int(item)} {item.name}" for item in kind)
    return f"state command {name}={number} ignored: known are {known}"
