"""What to drive next: the drives that tell most of what a log does not tell.

Each drive is driven with the car as it is known, logged with the channels and the noise of the log,
and its normal equations are added to those of the log: what the intervals become is what it is
worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.study.identify.channels import FORCES, SPINS, TORQUES
from vdsim_plant.study.identify.drive_log import DriveLog, make_log
from vdsim_plant.study.identify.drives import DRIVES, Drive, Program
from vdsim_plant.study.identify.identification import IdentifiedCar
from vdsim_plant.study.identify.judgement import covariance, half_widths, shortfall
from vdsim_plant.study.identify.problem import Place, Problem
from vdsim_plant.vehicle import Vehicle

Array = NDArray[np.float64]
LONGEST_S = 90.0
SEGMENT_S = 5.0
MOST_DRIVES = 5


@dataclass(frozen=True)
class Advice:
    """A drive, and what it would tell: key -> half width of the interval before and after."""

    drive: Drive
    tells: Mapping[str, tuple[float, float]]


def advise(car: IdentifiedCar) -> list[Advice]:
    """Return the drives to add, the most useful one first; none where all is identified."""
    problem = car.fit.problem
    unknowns = problem.unknowns
    names = set(problem.log.columns)
    values = car.fit.values
    own = Problem(
        problem.log, problem.start, unknowns, segment_s=SEGMENT_S, threads=problem.threads
    )
    matrix, pulls = _information(own, values, own.noise)
    offers = {}
    for drive in DRIVES:
        columns = driven(
            car.vehicle,
            car.tyre,
            car.actuators,
            mu=car.mu,
            steer_offset_rad=car.steer_offset_rad,
            drives=(drive,),
            duration_s=LONGEST_S,
            once=True,
            tick_s=0.005,
        )
        log = _as_logged(columns, names, problem.log)
        # A drive that is over soon is one piece.
        segment_s = min(SEGMENT_S, max(1.0, log.duration_s - 1.0))
        one = Problem(log, problem.start, unknowns, segment_s=segment_s, threads=1)
        noise = np.array([own.noise[own.outputs.index(name)] for name in one.outputs])
        offers[drive.name] = _information(one, values, noise)[0]
    return _chosen(own, values, matrix, pulls, offers)


def _chosen(
    problem: Problem,
    values: Mapping[str, float],
    matrix: Array,
    pulls: Array,
    offers: Mapping[str, Array],
) -> list[Advice]:
    """Take the best drive, again and again, until everything is identified or nothing helps."""
    advices: list[Advice] = []
    left = {drive.name: drive for drive in DRIVES}
    while left and len(advices) < MOST_DRIVES:
        before = _widths(problem, values, matrix, pulls)
        lacks = {k: shortfall(problem.unknowns[k], values[k], w) for k, w in before.items()}
        if max(lacks.values()) <= 1.0:
            break

        offered = {name: _widths(problem, values, matrix + offers[name], pulls) for name in left}
        scores = {name: _left_over(problem, values, offered[name]) for name in left}
        best = min(left, key=scores.__getitem__)
        after = offered[best]
        tells = {
            key: (before[key], after[key])
            for key in before
            if lacks[key] > 1.0 and after[key] < 0.7 * before[key]
        }
        if not tells:
            break
        advices.append(Advice(left.pop(best), tells))
        matrix = matrix + offers[best]
    return advices


def _left_over(problem: Problem, values: Mapping[str, float], widths: Mapping[str, float]) -> float:
    """Return how far the intervals are from enough, all together."""
    return sum(
        max(0.0, math.log(shortfall(problem.unknowns[key], values[key], width)))
        for key, width in widths.items()
    )


def _widths(
    problem: Problem, values: Mapping[str, float], matrix: Array, pulls: Array
) -> dict[str, float]:
    variances = np.diag(covariance(matrix, pulls))
    unknowns = list(problem.unknowns.values())
    found = half_widths(unknowns, [values[key] for key in problem.keys], variances)
    return dict(zip(problem.keys, found, strict=True))


def _information(
    problem: Problem, values: Mapping[str, float], noise: Array
) -> tuple[Array, Array]:
    """Return the normal equations of a log at given values, first states settled."""
    place = problem.begin()
    for index, key in enumerate(problem.keys):
        unknown, start = problem.unknowns[key], problem.start_values[key]
        change = (values[key] - start) / unknown.scale if unknown.scale else 0.0
        place.x[index] = change if unknown.scale else np.log(values[key] / start)
    equations = problem.equations(place, noise)
    settled = Place(place.x, place.local + equations.local_step)
    equations = problem.equations(settled, noise)
    return equations.matrix, equations.by_segment


def driven(
    vehicle: VehicleParameters,
    tyre: TyreParameters,
    actuators: ActuatorParameters,
    *,
    mu: float,
    steer_offset_rad: float = 0.0,
    drives: tuple[Drive, ...] = DRIVES,
    duration_s: float,
    once: bool = False,
    period_s: float = 0.01,
    tick_s: float = 0.001,
    level: str = "l2",
) -> dict[str, Array]:
    """Drive a car and return every channel without noise, one drive after the other.

    They begin again when all are over, until the time is up; `once`: they do not.
    """
    car = Vehicle(vehicle, tyre, Ground(base_mu=mu), level=level, substep_s=min(tick_s, 1e-3))
    car.reset(InitialState(vx_mps=5.0))
    layer = ActuatorLayer(actuators)
    program, began = Program(drives), 0.0
    rows: list[list[float]] = []
    realized = PedalInput(steer_rad=0.0, throttle=0.0, brake=0.0, gear=1)
    for row in range(round(duration_s / period_s)):
        time_s = row * period_s
        motion = car.motion()
        controls = program.controls(time_s - began, motion.vx_mps)
        if controls is None:
            if once:
                break
            program, began = Program(drives), time_s
            controls = program.controls(0.0, motion.vx_mps) or (0.0, 0.0, 0.0)
        steer, throttle, brake = controls
        asked = PedalInput(steer_rad=steer, throttle=throttle, brake=brake, gear=1)
        # The row is the edge between two holds of the inputs: it shows the middle of both.
        before, realized = realized, layer.realize_pedals(asked, tick_s)
        seen = _between(before, realized)
        given = _wheel_torques(car, seen)
        rows.append(
            [
                *(time_s, steer, throttle, brake, seen.steer_rad),
                *(motion.vx_mps, motion.yaw_rate_radps, motion.ax_mps2, motion.ay_mps2),
                *(*motion.wheel_spin_radps, *given, *motion.tire_fx_n, motion.vy_mps),
            ]
        )
        for tick in range(round(period_s / tick_s)):
            if tick > 0:
                realized = layer.realize_pedals(asked, tick_s)
            turned = realized.steer_rad + steer_offset_rad
            car.step_pedals(
                PedalInput(
                    steer_rad=turned, throttle=realized.throttle, brake=realized.brake, gear=1
                ),
                tick_s,
            )
    names = ["time_s", "command_steer_rad", "command_throttle", "command_brake", "steer_rad"]
    names += ["vx_mps", "yaw_rate_radps", "ax_mps2", "ay_mps2", *SPINS, *TORQUES, *FORCES]
    columns = dict(zip([*names, "vy_mps"], np.array(rows).T.copy(), strict=True))
    ratio = vehicle.steering.ratio
    columns["command_steering_wheel_rad"] = ratio * columns["command_steer_rad"]
    columns["steering_wheel_rad"] = ratio * columns["steer_rad"]
    columns["command_gear"] = np.ones(len(rows))
    return columns


def _between(one: PedalInput, other: PedalInput) -> PedalInput:
    """Return the middle of two positions of the actuators."""
    return PedalInput(
        steer_rad=0.5 * (one.steer_rad + other.steer_rad),
        throttle=0.5 * (one.throttle + other.throttle),
        brake=0.5 * (one.brake + other.brake),
        gear=1,
    )


def _wheel_torques(car: Vehicle, pedals: PedalInput) -> list[float]:
    brakes, split = car.parameters.brakes, car.parameters.drivetrain.drive_split_front
    drive = 0.5 * pedals.throttle * car.most_drive_torque_nm()
    brake = 0.5 * pedals.brake * brakes.max_torque_nm
    front = drive * split - brake * brakes.front_share
    rear = drive * (1.0 - split) - brake * (1.0 - brakes.front_share)
    return [front, front, rear, rear]


def _as_logged(columns: dict[str, Array], names: set[str], like: DriveLog) -> DriveLog:
    """Keep the channels that the log has, at its rate."""
    time_s = columns["time_s"]
    every = max(1, round(like.period_s / (time_s[1] - time_s[0])))
    kept = {name: columns[name][::every] for name in sorted(names)}
    return make_log(time_s[::every], kept)
