"""Parameters of gamepad_teleop and keyboard_teleop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.parameters.fields import Parameters, choice, flag, real, text, whole
from vdsim_interface.values import ControlLevel

LEVELS = tuple(
    level.value for level in (ControlLevel.HIGH_LEVEL, ControlLevel.VEHICLE, ControlLevel.RAW)
)
"""The command levels in the order of the level button."""


@dataclass(frozen=True)
class DriverParameters(Parameters):
    """How the person's demands become commands; the same for gamepad and keyboard."""

    PREFIX: ClassVar[str] = "driver"

    level: str = choice("high_level", "command level at start", LEVELS)
    output_rate_hz: float = real(
        50.0, "rate of commands [Hz]", live=False, at_least=10, at_most=200
    )
    wheelbase_m: float = real(2.97, "distance between the axles [m]", at_least=0.1, at_most=20)
    wheel_angle_max_rad: float = real(
        0.5, "wheel angle at full stick and low speed [rad]", above=0, at_most=1.2
    )
    lateral_accel_max_mps2: float = real(
        3.0, "lateral acceleration at full stick, at any speed [m/s2]", above=0, at_most=10
    )
    steer_rate_radps: float = real(0.5, "rate limit of the wheel angle [rad/s]", above=0)
    speed_max_mps: float = real(14.0, "largest commanded speed, forward [m/s]", above=0, at_most=60)
    reverse_speed_max_mps: float = real(
        3.0, "largest commanded speed, in reverse [m/s]", above=0, at_most=20
    )
    accel_max_mps2: float = real(
        2.0, "acceleration at full throttle [m/s2]", at_least=0.1, at_most=8
    )
    brake_max_mps2: float = real(4.0, "deceleration at full brake [m/s2]", above=0, at_most=10)
    coast_mps2: float = real(
        0.5, "deceleration with both pedals released [m/s2]", at_least=0, at_most=3
    )
    pedal_rate_ps: float = real(
        4.0,
        "rate limit of a pedal that is pressed [full travel/s]; a release acts at once",
        above=0,
    )
    speed_lead_mps: float = real(
        2.0, "largest lead of the commanded speed over the measured one [m/s]", above=0, at_most=10
    )
    raw_throttle_full: int = whole(1000, "full throttle on the raw level [raw units]", above=0)
    raw_brake_full: int = whole(1000, "full brake on the raw level [raw units]", above=0)
    raw_steer_full: int = whole(
        1000, "raw steering at the largest wheel angle [raw units]", above=0
    )
    release_after_s: float = real(
        2.0,
        "after a stop, time at standstill until control is released [s]; 0: never",
        at_least=0,
        at_most=600,
    )


@dataclass(frozen=True)
class GamepadParameters(Parameters):
    """Conditions under which the gamepad drives."""

    PREFIX: ClassVar[str] = "gamepad"

    require_deadman: bool = flag(True, "drive only while the dead-man button is held")
    joy_timeout_s: float = real(
        0.3, "age at which Joy is stale and the car stops [s]", above=0.05, at_most=2
    )


@dataclass(frozen=True)
class KeyboardParameters(Parameters):
    """Effect of one press of a key."""

    PREFIX: ClassVar[str] = "keyboard"

    speed_step_mps: float = real(1.0, "step of faster and slower [m/s]", above=0, at_most=5)
    pedal_step: float = real(
        0.1, "step of faster and slower on the levels with pedals [full travel]", above=0, at_most=1
    )
    steer_step: float = real(0.15, "step of left and right [full travel]", above=0, at_most=1)
    steer_hold_s: float = real(
        0.7, "time without a steering key until the steering returns [s]", above=0.1, at_most=5
    )
    steer_return_ps: float = real(2.0, "rate of the steering's return [full travel/s]", above=0)
    attention_s: float = real(
        5.0,
        "dead-man: time without any key until the car stops [s]; 0: never",
        at_least=0,
        at_most=60,
    )


@dataclass(frozen=True)
class GamepadTeleopParameters(Parameters):
    """Everything of the node gamepad_teleop."""

    source: str = text("gamepad", "name of this source for the command mux; empty: no mux")
    joy_config: str = text(
        "auto", "a shipped mapping (xbox, playstation ...), a file, or auto: selected by the device"
    )

    gamepad: GamepadParameters = field(default_factory=GamepadParameters)
    driver: DriverParameters = field(default_factory=DriverParameters)
    safe_stop: SafeStopParameters = field(default_factory=SafeStopParameters)


@dataclass(frozen=True)
class KeyboardTeleopParameters(Parameters):
    """Everything of the node keyboard_teleop."""

    source: str = text("keyboard", "name of this source for the command mux; empty: no mux")

    keyboard: KeyboardParameters = field(default_factory=KeyboardParameters)
    driver: DriverParameters = field(default_factory=DriverParameters)
    safe_stop: SafeStopParameters = field(default_factory=SafeStopParameters)
