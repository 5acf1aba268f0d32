"""Faults in the phases that ask most of a car: a hard braking, a bend at the limit, a start.

`drive_fault` injects one and measures until the car stands; `misses` compares with the bounds of
docs/hills.md. Each bound is that of physics: what the car did without the fault, what its
deceleration needs, or, in a bend, between the circle on which it was and the one of its wheels: a
car that slows leaves the first one for the second, slides off neither and does not spin.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from vdsim_interface.values import Command, HighLevelCommand, VehicleCommand

from vdsim_kit.plant_loop import NEWEST, PERIOD_S, PlantLoop, Sample

HARD_MPS2 = 6.0
STOP_MPS2, STOP_JERK_MPS3 = 2.5, 2.5
LATERAL_MPS2 = 5.0
"""The limits of safety.stop_decel_mps2, stop_jerk_mps3 and lateral_accel_max_mps2."""
STALE_S = {"planner": 0.5, "reports": 0.1}
"""How long after the fault began it is a cause: the time-outs of a command and of a report."""
PHASES = ("braking", "bend", "start", "released start")
LONGEST_S = 15.0
ROLLBACK_M = 0.05
LATER_SHARE, TURNS_SHARE = 1.05, 0.05
LOCKS = -0.15


class FaultCell(NamedTuple):
    """What fails where. `fault`: the planner falls silent, or none of the reports arrives."""

    phase: str
    fault: str
    car: str = "ioniq5_awd"
    grade: float = 0.0
    mu: float = 0.9
    actuator: str = "passenger_car"
    version: int = NEWEST


class FaultResult(NamedTuple):
    """From the fault to standstill. `throttle`: the largest from the first packet of the cause on.

    `longest_m`: the bound of the way. `turned_rad`: the heading, which is to be from `least_rad` to
    `most_rad`. `slip`: the least of a wheel above 1.2 m/s, 0 where no report could show it.
    """

    way_m: float
    longest_m: float
    rollback_m: float
    throttle: float
    turned_rad: float
    least_rad: float
    most_rad: float
    slip: float
    speed_mps: float


def drive_fault(cell: FaultCell) -> FaultResult:
    """Drive to the phase, inject the fault, and go on until the car stands."""
    loop, command = _driven(cell)
    began, sent_n, speed = len(loop.samples), len(loop.commands), loop.speed
    wheelbase_m = loop.parameters.vehicle.wheelbase_m
    wheel_1pm = math.tan(loop.command.steering_tire_angle_rad) / wheelbase_m
    _stop(loop, cell.fault, command)
    samples = loop.samples[began - 1 :]
    cause_n = sent_n + round(STALE_S[cell.fault] / PERIOD_S) + 2
    way_m = _way(samples)
    bends = sorted((way_m * samples[0].yaw_rate_radps / max(speed, 1.0), way_m * wheel_1pm))
    return FaultResult(
        way_m=way_m,
        longest_m=_longest(cell, speed),
        rollback_m=max(s.x_m for s in samples) - samples[-1].x_m if speed < 1.0 else 0.0,
        throttle=max(sent.throttle for sent in loop.commands[cause_n:]),
        turned_rad=samples[-1].yaw_rad - samples[0].yaw_rad,
        least_rad=bends[0] - TURNS_SHARE * abs(bends[0]),
        most_rad=bends[1] + TURNS_SHARE * abs(bends[1]),
        slip=_slip(samples) if cell.fault == "planner" else 0.0,
        speed_mps=loop.speed,
    )


def misses(result: FaultResult) -> tuple[str, ...]:
    """Name the bounds that a result misses."""
    found = (
        ("way", result.way_m > result.longest_m),
        ("rollback", result.rollback_m > ROLLBACK_M),
        ("throttle", result.throttle > 0.0),
        ("course", not result.least_rad <= result.turned_rad <= result.most_rad),
        ("slip", result.slip < LOCKS),
        ("stands", abs(result.speed_mps) > 0.01),
    )
    return tuple(name for name, missed in found if missed)


def _driven(cell: FaultCell) -> tuple[PlantLoop, Command]:
    """Return a car in the phase, and what its planner asks for."""
    fast = 8.0 if cell.car == "scale_car" else 16.0
    if cell.phase == "braking":
        loop = _loop(cell, level="vehicle", speed_mps=fast)
        loop.run(1.0, VehicleCommand(0.0, 0.3, 0.0, 0.0))
        hard = VehicleCommand(0.0, -HARD_MPS2, 0.0, 0.0)
        loop.run(0.6, hard)
        return loop, hard
    if cell.phase == "bend":
        speed = 0.75 * fast
        bend = HighLevelCommand(0.0, speed, LATERAL_MPS2 / speed**2)
        loop = _loop(cell, speed_mps=speed)
        loop.run(5.0, bend)
        return loop, bend
    go = HighLevelCommand(0.0, 4.0, 0.0)
    loop = _loop(cell)
    loop.run(0.5, HighLevelCommand(0.0, 0.0, 0.0))
    while not (loop.command.throttle > 0.0 and loop.command.brake > 0.0):
        loop.period(go)
    while cell.phase == "released start" and loop.command.brake > 0.0:
        loop.period(go)
    return loop, go


def _loop(cell: FaultCell, *, level: str = "high_level", speed_mps: float = 0.0) -> PlantLoop:
    return PlantLoop(
        car=cell.car,
        grade=cell.grade,
        mu=cell.mu,
        actuator=cell.actuator,
        version=cell.version,
        level=level,
        speed_mps=speed_mps,
        safety={"rig": "driverless"},
    )


def _stop(loop: PlantLoop, fault: str, command: Command) -> None:
    """Go on until the car has stood for a second; a fault "" is none."""
    stood_s = 0.0
    for _ in range(round(LONGEST_S / PERIOD_S)):
        if fault == "planner":
            loop.period()
        else:
            loop.period(command, reports=fault != "reports")
        stood_s = stood_s + PERIOD_S if abs(loop.speed) < 0.01 else 0.0
        if stood_s > 1.0:
            break


def _longest(cell: FaultCell, speed_mps: float) -> float:
    """Return the longest way of the stop: as without the fault, or by the deceleration."""
    if cell.phase == "braking":
        loop, command = _driven(cell)
        began = len(loop.samples)
        _stop(loop, "", command)
        without_m = _way(loop.samples[began - 1 :])
        return LATER_SHARE * max(without_m, speed_mps**2 / (2.0 * HARD_MPS2))
    # A start may still speed up until the fault is noticed.
    stale_s = STALE_S[cell.fault]
    fast = max(speed_mps, 0.0) + (2.0 * stale_s if "start" in cell.phase else 0.0)
    rises_s = STOP_MPS2 / STOP_JERK_MPS3
    return fast * (stale_s + rises_s / 2.0) + 1.1 * fast**2 / (2.0 * STOP_MPS2) + ROLLBACK_M


def _way(samples: list[Sample]) -> float:
    return sum(math.hypot(b.x_m - a.x_m, b.y_m - a.y_m) for a, b in pairwise(samples))


def _slip(samples: list[Sample]) -> float:
    return min((min(s.slips) for s in samples if s.vx_mps > 1.2), default=0.0)
