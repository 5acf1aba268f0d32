"""The tasks by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import Ground, SplitMu, XPatch
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.manoeuvres.lane_change_track import Lane, iso_3888_1
from vdsim_plant.study.tasks.reference import Circle, Curve, StraightLine
from vdsim_plant.study.tasks.task import DoubleLaneChange, Drift, EmergencyBrake, Task

Array = NDArray[np.float64]
CAR_WIDTH_M = 1.89


def lane_keeping() -> Task:
    """Return the straight lane."""
    return Task(
        name="LaneKeeping",
        about="keep to the middle of a straight lane at 20 m/s",
        line=StraightLine(),
    )


def path_tracking() -> Task:
    """Return the winding road with slippery patches."""
    slippery = tuple(XPatch(x, x + 25.0, 0.35) for x in np.arange(60.0, 700.0, 90.0).tolist())
    return Task(
        name="PathTracking",
        about="follow a winding road at 15 m/s over patches of friction 0.35",
        line=Curve(lambda x: 6.0 * np.sin(x * (2.0 * math.pi / 140.0)), -50.0, 800.0),
        ground=Ground(x_patches=slippery, transition_m=1.0),
        duration_s=20.0,
        speed_mps=15.0,
        half_width_m=3.0,
        steer_max_rad=0.25,
        start_m=(0.0, 280.0),
    )


def double_lane_change() -> Task:
    """Return ISO 3888-1 at 22 m/s (80 km/h)."""
    lanes = iso_3888_1(CAR_WIDTH_M).lanes
    half = 0.5 * CAR_WIDTH_M
    return DoubleLaneChange(
        name="DoubleLaneChange",
        about="the double lane change of ISO 3888-1 at 22 m/s",
        line=Curve(lambda x: _between_lanes(x, lanes), -60.0, 250.0),
        duration_s=9.0,
        speed_mps=22.0,
        half_width_m=3.0,
        steer_max_rad=0.2,
        start_m=(-30.0, -20.0),
        start_left_m=0.2,
        start_heading_rad=0.01,
        gates=tuple(
            (lane.x0_m, lane.x1_m, lane.right_m + half, lane.left_m - half) for lane in lanes
        ),
    )


def split_mu_brake() -> Task:
    """Return the emergency stop with ice under the left wheels."""
    return EmergencyBrake(
        name="SplitMuBrake",
        about="stop from 25 m/s with friction 0.2 on the left and 0.8 on the right",
        line=StraightLine(),
        ground=Ground(split=SplitMu(mu_left=0.2, mu_right=0.8, y_m=0.0)),
        duration_s=12.0,
        speed_mps=25.0,
        drive_max_n=0.0,
        brake_max_n=25000.0,
        start_left_m=0.1,
        start_heading_rad=0.01,
        vary={"body.mass_kg": (2200.0, 2800.0), "brakes.brake_split_front": (0.5, 0.7)},
    )


def drift() -> Task:
    """Return the circle on a wet road."""
    return Drift(
        name="Drift",
        about="go round a circle of 25 m with a sideslip angle of 0.5 rad",
        line=Circle(25.0),
        config="sport_rwd",
        ground=Ground(base_mu=0.6),
        speed_mps=11.0,
        half_width_m=6.0,
        steer_max_rad=0.5,
        drive_max_n=9000.0,
        start_heading_rad=0.2,
        vary={"body.mass_kg": (1400.0, 1700.0), "base_mu": (0.5, 0.7)},
    )


TASKS: dict[str, Callable[[], Task]] = {
    "LaneKeeping": lane_keeping,
    "PathTracking": path_tracking,
    "DoubleLaneChange": double_lane_change,
    "SplitMuBrake": split_mu_brake,
    "Drift": drift,
}


def task_named(name: str) -> Task:
    """Return the task of a name."""
    if name not in TASKS:
        raise ParameterError("task", f"={name!r}: must be one of {', '.join(TASKS)}")
    return TASKS[name]()


def _between_lanes(x: Array, lanes: tuple[Lane, Lane, Lane]) -> Array:
    """Return the middle of the lanes over x [m], half a wave of cosine between them."""
    entry, evasion, end = lanes
    y = np.full_like(x, entry.middle_m)
    for before, after in ((entry, evasion), (evasion, end)):
        share = np.clip((x - before.x1_m) / (after.x0_m - before.x1_m), 0.0, 1.0)
        y += (after.middle_m - before.middle_m) * 0.5 * (1.0 - np.cos(math.pi * share))
    return y
