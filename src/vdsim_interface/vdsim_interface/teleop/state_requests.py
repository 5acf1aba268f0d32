"""Button presses -> VehicleStateCommand: gears, lamps, wipers, horn, hand brake.

The message carries the whole state, a button changes one field. So all other fields are copied from
the vehicle's report. Without a report the request is not sent, and a notice says so.
A gear that drives releases a hand brake that was not requested here: the interface sets one on a
car that it holds, and a copy of it would be a request to keep it.
`autonomous` stays false: engaging uses the ChangeMode service, which responds with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Notice,
    StateReport,
    Wiper,
    drive_direction,
)
from vdsim_interface.values.state_message import StateMessage

_GEARS = {
    Action.GEAR_DRIVE: Gear.DRIVE,
    Action.GEAR_REVERSE: Gear.REVERSE,
    Action.GEAR_PARK: Gear.PARK,
    Action.GEAR_NEUTRAL: Gear.NEUTRAL,
    Action.GEAR_LOW: Gear.LOW,
}
_BLINKERS = {
    Action.BLINKER_LEFT: Blinker.LEFT,
    Action.BLINKER_RIGHT: Blinker.RIGHT,
    Action.HAZARD: Blinker.HAZARD,
}
STATE_ACTIONS = frozenset(
    {*_GEARS, *_BLINKERS, Action.HEADLIGHT, Action.WIPER, Action.HORN, Action.HAND_BRAKE}
)
"""The actions that become state commands; only the horn's release matters."""

_Value: TypeAlias = Gear | Blinker | Headlight | Wiper | bool

_CYCLES: dict[Action, tuple[str, tuple[_Value, ...]]] = {
    Action.HEADLIGHT: ("headlight", tuple(Headlight)),
    Action.WIPER: ("wiper", tuple(Wiper)),
    Action.HAND_BRAKE: ("hand_brake", (False, True)),
}


@dataclass(frozen=True)
class _Pending:
    """A requested value that the vehicle has not reported yet."""

    value: _Value
    requested_at: float


class StateRequests:
    """Turns actions into state commands and reports those that have no effect."""

    def __init__(self, timeout_s: float = 4.0) -> None:
        self._timeout_s = timeout_s
        self._pending: dict[str, _Pending] = {}
        self._has_set_hand_brake = False

    def on_action(
        self, action: Action, pressed: bool, state: StateReport | None, now: float
    ) -> tuple[StateMessage | None, tuple[Notice, ...]]:
        """Return the state command for this press (or the horn's release)."""
        if not pressed and action is not Action.HORN:
            return None, ()
        if state is None:
            text = f"{action.value} not sent: the vehicle has not reported its state yet"
            return None, (Notice(teleop_notices.REQUEST_IGNORED, text),)
        name, value = self._requested(action, pressed, state)
        self._pending[name] = _Pending(value, now)
        if name == "hand_brake":
            self._has_set_hand_brake = bool(value)
        elif action in _GEARS and drive_direction(_GEARS[action]) and not self._has_set_hand_brake:
            self._pending["hand_brake"] = _Pending(False, now)
        text = f"requested {_label(name, value)}"
        return self._message(state), (Notice(teleop_notices.REQUEST_SENT, text),)

    def update(self, state: StateReport | None, now: float) -> tuple[Notice, ...]:
        """Remove the requests that took effect; report those that did not in time."""
        notices = []
        for name, pending in list(self._pending.items()):
            if state is not None and getattr(state, name) == pending.value:
                del self._pending[name]
            elif now - pending.requested_at >= self._timeout_s:
                del self._pending[name]
                text = (
                    f"{_label(name, pending.value)} had no effect within {self._timeout_s:g} s:"
                    " see safety_status for the reason"
                )
                notices.append(Notice(teleop_notices.REQUEST_UNMET, text))
        return tuple(notices)

    def _requested(self, action: Action, pressed: bool, state: StateReport) -> tuple[str, _Value]:
        if action in _GEARS:
            return "gear", _GEARS[action]
        if action in _BLINKERS:
            blinker = _BLINKERS[action]
            is_on = self._current("blinker", state) is blinker
            return "blinker", Blinker.OFF if is_on else blinker
        if action in _CYCLES:
            name, values = _CYCLES[action]
            index = values.index(self._current(name, state))
            return name, values[(index + 1) % len(values)]
        return "horn", pressed

    def _current(self, name: str, state: StateReport) -> _Value:
        """Return the field as requested last, else as reported: two quick presses are two steps."""
        pending = self._pending.get(name)
        reported: _Value = getattr(state, name)
        return reported if pending is None else pending.value

    def _message(self, state: StateReport) -> StateMessage:
        return StateMessage(
            blinker=int(self._current("blinker", state)),
            headlight=int(self._current("headlight", state)),
            wiper=int(self._current("wiper", state)),
            gear=int(self._current("gear", state)),
            hand_brake=bool(self._current("hand_brake", state)),
            horn=bool(self._current("horn", state)),
        )


def _label(name: str, value: _Value) -> str:
    if isinstance(value, bool):
        return f"{name.replace('_', ' ')} {'on' if value else 'off'}"
    return f"{name} {value.name}"
