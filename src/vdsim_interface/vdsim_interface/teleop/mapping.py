"""The function of each stick, trigger and button of a gamepad: content of `config/gamepads/*.yaml`.

Axes and buttons are indices of sensor_msgs/Joy, +1 is left and up. The files are checked when
loaded; every error names the file's key, its value and what is allowed.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class MappingError(ValueError):
    """A gamepad file has a value that is not allowed."""


class Action(enum.Enum):
    """What a button can request."""

    ENGAGE = "engage"
    DISENGAGE = "disengage"
    LEVEL = "level"
    GEAR_DRIVE = "gear_drive"
    GEAR_REVERSE = "gear_reverse"
    GEAR_PARK = "gear_park"
    GEAR_NEUTRAL = "gear_neutral"
    GEAR_LOW = "gear_low"
    BLINKER_LEFT = "blinker_left"
    BLINKER_RIGHT = "blinker_right"
    HAZARD = "hazard"
    HEADLIGHT = "headlight"
    WIPER = "wiper"
    HORN = "horn"
    HAND_BRAKE = "hand_brake"
    EMERGENCY_STOP = "emergency_stop"
    GIVE_BACK = "give_back"


@dataclass(frozen=True)
class SteerAxis:
    """A stick or wheel. Its output is -1 (right) to +1 (left).

    dead_zone: half width round the centre that reads 0; expo: 0 is linear, 1 is cubic.
    """

    axis: int
    invert: bool = False
    dead_zone: float = 0.08
    expo: float = 0.4

    def __post_init__(self) -> None:
        _check_range("dead_zone", self.dead_zone, 0.0, 0.9)
        _check_range("expo", self.expo, 0.0, 1.0)


@dataclass(frozen=True)
class PedalAxis:
    """A trigger or pedal. Its output is 0 (`rest`) to 1 (`pressed`), both in Joy's units."""

    axis: int
    rest: float
    pressed: float
    dead_zone: float = 0.05
    expo: float = 0.2

    def __post_init__(self) -> None:
        _check_range("rest", self.rest, -1.0, 1.0)
        _check_range("pressed", self.pressed, -1.0, 1.0)
        if abs(self.pressed - self.rest) < 0.1:
            raise MappingError(f"pressed={self.pressed}: must differ from rest by at least 0.1")
        _check_range("dead_zone", self.dead_zone, 0.0, 0.9)
        _check_range("expo", self.expo, 0.0, 1.0)


@dataclass(frozen=True)
class Switch:
    """A button, or an axis pushed beyond a value (the cross of many pads is two axes).

    with_button: a second button that must be held, for gamepads with few buttons.
    """

    button: int | None = None
    axis: int | None = None
    beyond: float = 0.0
    with_button: int | None = None

    def __post_init__(self) -> None:
        if (self.button is None) == (self.axis is None):
            raise MappingError("needs either a button or an axis")
        if self.axis is not None and not 0.1 <= abs(self.beyond) <= 1.0:
            raise MappingError(f"beyond={self.beyond}: must be 0.1 to 1 or -1 to -0.1")

    def is_on(self, axis: float, button: float) -> bool:
        """Whether it is switched on, by the value of its own axis or button."""
        if self.button is not None:
            return bool(button)
        return axis >= self.beyond if self.beyond > 0 else axis <= self.beyond

    def without_button(self) -> Switch:
        """Return the switch alone, to find those that differ only by the second button."""
        return Switch(self.button, self.axis, self.beyond)


@dataclass(frozen=True)
class GamepadMapping:
    """One kind of device. `match`: parts of the device names that it applies to.

    `counts`: numbers of buttons that identify a device without a name; empty: `buttons`.
    """

    name: str
    match: tuple[str, ...]
    axes: int
    buttons: int
    steer: SteerAxis
    throttle: PedalAxis | Switch
    brake: PedalAxis | Switch
    deadman: Switch | None
    actions: Mapping[Action, Switch]
    counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        inputs = {"steer": self.steer, "throttle": self.throttle, "brake": self.brake}
        inputs |= {"deadman": self.deadman} if self.deadman else {}
        inputs |= {f"actions.{action.value}": switch for action, switch in self.actions.items()}
        for key, part in inputs.items():
            _check_index(f"{key}.axis", part.axis, self.axes, "axes")
            if isinstance(part, Switch):
                _check_index(f"{key}.button", part.button, self.buttons, "buttons")
                _check_index(f"{key}.with", part.with_button, self.buttons, "buttons")

    def is_shape(self, axes: int, buttons: int) -> bool:
        """True for a device with exactly the axes and buttons of this kind."""
        return axes == self.axes and buttons in (self.counts or (self.buttons,))

    @property
    def used_axes(self) -> frozenset[int]:
        """The axes of which anything depends."""
        parts = (self.steer, self.throttle, self.brake, self.deadman, *self.actions.values())
        return frozenset(part.axis for part in parts if part is not None and part.axis is not None)

    def asks_to_stop(self, axes: Sequence[float], buttons: Sequence[int]) -> bool:
        """Whether a message holds the emergency stop: nothing else in it is looked at.

        Of whatever length: what is missing is not pressed.
        """
        switch = self.actions.get(Action.EMERGENCY_STOP)
        if switch is None:
            return False
        if switch.with_button is not None and not _at(buttons, switch.with_button):
            return False
        return switch.is_on(_at(axes, switch.axis), _at(buttons, switch.button))

    def fits(self, axes: int, buttons: int) -> bool:
        """True for a device with at least the axes and buttons that this mapping needs."""
        return axes >= self.axes and buttons >= self.buttons


def choose_mapping(
    mappings: tuple[GamepadMapping, ...], name: str, axes: int, buttons: int
) -> GamepadMapping | None:
    """Return the mapping for a device: by its name, else by its exact number of axes and buttons.

    The longest matching name wins ('Logitech G29' over 'G29').
    """
    device_name = name.casefold()
    by_name = [
        (len(part), -index)
        for index, mapping in enumerate(mappings)
        for part in mapping.match
        if part.casefold() in device_name and mapping.fits(axes, buttons)
    ]
    if by_name:
        return mappings[-max(by_name)[1]]
    return next((m for m in mappings if m.is_shape(axes, buttons)), None)


def _at(values: Sequence[float], index: int | None) -> float:
    """A value that may not be there: 0 then."""
    return values[index] if index is not None and index < len(values) else 0


def _check_range(key: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise MappingError(f"{key}={value}: must be {low:g} to {high:g}")


def _check_index(key: str, index: int | None, count: int, what: str) -> None:
    if index is not None and not 0 <= index < count:
        raise MappingError(f"{key}={index}: the device has {what} 0 to {count - 1}")
