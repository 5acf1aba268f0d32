"""Steady-state circular driving, ISO 4138, constant radius: speed rises slowly until the limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vdsim_plant.observation import Observation
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.study.manoeuvres.driving import CarUnderTest, Driver, car_under_test, speed_keeper
from vdsim_plant.study.manoeuvres.trace import Array, Trace
from vdsim_plant.vehicle_characteristics import axle_stiffness_n_per_rad, understeer_gradient

_SPEED_RISE_MPS2 = 0.25
_OFF_TRACK_M = 1.0
_LONGEST_S = 400.0


@dataclass(frozen=True, eq=False)
class SteadyCircleResult:
    """ISO 4138 gradients, fitted between 5 % and 25 % of the friction limit."""

    radius_m: float
    understeer_gradient_rad_s2_per_m: float
    understeer_gradient_deg_per_g: float
    sideslip_gradient_deg_per_g: float
    roll_gradient_deg_per_g: float
    largest_lateral_acceleration_mps2: float
    largest_speed_mps: float
    friction_utilisation: float  # largest lateral acceleration over mu g
    trace: Trace


def steady_circle(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    radius_m: float = 100.0,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
) -> SteadyCircleResult:
    """Drive a left-hand circle, at rising speed, until the car leaves it."""
    car = car_under_test(vehicle, tyre, mu)
    if not 5.0 * car.vehicle.body.wheelbase_m <= radius_m <= 1000.0:
        least = 5.0 * car.vehicle.body.wheelbase_m
        raise wrong_value("radius_m", radius_m, f"{least:.3g} to 1000 m for this car")
    start_mps = math.sqrt(0.03 * mu * GRAVITY_MPS2 * radius_m)
    trace = car.drive(start_mps, _driver(car, radius_m, start_mps), longest_s=_LONGEST_S)
    return _evaluate(trace, radius_m, mu)


def _driver(car: CarUnderTest, radius_m: float, start_mps: float) -> Driver:
    """Steer for the circle: curvature, understeer, and the distance and heading off the circle."""
    wheelbase = car.vehicle.body.wheelbase_m
    gradient = understeer_gradient(
        car.vehicle, *axle_stiffness_n_per_rad(car.vehicle, car.tyre, car.mu)
    )
    most = car.vehicle.steering.max_angle_rad

    def drive(seen: Observation) -> tuple[float, float] | None:
        dx, dy = seen["X"], seen["Y"] - radius_m
        outside = math.hypot(dx, dy) - radius_m
        if outside > _OFF_TRACK_M:
            return None
        course = seen["psi"] + seen["beta"]
        along = math.atan2(dx, -dy)  # direction of the circle where the car is
        off_course = math.remainder(along - course, 2.0 * math.pi)
        speed = math.hypot(seen["vx"], seen["vy"])
        preview = max(0.8 * speed, 2.0 * wheelbase)
        curvature = 1.0 / radius_m + 2.0 * (outside + preview * off_course) / preview**2
        steer = curvature * (wheelbase + gradient * speed**2)
        force = speed_keeper(car, start_mps + _SPEED_RISE_MPS2 * max(seen["t"] - 3.0, 0.0))(seen)
        return min(max(steer, -most), most), force

    return drive


def _evaluate(trace: Trace, radius_m: float, mu: float) -> SteadyCircleResult:
    # The acceleration across the path, not across the car: both differ by the sideslip angle.
    ay = trace.ay_mps2 * np.cos(trace.sideslip_rad) - trace.ax_mps2 * np.sin(trace.sideslip_rad)
    limit = mu * GRAVITY_MPS2
    settled = trace.time_s > 3.0
    fitted = settled & (ay > 0.05 * limit) & (ay < 0.25 * limit)

    def slope(values: Array) -> float:
        return float(np.polyfit(ay[fitted], values[fitted], 1)[0])

    gradient = slope(trace.steer_rad)
    per_g = math.degrees(1.0) * GRAVITY_MPS2
    smooth = np.convolve(ay[settled], np.ones(50) / 50.0, mode="valid")
    return SteadyCircleResult(
        radius_m=radius_m,
        understeer_gradient_rad_s2_per_m=gradient,
        understeer_gradient_deg_per_g=gradient * per_g,
        sideslip_gradient_deg_per_g=slope(trace.sideslip_rad) * per_g,
        roll_gradient_deg_per_g=slope(trace.roll_rad) * per_g,
        largest_lateral_acceleration_mps2=float(smooth.max()),
        largest_speed_mps=float(trace.speed_mps.max()),
        friction_utilisation=float(smooth.max()) / limit,
        trace=trace,
    )
