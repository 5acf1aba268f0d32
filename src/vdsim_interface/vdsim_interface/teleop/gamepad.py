"""sensor_msgs/Joy -> intent and actions, and every reason not to drive.

First stage of gamepad_teleop: `on_joy` receives the messages, `intent` returns the current demand.
After start, a time-out or a disconnect, the dead-man button must be reported released before it
counts, and a trigger must be reported at rest (see `shaping`). Neutral first: a throttle that
was pressed before the dead-man button counts only after it was reported released.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.driver import Intent
from vdsim_interface.teleop.mapping import (
    Action,
    GamepadMapping,
    PedalAxis,
    Switch,
    choose_mapping,
)
from vdsim_interface.teleop.parameters import GamepadParameters
from vdsim_interface.teleop.shaping import TriggerMemory, steer_value, trigger_value
from vdsim_interface.teleop.station import ActionEvent
from vdsim_interface.values import Notice

_AXIS_MAX = 1.01
"""Drivers that divide -32768 by 32767 report a little more than 1."""


class Gamepad:
    """One gamepad. Of several `mappings`, the device selects one."""

    def __init__(self, mappings: tuple[GamepadMapping, ...], parameters: GamepadParameters) -> None:
        self.mapping: GamepadMapping | None = None
        self._mappings = mappings
        self._parameters = parameters
        self._device_name = ""
        self._axes: tuple[float, ...] = ()
        self._buttons: tuple[int, ...] = ()
        self._received_at = -math.inf
        self._why_not = "no Joy message received yet"
        self._deadman_was_released = False
        self._rearm_because = ""
        self._throttle_was_free = False
        self._neutral_asked = False
        self._memory = {"throttle": TriggerMemory(), "brake": TriggerMemory()}
        self._pedals = {"throttle": 0.0, "brake": 0.0}
        self._pressed: dict[Action, bool] = {}
        self._reported_shape: tuple[int, int] | None = None
        self._first_sample = True
        self._is_stop_held = False

    def on_device(self, name: str) -> tuple[tuple[ActionEvent, ...], tuple[Notice, ...]]:
        """Receive the joystick device's name; an empty name means that it was disconnected."""
        if name:
            if name != self._device_name:
                self._reset(f"no Joy message received from {name} yet")
                self._device_name = name
            return (), ()
        if not self._device_name:
            return (), ()
        text = f"{self._device_name} was disconnected"
        self._device_name = ""
        return self._release_all(text), (Notice(teleop_notices.DEVICE_LOST, text),)

    def on_joy(
        self, axes: tuple[float, ...], buttons: tuple[int, ...], now: float
    ) -> tuple[tuple[ActionEvent, ...], tuple[Notice, ...]]:
        """Receive a Joy message. Returns the buttons that changed, and notices."""
        stop = self._stop_event(axes, buttons)
        if self.mapping is not None and not self.mapping.fits(len(axes), len(buttons)):
            events, notices = self._lose_shape(self.mapping, (len(axes), len(buttons)))
            return stop + events, notices
        notices = self._find_mapping(axes, buttons)
        if self.mapping is None:
            return stop, notices
        fault = _fault([axes[index] for index in self.mapping.used_axes])
        if fault is not None:
            return stop, (*notices, fault)
        self._axes, self._buttons = axes, buttons
        self._received_at = now
        self._why_not = ""
        if not self._deadman_held():
            self._deadman_was_released = True
        for key, part in (("throttle", self.mapping.throttle), ("brake", self.mapping.brake)):
            self._pedals[key] = self._pedal(key, part)
        return stop + self._changed_actions(), notices + self._check_neutral()

    def tick(self, now: float) -> tuple[tuple[ActionEvent, ...], tuple[Notice, ...]]:
        """Check the time-out of Joy; call it before each `intent`."""
        age_s = now - self._received_at
        if self._why_not or age_s <= self._parameters.joy_timeout_s:
            return (), ()
        text = f"no Joy message for {self._parameters.joy_timeout_s:g} s"
        return self._release_all(text), (Notice(teleop_notices.JOY_SILENT, text),)

    def intent(self) -> Intent:
        """Return the current demand."""
        mapping = self.mapping
        if self._why_not or mapping is None:
            return Intent(False, why=self._why_not or "no mapping for this device")
        if not self._may_drive():
            why = self._rearm_because or (
                "dead-man button released"
                if mapping.deadman
                else (
                    f"the mapping '{mapping.name}' has no dead-man button and require_deadman is on"
                )
            )
            return Intent(False, why=why)
        return Intent(
            True,
            steer=steer_value(self._axes[mapping.steer.axis], mapping.steer),
            throttle=self._pedals["throttle"] if self._throttle_was_free else 0.0,
            brake=self._pedals["brake"],
        )

    def rearm(self, why: str) -> None:
        """Do not drive until the dead-man button is released and held again.

        Without a dead-man button: until both pedals were released and one is pressed.
        """
        self._rearm_because = why
        self._deadman_was_released = False
        self._throttle_was_free = False

    def _may_drive(self) -> bool:
        if not self._parameters.require_deadman:
            return not self._rearm_because
        return self._deadman_was_released and self._deadman_held()

    def _check_neutral(self) -> tuple[Notice, ...]:
        """Pressed from before the dead-man button, the throttle counts once it was released."""
        needed = self._parameters.require_deadman
        throttle, pressed = self._pedals["throttle"], max(self._pedals.values()) > 0.0
        if needed and not self._deadman_held():
            self._throttle_was_free = throttle == 0.0
            self._neutral_asked = False
            self._rearm_because = ""
        elif throttle == 0.0:
            self._throttle_was_free = True
        elif not self._throttle_was_free and not self._neutral_asked:
            self._neutral_asked = True
            text = "the throttle counts after it was released once"
            return (Notice(teleop_notices.NEUTRAL_FIRST, text),)
        if not needed and self._throttle_was_free and pressed:
            self._rearm_because = ""
        return ()

    def _deadman_held(self) -> bool:
        mapping = self.mapping
        return bool(mapping and mapping.deadman and self._is_on(mapping.deadman))

    def _pedal(self, key: str, part: PedalAxis | Switch) -> float:
        if isinstance(part, Switch):
            return float(self._is_on(part))
        value, self._memory[key] = trigger_value(self._axes[part.axis], part, self._memory[key])
        return value

    def _stop_event(
        self, axes: tuple[float, ...], buttons: tuple[int, ...]
    ) -> tuple[ActionEvent, ...]:
        """The emergency stop of a message, in each one, before anything else in it is judged.

        By the mapping in use, and by the one for a device of the message's shape.
        """
        by_shape = self._choose((len(axes), len(buttons)))
        mappings = {id(each): each for each in (self.mapping, by_shape) if each is not None}
        asked = any(each.asks_to_stop(axes, buttons) for each in mappings.values())
        was_asked = self._is_stop_held
        self._is_stop_held = asked
        return (ActionEvent(Action.EMERGENCY_STOP, True, again=was_asked),) if asked else ()

    def _is_on(self, switch: Switch) -> bool:
        if switch.with_button is not None and not self._buttons[switch.with_button]:
            return False
        axis = 0.0 if switch.axis is None else self._axes[switch.axis]
        return switch.is_on(axis, 0 if switch.button is None else self._buttons[switch.button])

    def _changed_actions(self) -> tuple[ActionEvent, ...]:
        assert self.mapping is not None, "only called with a mapping"
        chorded = {
            switch.without_button()
            for switch in self.mapping.actions.values()
            if switch.with_button is not None and self._is_on(switch)
        }
        events = []
        for action, switch in self.mapping.actions.items():
            if action is Action.EMERGENCY_STOP:
                continue  # it has acted already
            on = self._is_on(switch)
            if switch.with_button is None and switch in chorded:
                on = False  # held together with a second button it means the other action
            if on != self._pressed.get(action, False):
                self._pressed[action] = on
                events.append(ActionEvent(action, on))
        if self._first_sample:  # held since before the start, not pressed now
            self._first_sample = False
            return ()
        return tuple(events)

    def _find_mapping(
        self, axes: tuple[float, ...], buttons: tuple[int, ...]
    ) -> tuple[Notice, ...]:
        if self.mapping is not None:
            return ()
        shape = (len(axes), len(buttons))
        found = self._choose(shape)
        if found is not None and found.fits(*shape):
            self.mapping = found
            name = self._device_name or f"a joystick with {shape[0]} axes, {shape[1]} buttons"
            text = f"{name}: using the mapping '{found.name}'"
            return (Notice(teleop_notices.DEVICE_FOUND, text),)
        if self._reported_shape == shape:
            return ()
        self._reported_shape = shape
        return (self._unfit(self._only, shape),)

    @property
    def _only(self) -> GamepadMapping | None:
        return self._mappings[0] if len(self._mappings) == 1 else None

    def _choose(self, shape: tuple[int, int]) -> GamepadMapping | None:
        return self._only or choose_mapping(self._mappings, self._device_name, *shape)

    def _lose_shape(
        self, mapping: GamepadMapping, shape: tuple[int, int]
    ) -> tuple[tuple[ActionEvent, ...], tuple[Notice, ...]]:
        """A message that is too short for the mapping in use: let go, and say why."""
        text = (
            f"a Joy message has {shape[0]} axes and {shape[1]} buttons; the mapping "
            f"'{mapping.name}' needs {mapping.axes} and {mapping.buttons}"
        )
        events = self._release_all(text)
        self._reported_shape = shape
        return events, (Notice(teleop_notices.DEVICE_TOO_SMALL, text),)

    def _unfit(self, only: GamepadMapping | None, shape: tuple[int, int]) -> Notice:
        name = self._device_name or "the joystick"
        size = f"{name} has {shape[0]} axes and {shape[1]} buttons"
        if only is not None:
            text = f"{size}; the mapping '{only.name}' needs {only.axes} and {only.buttons}"
            self._why_not = text
            return Notice(teleop_notices.DEVICE_TOO_SMALL, text)
        text = f"{size}; no mapping fits: make one with 'vdsim_gamepad map'"
        self._why_not = text
        return Notice(teleop_notices.DEVICE_UNKNOWN, text)

    def _release_all(self, why: str) -> tuple[ActionEvent, ...]:
        """Reset, and return a release for every button that was held."""
        held = tuple(ActionEvent(action, False) for action, on in self._pressed.items() if on)
        self._reset(why)
        return held

    def _reset(self, why: str) -> None:
        self._why_not = why
        self._deadman_was_released = False
        self._rearm_because = ""
        self._throttle_was_free = False
        self._neutral_asked = False
        self._memory = {"throttle": TriggerMemory(), "brake": TriggerMemory()}
        self._pedals = {"throttle": 0.0, "brake": 0.0}
        self._pressed = {}
        self.mapping = None
        self._reported_shape = None
        self._first_sample = True


def _fault(axes: Sequence[float]) -> Notice | None:
    """Why a Joy message is rejected; None when it is not."""
    if not all(math.isfinite(value) for value in axes):
        text = "Joy message rejected: an axis is not finite"
        return Notice(teleop_notices.JOY_NOT_FINITE, text)
    worst = max(axes, key=abs, default=0.0)
    if abs(worst) > _AXIS_MAX:
        text = f"Joy message rejected: an axis is {worst:g}; must be -1 to 1"
        return Notice(teleop_notices.JOY_OUT_OF_RANGE, text)
    return None
