"""A task: a car on a road, a line to follow, a reward, and the end of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import Ground
from vdsim_plant.study.tasks.reference import Reference

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]

OBSERVED = (
    "distance to the left of the line, of 2 m",
    "heading to the left of the line, rad",
    "speed along the car, of 20 m/s",
    "speed to the car's left, of 5 m/s",
    "yaw rate, rad/s",
    "acceleration along the car, of 10 m/s2",
    "acceleration to the car's left, of 10 m/s2",
    "last action: steering",
    "last action: force",
    "curvature of the line 0.5 s ahead, of 0.02 1/m",
    "curvature of the line 1 s ahead, of 0.02 1/m",
    "curvature of the line 0.2 s ahead, of 0.02 1/m",
)
"""What a car sees, float32, each of a size of about 1."""


class Scene(NamedTuple):
    """Where n cars are: arrays of n. World ENU, body ISO 8855."""

    x: Array  # [m]
    y: Array
    yaw: Array  # [rad]
    vx: Array  # [m/s]
    vy: Array
    yaw_rate: Array  # [rad/s]
    ax: Array  # [m/s2]
    ay: Array
    left: Array  # of the line [m]
    heading: Array  # to the left of the line [rad]


class Judgement(NamedTuple):
    """What n cars are paid for one step, and which have reached an end of the task."""

    reward: Array
    ended: Truths


@dataclass(frozen=True, kw_only=True)
class Task:
    """The task of keeping to a line at a speed; other tasks judge otherwise.

    An action is two numbers from -1 to 1: steering, and force (braking below 0). `vary`: the ranges
    of what differs from episode to episode where the parameters are randomised, under the names of
    `VDSimPlant.varied`. `level`, `assist` and `limit_to_motor` are those of `VDSimPlant`.
    """

    name: str
    about: str
    line: Reference
    config: str = "ioniq5_awd"
    level: str = "l2"
    assist: str | None = None
    limit_to_motor: bool = False
    ground: Ground = field(default_factory=Ground)
    duration_s: float = 10.0
    speed_mps: float = 20.0
    half_width_m: float = 2.0
    steer_max_rad: float = 0.15
    drive_max_n: float = 6000.0
    brake_max_n: float = 12000.0
    start_m: tuple[float, float] = (0.0, 0.0)
    start_left_m: float = 1.0
    start_heading_rad: float = 0.05
    start_speed_mps: float = 1.0
    vary: Mapping[str, tuple[float, float]] = field(
        default_factory=lambda: {"body.mass_kg": (2200.0, 2800.0), "base_mu": (0.6, 1.0)}
    )

    def starts(self, random: np.random.Generator, n: int) -> Array:
        """Return n rows of `[X, Y, psi, vx, vy, r]`."""
        drawn = random.uniform(-1.0, 1.0, (4, n))
        states = np.zeros((n, 6))
        states[:, 0] = random.uniform(*self.start_m, n)
        none = np.zeros(n)
        left, heading = self.line.errors(states[:, 0], none, none)
        states[:, 1] = self.start_left_m * drawn[0] - left / np.cos(heading)
        states[:, 2] = self.start_heading_rad * drawn[1] - heading
        states[:, 3] = self.speed_mps + self.start_speed_mps * drawn[2]
        return states

    def judge(self, scene: Scene, action: Array, before: Array) -> Judgement:
        """Return the rewards of a step and who left the road; actions are 2 x n."""
        return Judgement(self.following(scene, action, before), self.is_off(scene))

    def following(self, scene: Scene, action: Array, before: Array) -> Array:
        """Return 1 less what distance, heading, speed and jerks of the input cost, but not below 0.

        Who is on the road is never paid less than who has left it.
        """
        away = scene.left / self.half_width_m
        slow = (scene.vx - self.speed_mps) * 0.1
        moved = action - before
        jerk = moved[0] * moved[0] + moved[1] * moved[1]
        cost = away * away + 2.0 * scene.heading**2 + slow * slow + 0.05 * jerk
        reward: Array = np.maximum(1.0 - cost, 0.0)
        return reward

    def is_off(self, scene: Scene) -> Truths:
        """Return who is off the road or has turned across it."""
        return (np.abs(scene.left) > self.half_width_m) | (np.abs(scene.heading) > 1.0)


@dataclass(frozen=True, kw_only=True)
class EmergencyBrake(Task):
    """Stop as soon as possible, straight ahead."""

    def judge(self, scene: Scene, action: Array, before: Array) -> Judgement:
        """Pay for deceleration; the end is standstill, or leaving the lane.

        Leaving costs what the rest of the stop would have paid, and no more: a fine on top of it
        would teach not to brake at all, since every first attempt turns the car.
        """
        away = scene.left / self.half_width_m
        reward = -0.1 * scene.ax - 0.2 * away * away - scene.heading**2
        off, stands = self.is_off(scene), scene.vx < 0.5
        reward += 10.0 * (stands & ~off)
        return Judgement(reward, off | stands)


@dataclass(frozen=True, kw_only=True)
class DoubleLaneChange(Task):
    """Pass the lanes without touching a cone, without slowing down."""

    gates: tuple[tuple[float, float, float, float], ...]
    """x from, x to, lowest and highest y [m] of the centre of a car that touches no cone."""

    def judge(self, scene: Scene, action: Array, before: Array) -> Judgement:
        """Pay for following the line, take off for cones; the end is the end of the track."""
        reward = self.following(scene, action, before)
        for x0, x1, low, high in self.gates:
            inside = (scene.x >= x0) & (scene.x <= x1)
            reward -= inside & ((scene.y < low) | (scene.y > high))
        off, through = self.is_off(scene), scene.x > self.gates[-1][1]
        reward += 10.0 * (through & ~off)
        return Judgement(reward, off | through)


@dataclass(frozen=True, kw_only=True)
class Drift(Task):
    """Go round a circle with the rear sliding outwards."""

    slip_rad: float = 0.5
    """The sideslip angle that is wanted; the car points to the inside."""

    def judge(self, scene: Scene, action: Array, before: Array) -> Judgement:
        """Pay for the sideslip angle, less for distance from the circle; the end is a spin.

        It has a slope everywhere, also at no sideslip at all, where every episode starts; and it is
        never negative, so that going on pays more than an end.
        """
        slip = np.arctan2(-scene.vy, np.maximum(scene.vx, 0.1))
        away = scene.left / self.half_width_m
        missed = (slip - self.slip_rad) / self.slip_rad
        reward = (0.2 + 0.8 * np.exp(-2.0 * missed * missed)) * np.exp(-2.0 * away * away)
        spun = (np.abs(slip) > 1.3) | (scene.vx < 2.0)
        return Judgement(reward, spun | (np.abs(scene.left) > self.half_width_m))
