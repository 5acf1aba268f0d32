"""Braking to standstill on a straight road, to the limit of the tyres or with a given force.

Metrics as in UN Regulation 13-H: the mean fully developed deceleration is taken between 80 % and
10 % of the initial speed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vdsim_plant.observation import Observation
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.study.manoeuvres.driving import (
    CONTROL_DT_S,
    CarUnderTest,
    Driver,
    car_under_test,
    checked_speed,
)
from vdsim_plant.study.manoeuvres.trace import Trace

STANDSTILL_MPS = 0.05
_LONGEST_S = 60.0


@dataclass(frozen=True, eq=False)
class StraightBrakeResult:
    """What the stop was like."""

    initial_speed_mps: float
    stopped: bool
    stopping_distance_m: float
    stopping_time_s: float
    mean_developed_deceleration_mps2: float
    peak_deceleration_mps2: float
    friction_utilisation: float  # mean developed deceleration over mu g
    largest_slip_ratio: float
    lateral_deviation_m: float
    trace: Trace


def straight_brake(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    speed_mps: float = 100.0 / 3.6,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
    force_n: float | None = None,
) -> StraightBrakeResult:
    """Brake from a speed to standstill.

    Without `force_n` the driver brakes at the threshold: more until a wheel slips beyond its
    peak, then less at once.
    """
    speed_mps = checked_speed(speed_mps)
    if force_n is not None and not force_n > 0.0:
        raise wrong_value("force_n", force_n, "> 0 N")
    car = car_under_test(vehicle, tyre, mu)
    driver = _threshold_driver(car) if force_n is None else _steady_driver(force_n)
    trace = car.drive(speed_mps, driver, longest_s=_LONGEST_S)
    developed = _mean_developed_deceleration(trace, speed_mps)
    return StraightBrakeResult(
        initial_speed_mps=speed_mps,
        stopped=bool(trace.vx_mps[-1] <= STANDSTILL_MPS),
        stopping_distance_m=float(np.hypot(trace.x_m[-1], trace.y_m[-1])),
        stopping_time_s=float(trace.time_s[-1]),
        mean_developed_deceleration_mps2=developed,
        peak_deceleration_mps2=float(-trace.ax_mps2.min()),
        friction_utilisation=developed / (mu * GRAVITY_MPS2),
        largest_slip_ratio=float(np.abs(trace.kappa).max()),
        lateral_deviation_m=float(np.abs(trace.y_m).max()),
        trace=trace,
    )


def _steady_driver(force_n: float) -> Driver:
    def drive(seen: Observation) -> tuple[float, float] | None:
        return None if seen["vx"] <= STANDSTILL_MPS else (0.0, -force_n)

    return drive


def _threshold_driver(car: CarUnderTest) -> Driver:
    """Press until a wheel slips beyond its peak, ease off at once, press again."""
    build_up_n = 5.0 * car.weight_n * CONTROL_DT_S
    pressed_n = 0.0

    def drive(seen: Observation) -> tuple[float, float] | None:
        nonlocal pressed_n
        if seen["vx"] <= STANDSTILL_MPS:
            return None
        slipping = any(-wheel["kappa"] > wheel["kappa_peak"] for wheel in seen["wheel"])
        pressed_n = 0.75 * pressed_n if slipping else min(pressed_n + build_up_n, 2 * car.weight_n)
        return 0.0, -pressed_n

    return drive


def _mean_developed_deceleration(trace: Trace, speed_mps: float) -> float:
    """Return (v_b^2 - v_e^2) / (2 (s_e - s_b)) between 80 % and 10 % of the initial speed."""
    begin = int(np.argmax(trace.vx_mps <= 0.8 * speed_mps))
    end = int(np.argmax(trace.vx_mps <= 0.1 * speed_mps))
    if end <= begin:
        return 0.0
    way = trace.x_m[end] - trace.x_m[begin]
    return float((trace.vx_mps[begin] ** 2 - trace.vx_mps[end] ** 2) / (2.0 * way))
