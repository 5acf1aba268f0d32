"""What goes into a car and what comes out of it: plain frozen values.

Frames: world ENU, body ISO 8855 (x forward, y left, z up), wheels in the order FL, FR, RL, RR.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from vdsim_plant.kernel.layout import WHEEL_NAMES
from vdsim_plant.parameters.entries import entries_of
from vdsim_plant.parameters.errors import wrong_value

Wheels = tuple[float, float, float, float]
NO_TORQUE: Wheels = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class InitialState:
    """Where a car starts. The wheels roll at that speed, without slip along x."""

    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0
    vx_mps: float = 0.0
    vy_mps: float = 0.0
    yaw_rate_radps: float = 0.0


Wind = tuple[float, float, float]
"""Force along world x and y [N] at the centre of gravity, moment to the left [N m]."""
NO_WIND: Wind = (0.0, 0.0, 0.0)
MOST_WIND = 1e6


@dataclass(frozen=True)
class WheelTorques:
    """Torques at the wheels, FL, FR, RL, RR [N m].

    `drive_nm`: of motors at the wheels; positive drives forwards, negative backwards. `brake_nm`:
    of the wheels' brakes, not negative; a brake opposes a wheel's turning and never drives it.
    """

    drive_nm: Wheels = NO_TORQUE
    brake_nm: Wheels = NO_TORQUE

    def __post_init__(self) -> None:
        object.__setattr__(self, "drive_nm", checked_drive("drive_nm", self.drive_nm))
        object.__setattr__(self, "brake_nm", checked_brake("brake_nm", self.brake_nm))

    def without_drive(self) -> WheelTorques:
        """Return the same without what drives forwards."""
        first, second, third, fourth = (min(torque, 0.0) for torque in self.drive_nm)
        return WheelTorques((first, second, third, fourth), self.brake_nm)


def checked_wind(wind: ArrayLike) -> Wind:
    """Return the force and the moment of a wind, or raise naming what is wrong."""
    try:
        along_x, along_y, moment = (float(value) for value in entries_of(wind))
    except (TypeError, ValueError, OverflowError):
        raise wrong_value("wind", wind, "three numbers, [Fx_n, Fy_n, moment_nm]") from None
    for index, value in enumerate((along_x, along_y, moment)):
        if not abs(value) <= MOST_WIND:
            raise wrong_value(f"wind[{index}]", value, f"within +-{MOST_WIND:g}")
    return along_x, along_y, moment


def checked_drive(key: str, torques: ArrayLike) -> Wheels:
    """Return four finite torques, or raise naming the wheel."""
    try:
        first, second, third, fourth = entries_of(torques)
        # Text that reads as a number is none: isfinite raises for it, float would not.
        finite = [math.isfinite(torque) for torque in (first, second, third, fourth)]
        four = (float(first), float(second), float(third), float(fourth))
    except (TypeError, ValueError, OverflowError):
        raise wrong_value(key, torques, "four numbers, FL, FR, RL, RR [N m]") from None
    for index, torque in enumerate(four):
        if not finite[index]:
            raise wrong_value(f"{key}[{index}] ({WHEEL_NAMES[index]})", torque, "finite")
    return four


def checked_brake(key: str, torques: ArrayLike) -> Wheels:
    """Return four finite torques that are not negative, or raise naming the wheel."""
    four = checked_drive(key, torques)
    for index, torque in enumerate(four):
        if torque < 0.0:
            raise wrong_value(f"{key}[{index}] ({WHEEL_NAMES[index]})", torque, ">= 0 N m")
    return four


@dataclass(frozen=True)
class PedalInput:
    """What a driver does. `gear`: +1 drive, 0 neutral, -1 reverse; pedals 0 to 1.

    `torques` at the wheels come on top of what the pedals give, whatever the gear.
    """

    steer_rad: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    gear: int = 1
    handbrake: bool = False
    torques: WheelTorques | None = None


@dataclass(frozen=True)
class VehicleMotion:
    """The true state of a car after a step; the forces are those of the step's last substep.

    `ax`, `ay`: acceleration of the centre of gravity in the body frame (gravity's share on a slope
    included). `tire_fx_n`, `tire_fy_n`: contact forces in the wheel frame; `tire_body_*`: the same
    in the body frame. `slip_ratio` and `slip_angle` are what the tyre's force law used: away from
    standstill the kinematic slip. Roll and pitch are quasi-static, so their rates are not modelled
    and read 0. `rack_torque_nm` is the aligning torque of both front wheels about the kingpins.
    """

    time_s: float
    x_m: float
    y_m: float
    z_m: float
    roll_rad: float
    pitch_rad: float
    yaw_rad: float
    vx_mps: float
    vy_mps: float
    vz_mps: float
    roll_rate_radps: float
    pitch_rate_radps: float
    yaw_rate_radps: float
    ax_mps2: float
    ay_mps2: float
    beta_rad: float
    steer_applied_rad: float
    throttle_applied: float
    brake_applied: float
    rack_torque_nm: float
    wheel_radius_m: float
    wheel_spin_radps: Wheels
    slip_ratio: Wheels
    slip_angle_rad: Wheels
    suspension_compression_m: Wheels
    tire_fx_n: Wheels
    tire_fy_n: Wheels
    tire_fz_n: Wheels
    tire_body_fx_n: Wheels
    tire_body_fy_n: Wheels
    wheel_mu: Wheels
    mu_peak: Wheels
    slip_ratio_peak: Wheels
    slip_angle_peak_rad: Wheels

    @property
    def wheels_lifted(self) -> tuple[bool, bool, bool, bool]:
        """Which wheels carry nothing: FL, FR, RL, RR. From there on a real car would tip."""
        front_left, front_right, rear_left, rear_right = (load <= 0.0 for load in self.tire_fz_n)
        return front_left, front_right, rear_left, rear_right
