"""VehicleStateCommand messages -> requests that name only what their sender wants to change.

The message has no "unset": a sender that only wants a gear still sends hand_brake=false. So the
first message counts in full, and each later one names exactly the fields in which it differs from
the previous one. A refused gear or hand brake is requested again for as long as the sender repeats
it. Numbers outside the enumerations are ignored and reported.
"""

from enum import IntEnum
from typing import TypeVar

from vdsim_interface.values import (
    Blinker,
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


class StateMessageReader:
    """Remembers the last message of the stream."""

    def __init__(self) -> None:
        self._last: StateMessage | None = None

    def read(
        self, message: StateMessage, refused_gear: Gear | None, *, hand_brake_refused: bool = False
    ) -> tuple[StateCommand, tuple[Notice, ...]]:
        """Return what the message requests to change, and notices about undefined numbers."""
        last, notices = self._last, []
        self._last = message
        for name, kind in ENUMS.items():
            number = getattr(message, name)
            if number not in kind.__members__.values() and self._differs(message, last, name):
                notices.append(_undefined(name, number, kind))

        def enum_request(name: str, kind: type[E]) -> E | None:
            number = getattr(message, name)
            if number not in kind.__members__.values() or not self._differs(message, last, name):
                return None
            return kind(number)

        def flag_request(name: str) -> bool | None:
            return bool(getattr(message, name)) if self._differs(message, last, name) else None

        gear = enum_request("gear", Gear)
        if gear is None and refused_gear is not None and message.gear == refused_gear:
            gear = refused_gear
        hand_brake = flag_request("hand_brake")
        if hand_brake_refused and message.hand_brake:
            hand_brake = True
        # Mode and autonomous act on a change only: their default requests nothing.
        previous = DEFAULTS if last is None else last
        return StateCommand(
            blinker=enum_request("blinker", Blinker),
            headlight=enum_request("headlight", Headlight),
            wiper=enum_request("wiper", Wiper),
            gear=gear,
            hand_brake=hand_brake,
            horn=flag_request("horn"),
            mode=enum_request("mode", Mode) if message.mode != previous.mode else None,
            autonomous=message.autonomous if message.autonomous != previous.autonomous else None,
        ), tuple(notices)

    @staticmethod
    def _differs(message: StateMessage, last: StateMessage | None, name: str) -> bool:
        return last is None or bool(getattr(message, name) != getattr(last, name))


def _undefined(name: str, number: int, kind: type[IntEnum]) -> Notice:
    known = ", ".join(f"{int(item)} {item.name}" for item in kind)
    return Notice(
        notice_kinds.UNDEFINED_VALUE, f"state command {name}={number} ignored: known are {known}"
    )
