"""Step steer, ISO 7401: how fast and how smoothly a car answers to the steering wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vdsim_plant.observation import Observation
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.study.manoeuvres.driving import (
    CarUnderTest,
    car_under_test,
    checked_speed,
    speed_keeper,
)
from vdsim_plant.study.manoeuvres.trace import Array, Trace
from vdsim_plant.vehicle_characteristics import axle_stiffness_n_per_rad, understeer_gradient

_STEP_AT_S = 0.5
_LONGEST_S = 5.0
_STEADY_S = 0.5  # the last part of the drive counts as steady
_HAND_RATE_RADPS = math.radians(500.0)


@dataclass(frozen=True, eq=False)
class StepSteerResult:
    """ISO 7401 response. Times from the moment at which half of the step is steered."""

    speed_mps: float
    steer_step_rad: float
    steady_lateral_acceleration_mps2: float
    steady_yaw_rate_radps: float
    steady_sideslip_rad: float
    yaw_rate_gain_per_s: float
    lateral_acceleration_gain_mps2_per_rad: float
    yaw_rate_response_time_s: float  # to 90 % of the steady value
    lateral_acceleration_response_time_s: float
    yaw_rate_peak_time_s: float
    yaw_rate_overshoot: float  # over the steady value
    lateral_acceleration_overshoot: float
    tb_factor_s_deg: float  # yaw rate peak time times steady sideslip
    trace: Trace


def step_steer(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    speed_mps: float = 80.0 / 3.6,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
    lateral_acceleration_mps2: float = 4.0,
) -> StepSteerResult:
    """Steer a step to the left that leads to a steady lateral acceleration.

    The wheel angle follows from the car's own behaviour: linear theory first, then corrected by
    what the car did.
    """
    speed_mps = checked_speed(speed_mps)
    if not 0.0 < lateral_acceleration_mps2 < 0.95 * mu * GRAVITY_MPS2:
        limit = f"> 0 and < {0.95 * mu * GRAVITY_MPS2:.2f} m/s2 on this road"
        raise wrong_value("lateral_acceleration_mps2", lateral_acceleration_mps2, limit)
    car = car_under_test(vehicle, tyre, mu)
    steer_rad = _linear_steer(car, speed_mps, lateral_acceleration_mps2)
    for _ in range(3):
        reached = _steady(_drive(car, speed_mps, steer_rad), "ay_mps2")
        steer_rad *= lateral_acceleration_mps2 / reached
    return _evaluate(_drive(car, speed_mps, steer_rad), car, speed_mps, steer_rad)


def _linear_steer(car: CarUnderTest, speed_mps: float, lateral_acceleration_mps2: float) -> float:
    front, rear = axle_stiffness_n_per_rad(car.vehicle, car.tyre, car.mu)
    gradient = understeer_gradient(car.vehicle, front, rear)
    return lateral_acceleration_mps2 * (car.vehicle.body.wheelbase_m / speed_mps**2 + gradient)


def _drive(car: CarUnderTest, speed_mps: float, steer_rad: float) -> Trace:
    keep = speed_keeper(car, speed_mps)
    rate = _HAND_RATE_RADPS / car.vehicle.steering.ratio

    def driver(seen: Observation) -> tuple[float, float]:
        return min(max(seen["t"] - _STEP_AT_S, 0.0) * rate, steer_rad), keep(seen)

    return car.drive(speed_mps, driver, longest_s=_LONGEST_S)


def _steady(trace: Trace, column: str) -> float:
    values: Array = getattr(trace, column)
    return float(values[trace.time_s > trace.time_s[-1] - _STEADY_S].mean())


def _evaluate(
    trace: Trace, car: CarUnderTest, speed_mps: float, steer_rad: float
) -> StepSteerResult:
    half_way_s = _STEP_AT_S + 0.5 * steer_rad * car.vehicle.steering.ratio / _HAND_RATE_RADPS
    yaw_rate, ay = _steady(trace, "yaw_rate_radps"), _steady(trace, "ay_mps2")
    sideslip = _steady(trace, "sideslip_rad")
    peak_time_s = float(trace.time_s[int(np.argmax(trace.yaw_rate_radps))]) - half_way_s
    return StepSteerResult(
        speed_mps=speed_mps,
        steer_step_rad=steer_rad,
        steady_lateral_acceleration_mps2=ay,
        steady_yaw_rate_radps=yaw_rate,
        steady_sideslip_rad=sideslip,
        yaw_rate_gain_per_s=yaw_rate / steer_rad,
        lateral_acceleration_gain_mps2_per_rad=ay / steer_rad,
        yaw_rate_response_time_s=_reached(trace, trace.yaw_rate_radps, yaw_rate) - half_way_s,
        lateral_acceleration_response_time_s=_reached(trace, trace.ay_mps2, ay) - half_way_s,
        yaw_rate_peak_time_s=peak_time_s,
        yaw_rate_overshoot=float(trace.yaw_rate_radps.max()) / yaw_rate - 1.0,
        lateral_acceleration_overshoot=float(trace.ay_mps2.max()) / ay - 1.0,
        tb_factor_s_deg=peak_time_s * abs(float(np.degrees(sideslip))),
        trace=trace,
    )


def _reached(trace: Trace, values: Array, steady: float) -> float:
    """Return when `values` first reach 90 % of the steady value, between the samples."""
    wanted = 0.9 * steady
    after = int(np.argmax(values >= wanted))
    before = max(after - 1, 0)
    return float(np.interp(wanted, values[before : after + 1], trace.time_s[before : after + 1]))
