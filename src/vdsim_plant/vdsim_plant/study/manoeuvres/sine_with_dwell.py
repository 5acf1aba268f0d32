"""Sine with dwell, FMVSS 126 (UN R140): stays the car stable when it is swung by the steering?

First a slowly increasing steer finds A, the wheel angle at 0.3 g. Then series of drives with
rising amplitude, from 1.5 A to the larger of 6.5 A and 270 degrees at the steering wheel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vdsim_plant.assist import AssistParameters
from vdsim_plant.observation import Observation
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    TyreParameters,
    VehicleParameters,
    vehicle_names,
)
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.study.manoeuvres.driving import (
    CarUnderTest,
    car_under_test,
    checked_speed,
    speed_keeper,
)
from vdsim_plant.study.manoeuvres.trace import Array, Trace

FREQUENCY_HZ = 0.7
DWELL_S = 0.5
YAW_RATIO_AT_1_00_S = 0.35
YAW_RATIO_AT_1_75_S = 0.20
DISPLACEMENT_AFTER_S = 1.07
DISPLACEMENT_M = 1.83
DISPLACEMENT_HEAVY_M = 1.52  # above 3500 kg
_HEAVY_KG = 3500.0
_RESPONSIVE_FROM_A = 5.0
_START_S = 0.2
_SLOW_HAND_RATE_RADPS = math.radians(13.5)
_REFERENCE_G = 0.3
_STEER_S = 1.0 / FREQUENCY_HZ + DWELL_S


@dataclass(frozen=True, eq=False)
class SineWithDwellRun:
    """One drive; ratios are of the yaw rate to its peak after the steering changed sides."""

    amplitude_in_a: float
    steering_wheel_amplitude_deg: float
    yaw_ratio_at_1_00_s: float
    yaw_ratio_at_1_75_s: float
    displacement_m: float
    stable: bool
    responsive: bool
    largest_sideslip_rad: float
    trace: Trace


@dataclass(frozen=True, eq=False)
class SineWithDwellResult:
    """The whole series; passed when every drive is stable and responsive."""

    speed_mps: float
    reference_angle_a_deg: float
    passed: bool
    largest_stable_amplitude_deg: float
    worst_yaw_ratio_at_1_00_s: float
    worst_yaw_ratio_at_1_75_s: float
    smallest_displacement_m: float  # of the drives from 5 A on
    required_displacement_m: float
    runs: tuple[SineWithDwellRun, ...]


def sine_with_dwell(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    speed_mps: float = 80.0 / 3.6,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
    assist: str | AssistParameters | None = None,
) -> SineWithDwellResult:
    """Run the series to the left; a car that is its own mirror image needs no second side.

    `assist`: preset, path or parameters of ABS, traction control and ESC; without, none acts.
    """
    speed_mps = checked_speed(speed_mps)
    car = car_under_test(vehicle, tyre, mu, assist)
    if mu < 1.5 * _REFERENCE_G:
        raise wrong_value("mu", mu, f">= {1.5 * _REFERENCE_G:g}: 0.3 g must be easily reached")
    reference = slowly_increasing_steer_angle(car, speed_mps)
    required = DISPLACEMENT_M if car.vehicle.body.mass_kg <= _HEAVY_KG else DISPLACEMENT_HEAVY_M
    runs = tuple(
        _run(car, speed_mps, factor, reference, required) for factor in _amplitudes(car, reference)
    )
    stable = [run.steering_wheel_amplitude_deg for run in runs if run.stable]
    return SineWithDwellResult(
        speed_mps=speed_mps,
        reference_angle_a_deg=math.degrees(reference * car.vehicle.steering.ratio),
        passed=all(run.stable and run.responsive for run in runs),
        largest_stable_amplitude_deg=max(stable, default=0.0),
        worst_yaw_ratio_at_1_00_s=max(run.yaw_ratio_at_1_00_s for run in runs),
        worst_yaw_ratio_at_1_75_s=max(run.yaw_ratio_at_1_75_s for run in runs),
        smallest_displacement_m=min(
            run.displacement_m for run in runs if run.amplitude_in_a >= _RESPONSIVE_FROM_A
        ),
        required_displacement_m=required,
        runs=runs,
    )


def slowly_increasing_steer_angle(car: CarUnderTest, speed_mps: float) -> float:
    """Return A, the road wheel angle [rad] at 0.3 g, from a line through 0.1 g to 0.375 g."""
    keep = speed_keeper(car, speed_mps)
    rate = _SLOW_HAND_RATE_RADPS / car.vehicle.steering.ratio

    def driver(seen: Observation) -> tuple[float, float] | None:
        if seen["ay"] > 0.4 * GRAVITY_MPS2:
            return None
        return rate * seen["t"], keep(seen)

    trace = car.drive(speed_mps, driver, longest_s=60.0)
    g = trace.ay_mps2 / GRAVITY_MPS2
    fitted = (g >= 0.1) & (g <= 0.375)
    slope, offset = np.polyfit(g[fitted], trace.steer_rad[fitted], 1)
    return float(slope * _REFERENCE_G + offset)


def _amplitudes(car: CarUnderTest, reference_rad: float) -> list[float]:
    """Return 1.5, 2.0, ... in units of A; the last is the larger of 6.5 A and 270 degrees.

    300 degrees at the steering wheel and the car's own limit are never exceeded.
    """
    wheel = math.degrees(reference_rad * car.vehicle.steering.ratio)
    last = min(max(6.5, 270.0 / wheel), 300.0 / wheel)
    last = min(last, car.vehicle.steering.max_angle_rad / reference_rad)
    series = [0.5 * k for k in range(3, int(2.0 * last) + 1)]
    return series if series and series[-1] == last else [*series, last]


def steering_profile(time_s: float) -> float:
    """Return the steering of one drive, -1 to 1: a sine that dwells at its second peak."""
    t = time_s - _START_S
    dwell_from = 0.75 / FREQUENCY_HZ
    if t < 0.0 or t > _STEER_S:
        return 0.0
    if t > dwell_from:
        t = max(dwell_from, t - DWELL_S)
    return math.sin(2.0 * math.pi * FREQUENCY_HZ * t)


def _run(
    car: CarUnderTest, speed_mps: float, factor: float, reference_rad: float, required_m: float
) -> SineWithDwellRun:
    def driver(seen: Observation) -> tuple[float, float]:
        return factor * reference_rad * steering_profile(seen["t"]), 0.0

    end_s = _START_S + _STEER_S
    trace = car.drive(speed_mps, driver, longest_s=end_s + 2.0)
    peak = _second_peak(trace)
    ratios = [
        abs(float(np.interp(end_s + after, trace.time_s, trace.yaw_rate_radps))) / peak
        for after in (1.0, 1.75)
    ]
    displacement = abs(float(np.interp(_START_S + DISPLACEMENT_AFTER_S, trace.time_s, trace.y_m)))
    return SineWithDwellRun(
        amplitude_in_a=factor,
        steering_wheel_amplitude_deg=math.degrees(
            factor * reference_rad * car.vehicle.steering.ratio
        ),
        yaw_ratio_at_1_00_s=ratios[0],
        yaw_ratio_at_1_75_s=ratios[1],
        displacement_m=displacement,
        stable=ratios[0] <= YAW_RATIO_AT_1_00_S and ratios[1] <= YAW_RATIO_AT_1_75_S,
        responsive=factor < _RESPONSIVE_FROM_A or displacement >= required_m,
        largest_sideslip_rad=float(np.abs(trace.sideslip_rad).max()),
        trace=trace,
    )


def _second_peak(trace: Trace) -> float:
    """Return the largest yaw rate of the second half wave, when the steering has changed sides."""
    swung_back: Array = trace.yaw_rate_radps[trace.time_s > _START_S + 0.5 / FREQUENCY_HZ]
    return float(max(-swung_back.min(), 1e-9))


def every_car_table(mu: float = 0.9) -> str:
    """Return the series of every shipped car, without and with assistance, as Markdown."""
    lines = [
        "| car | assistance | stable up to [deg] | of [deg] | yaw rate after 1.00 s [%] "
        "| after 1.75 s [%] | least displacement [m] | required [m] | passed |",
        "|" + "---|" * 9,
    ]
    for name in vehicle_names():
        for assist in (None, "passenger_car"):
            result = sine_with_dwell(name, mu=mu, assist=assist)
            lines.append(
                f"| {name} | {assist or 'none'} | {result.largest_stable_amplitude_deg:.0f} "
                f"| {result.runs[-1].steering_wheel_amplitude_deg:.0f} "
                f"| {100.0 * result.worst_yaw_ratio_at_1_00_s:.0f} "
                f"| {100.0 * result.worst_yaw_ratio_at_1_75_s:.0f} "
                f"| {result.smallest_displacement_m:.2f} | {result.required_displacement_m:.2f} "
                f"| {'yes' if result.passed else 'no'} |"
            )
    return "\n".join(lines)
