"""The manoeuvres by name: what runs them, what plots them, which options they take."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vdsim_plant.study.manoeuvres import plots
from vdsim_plant.study.manoeuvres.double_lane_change import (
    double_lane_change,
    double_lane_change_pass_speed,
)
from vdsim_plant.study.manoeuvres.sine_with_dwell import sine_with_dwell
from vdsim_plant.study.manoeuvres.steady_circle import steady_circle
from vdsim_plant.study.manoeuvres.step_steer import step_steer
from vdsim_plant.study.manoeuvres.straight_brake import straight_brake
from vdsim_plant.study.manoeuvres.trace import Trace


@dataclass(frozen=True)
class Manoeuvre:
    """A manoeuvre of the catalogue. `options`: further keyword arguments, by type."""

    about: str
    run: Callable[..., Any]
    plot: Callable[[Any], Any]
    options: tuple[tuple[str, type], ...] = ()


_SPEED = ("speed_mps", float)
_TRACK = ("track", str)

MANOEUVRES: dict[str, Manoeuvre] = {
    "straight_brake": Manoeuvre(
        "stop from speed at the limit of the tyres, or with a given force",
        straight_brake,
        plots.plot_straight_brake,
        (_SPEED, ("force_n", float)),
    ),
    "step_steer": Manoeuvre(
        "ISO 7401: response to a step of the steering wheel",
        step_steer,
        plots.plot_step_steer,
        (_SPEED, ("lateral_acceleration_mps2", float)),
    ),
    "steady_circle": Manoeuvre(
        "ISO 4138: understeer on a circle of constant radius, up to the limit",
        steady_circle,
        plots.plot_steady_circle,
        (("radius_m", float),),
    ),
    "double_lane_change": Manoeuvre(
        "ISO 3888-1 or -2: once through the cones",
        double_lane_change,
        plots.plot_double_lane_change,
        (_SPEED, _TRACK, ("calmness_m_per_rad", float)),
    ),
    "pass_speed": Manoeuvre(
        "ISO 3888-1 or -2: highest speed without touching a cone",
        double_lane_change_pass_speed,
        plots.plot_pass_speed,
        (_TRACK, ("resolution_mps", float)),
    ),
    "sine_with_dwell": Manoeuvre(
        "FMVSS 126: stability under a sine with dwell of rising amplitude",
        sine_with_dwell,
        plots.plot_sine_with_dwell,
        (_SPEED, ("assist", str)),
    ),
}


def metrics(result: Any) -> dict[str, float | int | bool | str]:
    """Return the numbers of a result by name, in the order of its declaration."""
    return {
        item.name: getattr(result, item.name)
        for item in dataclasses.fields(result)
        if isinstance(getattr(result, item.name), (bool, int, float, str))
    }


def trace_of_result(result: Any) -> Trace:
    """Return the drive that stands for a result: its own, the fastest passed, the last run."""
    if hasattr(result, "runs"):
        result = result.runs[-1]
    elif hasattr(result, "fastest_passed"):
        result = result.fastest_passed
    trace: Trace = result.trace
    return trace
