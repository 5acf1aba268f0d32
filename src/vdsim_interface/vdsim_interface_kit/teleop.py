"""Helpers for the tests of teleop: a scripted gamepad, a toy car that follows commands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.extras.teleop.linux_input import INPUT_EVENT, JS_EVENT
from vdsim_interface.teleop.mapping import Action, GamepadMapping, PedalAxis, Switch
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values import (
    Blinker,
    Command,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    Odometry,
    RawCommand,
    StateReport,
    VehicleCommand,
    Wiper,
    drive_direction,
)

GAMEPADS = Path(__file__).resolve().parents[1] / "config" / "gamepads"
XBOX = load_mapping(GAMEPADS / "xbox.yaml")

STATE = StateReport(
    fuel=80,
    blinker=Blinker.OFF,
    headlight=Headlight.OFF,
    wiper=Wiper.OFF,
    gear=Gear.DRIVE,
    mode=Mode.AUTONOMOUS,
    hand_brake=False,
    horn=False,
)


def js_axis(number: int, value: int, *, init: bool = False) -> bytes:
    """One js_event of an axis."""
    return JS_EVENT.pack(1000, value, 0x02 | (0x80 if init else 0), number)


def js_button(number: int, pressed: int, *, init: bool = False) -> bytes:
    """One js_event of a button."""
    return JS_EVENT.pack(1000, pressed, 0x01 | (0x80 if init else 0), number)


def input_event(kind: int, code: int, value: int) -> bytes:
    """One input_event."""
    return INPUT_EVENT.pack(12, 345678, kind, code, value)


class PlayedPad:
    """A gamepad whose controls are set by function; returns its Joy messages."""

    def __init__(self, mapping: GamepadMapping = XBOX) -> None:
        self.mapping = mapping
        self.axes = [0.0] * mapping.axes
        self.buttons = [0] * mapping.buttons
        for part in (mapping.throttle, mapping.brake):
            if isinstance(part, PedalAxis):
                self.axes[part.axis] = part.rest

    def hold(self, control: Action | str, on: bool = True) -> None:
        """Hold or release the button of an action, of the dead-man or a pedal that is one."""
        switch = self._switch(control)
        if switch.with_button is not None:
            self.buttons[switch.with_button] = int(on)
        if switch.button is not None:
            self.buttons[switch.button] = int(on)
        elif switch.axis is not None:
            self.axes[switch.axis] = math.copysign(1.0, switch.beyond) if on else 0.0

    def pedal(self, name: str, travel: float) -> None:
        """Press throttle or brake, 0 to 1."""
        part = getattr(self.mapping, name)
        if isinstance(part, PedalAxis):
            self.axes[part.axis] = part.rest + travel * (part.pressed - part.rest)
        else:
            self.hold(name, travel > 0.5)

    def steer(self, value: float) -> None:
        """Push the steering stick, +1 is left."""
        self.axes[self.mapping.steer.axis] = -value if self.mapping.steer.invert else value

    def joy(self) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Axes and buttons as a Joy message carries them."""
        return tuple(self.axes), tuple(self.buttons)

    def _switch(self, control: Action | str) -> Switch:
        if isinstance(control, Action):
            return self.mapping.actions[control]
        switch = getattr(self.mapping, control)
        assert isinstance(switch, Switch), control
        return switch


@dataclass
class ToyCar:
    """A car that applies commands with a small delay: enough to close the loop."""

    velocity_mps: float = 0.0
    wheel_angle_rad: float = 0.0
    distance_m: float = 0.0
    state: StateReport = STATE
    lag_s: float = 0.2
    accel_mps2: float = 0.0

    def step(self, command: Command | None, dt_s: float) -> None:
        """Move for a while under a command; without one it coasts."""
        wanted = self._wanted_accel(command)
        self.accel_mps2 += (wanted - self.accel_mps2) * min(1.0, dt_s / self.lag_s)
        before = self.velocity_mps
        self.velocity_mps += self.accel_mps2 * dt_s
        if before * self.velocity_mps < 0.0 and self._brakes(command):
            self.velocity_mps = self.accel_mps2 = 0.0
        self.distance_m += self.velocity_mps * dt_s

    def _wanted_accel(self, command: Command | None) -> float:
        if isinstance(command, HighLevelCommand):
            error = command.velocity_mps - self.velocity_mps
            self.wheel_angle_rad = math.atan(command.curvature_1pm * 2.97)
            return min(max(4.0 * error, -6.0), 3.0)
        if isinstance(command, VehicleCommand):
            self.wheel_angle_rad = command.front_wheel_angle_rad
            return command.long_accel_mps2
        if isinstance(command, RawCommand):
            direction = drive_direction(self.state.gear)
            push = command.throttle / 1000 * 3.0 * direction
            return push - math.copysign(command.brake / 1000 * 6.0, self.velocity_mps)
        return 0.0

    def _brakes(self, command: Command | None) -> bool:
        return not isinstance(command, HighLevelCommand) or command.velocity_mps == 0.0

    def odometry(self) -> Odometry:
        """What the car reports of its motion."""
        return Odometry(0.0, self.velocity_mps, self.wheel_angle_rad)

    def motion(self) -> MeasuredMotion:
        """The same as the cores see it."""
        return MeasuredMotion(self.velocity_mps, self.wheel_angle_rad, self.state)

    def shift(self, gear: Gear) -> None:
        """Put a gear in."""
        self.state = replace(self.state, gear=gear)

    def become(self, mode: Mode) -> None:
        """Change the interface's mode."""
        self.state = replace(self.state, mode=mode)
