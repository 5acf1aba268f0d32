"""One cell of the table of hills: start on a grade, keep a speed, stop, stand; and its goals.

`drive_cell` measures; `judged` compares with the goals of docs/hills.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vdsim_interface.values import HighLevelCommand
from vdsim_plant.layer_files import load_actuator

from vdsim_kit.hill_limits import USABLE, hill_limits
from vdsim_kit.plant_loop import NEWEST, TICK_S, PlantLoop

ASKED_DECEL_MPS2 = 2.5
WINDOW_N = round(0.1 / TICK_S)
NEAR_REST_MPS = 0.02
REACTION_S = 0.15


class Cell(NamedTuple):
    """Where and with what a cell is driven; `version`: that of the wire."""

    car: str
    grade: float
    speed_mps: float
    mu: float
    actuator: str = "ideal"
    version: int = NEWEST


class Result(NamedTuple):
    """What a cell measured. Backwards means against the direction that is asked for."""

    rollback_m: float
    steady_error_mps: float
    slowest_mps: float
    overshoot_mps: float
    stop_m: float
    drift_m: float
    jerk_mps3: float
    stopped_from_mps: float


def needs(cell: Cell) -> str:
    """What a cell needs and the car cannot do; empty where it can."""
    limits = hill_limits(cell.car, cell.grade, cell.mu, cell.speed_mps)
    if cell.grade > 0.0 and USABLE * limits.drive < limits.weight + limits.resistance:
        return f"drive {limits.weight + limits.resistance:.1f} of {limits.drive:.1f} m/s2"
    if cell.grade <= 0.0 and USABLE * limits.drive < limits.resistance:
        return f"drive {limits.resistance:.1f} of {limits.drive:.1f} m/s2"
    if USABLE * limits.brake < limits.weight:
        return f"brake {limits.weight:.1f} of {limits.brake:.1f} m/s2"
    return ""


def drive_cell(cell: Cell) -> Result:
    """Stand, drive at the speed until it is steady, stop, and stand."""
    loop = PlantLoop(
        car=cell.car,
        grade=cell.grade,
        mu=cell.mu,
        actuator=cell.actuator,
        version=cell.version,
    )
    go = HighLevelCommand(0.0, cell.speed_mps, 0.0)
    stop = HighLevelCommand(0.0, 0.0, 0.0)
    loop.run(0.5, stop)
    began = len(loop.samples)
    longest_s = 8.0 + cell.speed_mps / 0.4
    quiet_s = 0.0
    for _ in range(round(longest_s / 0.1)):
        loop.run(0.1, go)
        quiet_s = quiet_s + 0.1 if abs(loop.speed - cell.speed_mps) <= tolerance_mps(cell) else 0.0
        if quiet_s > 1.5:
            break
    steady_from = len(loop.samples)
    loop.run(1.5, go)
    stop_from = len(loop.samples)
    stopped_from = loop.speed
    for _ in range(round((4.0 + abs(stopped_from) / 0.3) / 0.1)):
        loop.run(0.1, stop)
        if abs(loop.speed) < 1e-3:
            break
    stood_at = next(
        (n for n in range(stop_from, len(loop.samples)) if abs(loop.samples[n].vx_mps) < 5e-3),
        len(loop.samples) - 1,
    )
    loop.run(1.0, stop)
    settled = len(loop.samples)
    loop.run(2.0, stop)
    samples = loop.samples
    start_m = samples[began].x_m
    driving = samples[began:stop_from]
    steady = samples[steady_from:stop_from]
    return Result(
        rollback_m=max(
            start_m - min(s.x_m for s in driving),
            max(s.x_m for s in samples[stop_from:]) - samples[-1].x_m,
        ),
        steady_error_mps=max(abs(s.vx_mps - cell.speed_mps) for s in steady),
        slowest_mps=min(s.vx_mps for s in samples[began:]),
        overshoot_mps=max(s.vx_mps for s in driving) - cell.speed_mps,
        stop_m=samples[stood_at].x_m - samples[stop_from - 1].x_m,
        drift_m=max(abs(s.x_m - samples[settled].x_m) for s in samples[settled:]),
        jerk_mps3=jerk_at_rest([s.vx_mps for s in samples[began:]]),
        stopped_from_mps=stopped_from,
    )


def jerk_at_rest(speeds: list[float]) -> float:
    """Largest jerk [m/s3] where the car comes to rest or leaves it.

    The mean body acceleration over 0.1 s less that over the 0.1 s before, by 0.1 s.
    """
    window_s = WINDOW_N * TICK_S
    largest = 0.0
    for n in range(WINDOW_N, len(speeds) - WINDOW_N):
        nearest = min(map(abs, speeds[n - WINDOW_N : n + WINDOW_N + 1]))
        if nearest < NEAR_REST_MPS:
            bend = speeds[n + WINDOW_N] - 2.0 * speeds[n] + speeds[n - WINDOW_N]
            largest = max(largest, abs(bend) / window_s**2)
    return largest


def tolerance_mps(cell: Cell) -> float:
    """Largest steady error of the speed [m/s]."""
    return max(0.02, 0.01 * cell.speed_mps)


def stop_goal_m(cell: Cell, speed_mps: float) -> float:
    """Longest allowed stop [m]: 1.3 of what friction and grade allow, after the reaction."""
    limits = hill_limits(cell.car, cell.grade, cell.mu, speed_mps)
    along = math.copysign(limits.weight, cell.grade)
    # Rolling resistance is part of what the tyres transmit.
    possible = min(ASKED_DECEL_MPS2, limits.brake + along)
    if cell.grade > 0.0:
        possible = max(possible, ASKED_DECEL_MPS2)
    return 1.3 * speed_mps**2 / (2.0 * possible) + speed_mps * (REACTION_S + _lag_s(cell))


def _lag_s(cell: Cell) -> float:
    brake = load_actuator(cell.actuator).brake
    return brake.lag_s + brake.delay_s


def jerk_goal_mps3(cell: Cell) -> float:
    """Largest jerk at standstill: on steep grades gravity alone has more than on flat ones."""
    if abs(cell.grade) <= 0.1:
        return 15.0
    return max(15.0, 1.2 * hill_limits(cell.car, cell.grade, cell.mu, 0.0).weight / 0.1)


def judged(cell: Cell, result: Result) -> tuple[str, ...]:
    """Name the goals that a result misses."""
    misses = (
        ("rollback", result.rollback_m > 0.05),
        ("speed", result.steady_error_mps > tolerance_mps(cell)),
        ("direction", result.slowest_mps < -0.02 and result.rollback_m > 0.05),
        ("overshoot", result.overshoot_mps > 0.3),
        ("stop", result.stop_m > stop_goal_m(cell, max(result.stopped_from_mps, 0.0)) + 0.02),
        ("drift", result.drift_m > 1e-3),
        ("jerk", result.jerk_mps3 > jerk_goal_mps3(cell)),
    )
    return tuple(name for name, missed in misses if missed)
