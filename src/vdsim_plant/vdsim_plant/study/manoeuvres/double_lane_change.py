"""Double lane change, ISO 3888-1 and ISO 3888-2: cones hit, and the highest speed without a hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vdsim_plant.observation import Observation
from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.study.manoeuvres.driving import (
    CarUnderTest,
    Driver,
    car_under_test,
    checked_speed,
    speed_keeper,
)
from vdsim_plant.study.manoeuvres.lane_change_track import (
    CONE_RADIUS_M,
    LaneChangeTrack,
    iso_3888_1,
    iso_3888_2,
)
from vdsim_plant.study.manoeuvres.preview_driver import PreviewDriver
from vdsim_plant.study.manoeuvres.trace import Trace

TRACKS = {"3888-1": iso_3888_1, "3888-2": iso_3888_2}
CALMNESS_M_PER_RAD = (1.0, 14.0, 2.0, 7.0, 10.0, 1.5, 5.0, 3.0)  # drivers, see preview_driver.py
RUN_UP_M = 20.0
_SLOWEST_MPS, _FASTEST_MPS = 6.0, 60.0
_PEDAL_OFF_M = 2.0  # ISO 3888-2: the driver lets go of the pedal here


@dataclass(frozen=True, eq=False)
class DoubleLaneChangeResult:
    """One drive; passed when the car went through every gate to the end and touched no cone."""

    track: LaneChangeTrack
    entry_speed_mps: float
    exit_speed_mps: float
    driver_calmness_m_per_rad: float
    passed: bool
    cones_hit: int
    gates_missed: int
    hit_cones_m: tuple[tuple[float, float], ...]
    reached_the_end: bool
    smallest_cone_distance_m: float
    largest_lateral_acceleration_mps2: float
    largest_yaw_rate_radps: float
    largest_sideslip_rad: float
    outline_m: tuple[float, float, float]  # nose and tail (x from the centre), half width
    trace: Trace


@dataclass(frozen=True, eq=False)
class PassSpeedResult:
    """The highest entry speed without a hit, and the drives just below and just above it."""

    pass_speed_mps: float
    pass_speed_kmph: float
    resolution_mps: float
    drives: int
    fastest_passed: DoubleLaneChangeResult
    slowest_failed: DoubleLaneChangeResult


def double_lane_change(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    speed_mps: float = 60.0 / 3.6,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
    track: str = "3888-2",
    calmness_m_per_rad: float | None = None,
) -> DoubleLaneChangeResult:
    """Drive through the cones once.

    Without `calmness_m_per_rad` several drivers try; the first who passes, or the best, counts.
    3888-1 keeps the speed; 3888-2 coasts from 2 m behind the first gate on.
    """
    speed_mps = checked_speed(speed_mps)
    car = car_under_test(vehicle, tyre, mu)
    course = _course(car, track)
    if calmness_m_per_rad is not None:
        if not 0.1 <= calmness_m_per_rad <= 1000.0:
            raise wrong_value("calmness_m_per_rad", calmness_m_per_rad, "0.1 to 1000 m/rad")
        return _drive_once(car, course, speed_mps, calmness_m_per_rad)
    return _best_drive(car, course, speed_mps, CALMNESS_M_PER_RAD)[0]


def double_lane_change_pass_speed(
    vehicle: str | VehicleParameters = "ioniq5_awd",
    *,
    mu: float = 0.9,
    tyre: str | TyreParameters | None = None,
    track: str = "3888-2",
    resolution_mps: float = 0.05,
) -> PassSpeedResult:
    """Search the highest entry speed at which a driver gets through without touching a cone."""
    if not 0.001 <= resolution_mps <= 5.0:
        raise wrong_value("resolution_mps", resolution_mps, "0.001 to 5 m/s")
    car = car_under_test(vehicle, tyre, mu)
    course = _course(car, track)
    drives = 0
    drivers: tuple[float, ...] = CALMNESS_M_PER_RAD

    def attempt(speed_mps: float) -> DoubleLaneChangeResult:
        nonlocal drives, drivers
        best, tried = _best_drive(car, course, speed_mps, drivers)
        drives += tried
        if best.passed:  # who passed goes first next time
            first = best.driver_calmness_m_per_rad
            drivers = (first, *(other for other in drivers if other != first))
        return best

    passed, failed = attempt(_SLOWEST_MPS), attempt(_FASTEST_MPS)
    if not passed.passed or failed.passed:
        allowed = f"such that the car passes at {_SLOWEST_MPS:g} and fails at {_FASTEST_MPS:g} m/s"
        raise wrong_value("mu", mu, allowed)
    while failed.entry_speed_mps - passed.entry_speed_mps > resolution_mps:
        result = attempt(0.5 * (passed.entry_speed_mps + failed.entry_speed_mps))
        passed, failed = (result, failed) if result.passed else (passed, result)
    return PassSpeedResult(
        pass_speed_mps=passed.entry_speed_mps,
        pass_speed_kmph=passed.entry_speed_mps * 3.6,
        resolution_mps=resolution_mps,
        drives=drives,
        fastest_passed=passed,
        slowest_failed=failed,
    )


def _course(car: CarUnderTest, track: str) -> LaneChangeTrack:
    if track not in TRACKS:
        raise wrong_value("track", track, "one of " + ", ".join(TRACKS))
    return TRACKS[track](car.vehicle.body.width_m)


def _best_drive(
    car: CarUnderTest, course: LaneChangeTrack, speed_mps: float, drivers: tuple[float, ...]
) -> tuple[DoubleLaneChangeResult, int]:
    """Return the first drive that passes, else the one that went least wrong; and how many."""
    drives: list[DoubleLaneChangeResult] = []
    for calmness in drivers:
        drives.append(_drive_once(car, course, speed_mps, calmness))
        if drives[-1].passed:
            return drives[-1], len(drives)
    return min(drives, key=lambda d: d.gates_missed + d.cones_hit), len(drives)


def _drive_once(
    car: CarUnderTest, course: LaneChangeTrack, speed_mps: float, calmness: float
) -> DoubleLaneChangeResult:
    end_m = course.exit.x1_m
    driver = _driver(car, course, speed_mps, calmness)
    way = RUN_UP_M + end_m + car.vehicle.body.length_m
    trace = car.drive(speed_mps, driver, longest_s=3.0 * way / speed_mps)
    distances = cone_distances_m(trace, course, car.vehicle)
    hit = tuple(
        cone for cone, distance in zip(course.cones_m(), distances, strict=True) if distance < 0.0
    )
    missed = _gates_missed(trace, course)
    reached = bool(trace.x_m[-1] - RUN_UP_M >= end_m)
    return DoubleLaneChangeResult(
        track=course,
        entry_speed_mps=speed_mps,
        exit_speed_mps=float(trace.speed_mps[-1]),
        driver_calmness_m_per_rad=calmness,
        passed=reached and not hit and missed == 0,
        cones_hit=len(hit),
        gates_missed=missed,
        hit_cones_m=hit,
        reached_the_end=reached,
        smallest_cone_distance_m=float(distances.min()),
        largest_lateral_acceleration_mps2=float(np.abs(trace.ay_mps2).max()),
        largest_yaw_rate_radps=float(np.abs(trace.yaw_rate_radps).max()),
        largest_sideslip_rad=float(np.abs(trace.sideslip_rad).max()),
        outline_m=outline_m(car.vehicle),
        trace=trace,
    )


def _driver(
    car: CarUnderTest, course: LaneChangeTrack, speed_mps: float, calmness: float
) -> Driver:
    """Steer with a preview driver; keep the speed, or coast behind the first gate."""
    driver = PreviewDriver(car, course, speed_mps, calmness)
    keep = speed_keeper(car, speed_mps)
    beyond = course.exit.x1_m + car.vehicle.body.length_m
    coasts = course.name == "ISO 3888-2"

    def drive(seen: Observation) -> tuple[float, float] | None:
        x = seen["X"] - RUN_UP_M
        if x > beyond or seen["vx"] < 0.3 * speed_mps:
            return None
        force = 0.0 if coasts and x > _PEDAL_OFF_M else keep(seen)
        return driver.steer(seen, x), force

    return drive


def _gates_missed(trace: Trace, course: LaneChangeTrack) -> int:
    """Return how many pairs of cones the car's centre passed on the wrong side, or not at all."""
    way = np.maximum.accumulate(trace.x_m) - RUN_UP_M
    missed = 0
    for x, lane in course.gates():
        after = int(np.searchsorted(way, x))
        through = after < len(way) and lane.right_m < trace.y_m[after] < lane.left_m
        missed += not through
    return missed


def outline_m(vehicle: VehicleParameters) -> tuple[float, float, float]:
    """Return nose and tail (x from the centre of gravity) and half of the width."""
    body = vehicle.body
    nose = body.cg_to_front_axle_m + body.front_overhang_m
    return nose, nose - body.length_m, 0.5 * body.width_m


def cone_distances_m(
    trace: Trace, course: LaneChangeTrack, vehicle: VehicleParameters
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how close the body came to each cone; negative where it overlapped."""
    nose, tail, half_width = outline_m(vehicle)
    cosine, sine = np.cos(trace.yaw_rad), np.sin(trace.yaw_rad)
    nearest = []
    for cone_x, cone_y in course.cones_m():
        dx, dy = cone_x + RUN_UP_M - trace.x_m, cone_y - trace.y_m
        along, across = cosine * dx + sine * dy, cosine * dy - sine * dx
        beyond_ends = np.maximum(np.maximum(along - nose, tail - along), 0.0)
        beyond_sides = np.maximum(np.abs(across) - half_width, 0.0)
        nearest.append(np.hypot(beyond_ends, beyond_sides).min() - CONE_RADIUS_M)
    return np.array(nearest)
