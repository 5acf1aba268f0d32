"""A driver with preview: steers so that nose and tail of the car will pass between the cones.

Fifty times a second he predicts the lateral motion over the next seconds with a linear
single-track car and chooses the steering that keeps both ends of the body in the middle of the
lanes, wherever they are inside one; in the gaps only calm steering counts. This is optimal
preview control (C. C. MacAdam, An optimal preview control for linear systems, 1980), written as
a least-squares problem over a finite horizon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, expm, toeplitz

from vdsim_plant.observation import Observation
from vdsim_plant.study.manoeuvres.driving import CarUnderTest
from vdsim_plant.study.manoeuvres.lane_change_track import LaneChangeTrack
from vdsim_plant.vehicle_characteristics import axle_stiffness_n_per_rad

Array = NDArray[np.float64]

HORIZON_STEPS = 32
SHORTEST_STEP_S = 0.05
SHORTEST_SIGHT_M = 40.0
EDGE_M = 0.8  # the driver takes a lane for so much longer than it is: its last cones count too
REACTION_S = 0.02
HAND_RATE_RADPS = 17.5  # about 1000 degrees a second at the steering wheel


@dataclass(frozen=True)
class Prediction:
    """Lateral offset of nose and tail over the horizon, linear in state and steering changes."""

    step_s: float
    nose_m: float
    tail_m: float
    nose_from_state: Array  # steps x 5
    tail_from_state: Array
    nose_from_changes: Array  # steps x steps
    tail_from_changes: Array


def predict(car: CarUnderTest, speed_mps: float) -> Prediction:
    """Return the prediction matrices of a car at a speed; state (y, vy, psi, r, steer)."""
    body = car.vehicle.body
    nose = body.cg_to_front_axle_m + body.front_overhang_m
    tail = nose - body.length_m
    step_s = max(SHORTEST_STEP_S, SHORTEST_SIGHT_M / (HORIZON_STEPS * speed_mps))
    step = expm(_lateral_dynamics(car, speed_mps) * step_s)
    powers = [np.eye(5)]
    for _ in range(HORIZON_STEPS):
        powers.append(step @ powers[-1])
    outputs = [np.array([1.0, 0.0, arm, 0.0, 0.0]) for arm in (nose, tail)]
    nose_from_state, tail_from_state = (
        np.array([row @ power for power in powers[1:]]) for row in outputs
    )
    # A steering change made at step k acts like a change of the state's steer entry at that step.
    nose_from_changes, tail_from_changes = (
        toeplitz(answers[:, 4], np.zeros(HORIZON_STEPS))
        for answers in (nose_from_state, tail_from_state)
    )
    return Prediction(
        step_s=step_s,
        nose_m=nose,
        tail_m=tail,
        nose_from_state=nose_from_state,
        tail_from_state=tail_from_state,
        nose_from_changes=nose_from_changes,
        tail_from_changes=tail_from_changes,
    )


def _lateral_dynamics(car: CarUnderTest, v: float) -> Array:
    """Return dx/dt = A x of the linear single-track car, the steering held."""
    body = car.vehicle.body
    a, b, m, izz = (
        body.cg_to_front_axle_m,
        body.cg_to_rear_axle_m,
        body.mass_kg,
        body.yaw_inertia_kgm2,
    )
    front, rear = axle_stiffness_n_per_rad(car.vehicle, car.tyre, car.mu)
    turning = b * rear - a * front
    yaw_damping = (a * a * front + b * b * rear) / (izz * v)
    return np.array(
        [
            [0.0, 1.0, v, 0.0, 0.0],
            [0.0, -(front + rear) / (m * v), 0.0, turning / (m * v) - v, front / m],
            [0.0, 0.0, 0.0, 1.0, 0.0],
            [0.0, turning / (izz * v), 0.0, -yaw_damping, a * front / izz],
            [0.0, 0.0, 0.0, 0.0, 0.0],
        ]
    )


class PreviewDriver:
    """Steers one drive. `calmness` [m/rad] weighs steering changes against lateral offset."""

    def __init__(
        self, car: CarUnderTest, course: LaneChangeTrack, speed_mps: float, calmness: float
    ) -> None:
        self._course = course
        self._calmness = calmness
        self._prediction = predict(car, speed_mps)
        self._most = car.vehicle.steering.max_angle_rad
        self._most_change = HAND_RATE_RADPS / car.vehicle.steering.ratio * REACTION_S
        self._steer = 0.0
        self._next_s = 0.0

    def steer(self, seen: Observation, x_on_track_m: float) -> float:
        """Return the wheel angle [rad] for the coming control step."""
        if seen["t"] >= self._next_s - 1e-9:
            self._next_s += REACTION_S
            change = self._best_change(seen, x_on_track_m)
            change = min(max(change, -self._most_change), self._most_change)
            self._steer = min(max(self._steer + change, -self._most), self._most)
        return self._steer

    def _best_change(self, seen: Observation, x_on_track_m: float) -> float:
        """Return the first of the steering changes that keep nose and tail in the lanes."""
        p = self._prediction
        state = np.array([seen["Y"], seen["vy"], seen["psi"], seen["r"], self._steer])
        ways = x_on_track_m + seen["vx"] * p.step_s * np.arange(1.0, HORIZON_STEPS + 1.0)
        rows, wanted = [], []
        for arm, from_state, from_changes in (
            (p.nose_m, p.nose_from_state, p.nose_from_changes),
            (p.tail_m, p.tail_from_state, p.tail_from_changes),
        ):
            middle = self._middles(ways + arm)
            inside = ~np.isnan(middle)
            rows.append(from_changes[inside])
            wanted.append(middle[inside] - from_state[inside] @ state)
        return _ridge(np.concatenate(rows), np.concatenate(wanted), self._calmness)

    def _middles(self, x: Array) -> Array:
        """Return the middle of the lane at each x, NaN between the lanes."""
        middle = np.full(len(x), math.nan)
        for lane in self._course.lanes:
            middle[(x >= lane.x0_m - EDGE_M) & (x <= lane.x1_m + EDGE_M)] = lane.middle_m
        middle[x < self._course.entry.x0_m] = self._course.entry.middle_m
        middle[x > self._course.exit.x1_m] = self._course.exit.middle_m
        return middle


def _ridge(matrix: Array, wanted: Array, weight: float) -> float:
    """Return the first of the steering changes that best give what is wanted."""
    square = matrix.T @ matrix + weight**2 * np.eye(HORIZON_STEPS)
    return float(cho_solve(cho_factor(square), matrix.T @ wanted)[0])
