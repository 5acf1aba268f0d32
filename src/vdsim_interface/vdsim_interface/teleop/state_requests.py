"""Button presses -> VehicleStateCommand: gears, lamps, wipers, horn, hand brake.

The message carries the whole state, a button names one thing. So everything that was not asked for
is taken from the vehicle's own report: a gear change never releases the hand brake. Without a
report there is nothing to take it from, and the request is not sent, which is said.
`autonomous` stays false: engaging goes by the ChangeMode service, which answers with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Notice,
    StateMessage,
    StateReport,
    Wiper,
)

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
"""The actions that this stage handles; of them only the horn cares about the release."""

_CYCLES: dict[Action, tuple[str, tuple[Any, ...]]] = {
    Action.HEADLIGHT: ("headlight", tuple(Headlight)),
    Action.WIPER: ("wiper", tuple(Wiper)),
    Action.HAND_BRAKE: ("hand_brake", (False, True)),
}


@dataclass(frozen=True)
class _Pending:
    """A field that was asked for and not yet reported."""

    value: Any
    asked_at: float


class StateRequests:
    """Turns actions into state commands and watches whether the vehicle follows."""

    def __init__(self, timeout_s: float = 4.0) -> None:
        self._timeout_s = timeout_s
        self._pending: dict[str, _Pending] = {}

    def on_action(
        self, action: Action, pressed: bool, state: StateReport | None, now: float
    ) -> tuple[StateMessage | None, tuple[Notice, ...]]:
        """The state command that this press (or the horn's release) asks for."""
        if not pressed and action is not Action.HORN:
            return None, ()
        if state is None:
            text = f"{action.value} not sent: the vehicle has not reported its state yet"
            return None, (Notice(teleop_notices.REQUEST_IGNORED, text),)
        name, value = self._wanted(action, pressed, state)
        self._pending[name] = _Pending(value, now)
        text = f"asked for {_words(name, value)}"
        return self._message(state), (Notice(teleop_notices.REQUEST_SENT, text),)

    def check(self, state: StateReport | None, now: float) -> tuple[Notice, ...]:
        """Forget what was fulfilled; report what was not in time."""
        notices = []
        for name, pending in list(self._pending.items()):
            if state is not None and getattr(state, name) == pending.value:
                del self._pending[name]
            elif now - pending.asked_at >= self._timeout_s:
                del self._pending[name]
                text = (
                    f"{_words(name, pending.value)} did not come within {self._timeout_s:g} s:"
                    " safety_status says why"
                )
                notices.append(Notice(teleop_notices.REQUEST_UNMET, text))
        return tuple(notices)

    def _wanted(self, action: Action, pressed: bool, state: StateReport) -> tuple[str, Any]:
        if action in _GEARS:
            return "gear", _GEARS[action]
        if action in _BLINKERS:
            wanted = _BLINKERS[action]
            is_on = self._current("blinker", state) is wanted
            return "blinker", Blinker.OFF if is_on else wanted
        if action in _CYCLES:
            name, values = _CYCLES[action]
            index = values.index(self._current(name, state))
            return name, values[(index + 1) % len(values)]
        return "horn", pressed

    def _current(self, name: str, state: StateReport) -> Any:
        """The field as last asked for, else as reported: two quick presses make two steps."""
        pending = self._pending.get(name)
        return getattr(state, name) if pending is None else pending.value

    def _message(self, state: StateReport) -> StateMessage:
        return StateMessage(
            blinker=int(self._current("blinker", state)),
            headlight=int(self._current("headlight", state)),
            wiper=int(self._current("wiper", state)),
            gear=int(self._current("gear", state)),
            hand_brake=bool(self._current("hand_brake", state)),
            horn=bool(self._current("horn", state)),
        )


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{name.replace('_', ' ')} {'on' if value else 'off'}"
    return f"{name} {value.name}"
