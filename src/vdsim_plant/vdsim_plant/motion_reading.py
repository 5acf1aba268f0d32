"""Reads a VehicleMotion out of the numeric core's buffer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import Ground
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import VehicleMotion, Wheels
from vdsim_plant.parameters import VehicleParameters

_PEAKS = at.OBSERVED_WHEELS + at.OBSERVED_PEAKS


class MotionReader:
    """Knows what the buffer does not hold: springs and trail."""

    def __init__(self, vehicle: VehicleParameters, ground: Ground) -> None:
        self._trail_m = vehicle.steering.mechanical_trail_m
        self._slope = (ground.slope_x, ground.slope_y)
        self._rise = math.sqrt(1.0 + ground.slope_x**2 + ground.slope_y**2)
        self._static_n = vehicle.static_wheel_loads_n()
        self._wheel_rates = _wheel_rates(vehicle)

    def read(self, car: NDArray[np.float64], throttle: float, brake: float) -> VehicleMotion:
        """Return the motion of a car; the pedals are passed through."""
        v = car.tolist()
        fz = _wheels(v, at.FZ)
        fy = _wheels(v, at.FY)
        slopes = self._slope
        return VehicleMotion(
            time_s=v[at.OBSERVED_TIME],
            x_m=v[at.X],
            y_m=v[at.Y],
            z_m=(v[at.X] * slopes[0] + v[at.Y] * slopes[1]) / self._rise,
            roll_rad=v[at.OBSERVED_ROLL],
            pitch_rad=v[at.OBSERVED_PITCH],
            yaw_rad=v[at.YAW],
            vx_mps=v[at.VX],
            vy_mps=v[at.VY],
            vz_mps=0.0,
            roll_rate_radps=0.0,
            pitch_rate_radps=0.0,
            yaw_rate_radps=v[at.YAW_RATE],
            ax_mps2=v[at.AX],
            ay_mps2=v[at.AY],
            beta_rad=v[at.OBSERVED_BETA],
            steer_applied_rad=v[at.STEER],
            throttle_applied=throttle,
            brake_applied=brake,
            rack_torque_nm=-self._trail_m * (fy[0] + fy[1]),
            wheel_radius_m=v[at.RADIUS],
            wheel_spin_radps=_wheels(v, at.SPIN),
            slip_ratio=_wheels(v, at.SLIP_X),
            slip_angle_rad=_four(v[at.OBSERVED_WHEELS + 3 :: at.OBSERVED_PER_WHEEL]),
            suspension_compression_m=_four(
                [
                    (load - static) / rate
                    for load, static, rate in zip(
                        fz, self._static_n, self._wheel_rates, strict=True
                    )
                ]
            ),
            tire_fx_n=_wheels(v, at.FX),
            tire_fy_n=fy,
            tire_fz_n=fz,
            tire_body_fx_n=_wheels(v, at.BODY_FX),
            tire_body_fy_n=_wheels(v, at.BODY_FY),
            wheel_mu=_wheels(v, at.MU),
            mu_peak=_four(v[at.OBSERVED_WHEELS + 6 :: at.OBSERVED_PER_WHEEL]),
            slip_ratio_peak=_four(v[_PEAKS + 1 :: at.OBSERVED_PER_WHEEL]),
            slip_angle_peak_rad=_four(v[_PEAKS :: at.OBSERVED_PER_WHEEL]),
        )


def _wheel_rates(vehicle: VehicleParameters) -> Wheels:
    """Return the spring rate at each wheel [N/m] that gives the axle its roll stiffness."""
    body, suspension = vehicle.body, vehicle.suspension
    front = 2.0 * suspension.roll_stiffness_front_nm_per_rad / body.track_front_m**2
    rear = 2.0 * suspension.roll_stiffness_rear_nm_per_rad / body.track_rear_m**2
    return (front, front, rear, rear)


def _wheels(values: list[float], first: int) -> Wheels:
    return (values[first], values[first + 1], values[first + 2], values[first + 3])


def _four(values: list[float]) -> Wheels:
    return (values[0], values[1], values[2], values[3])
