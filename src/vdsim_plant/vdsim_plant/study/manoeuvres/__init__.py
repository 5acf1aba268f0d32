"""Standard manoeuvres: each one call, with the standard's metrics and a plot."""

from vdsim_plant.study.manoeuvres.catalogue import MANOEUVRES, metrics
from vdsim_plant.study.manoeuvres.double_lane_change import (
    DoubleLaneChangeResult,
    PassSpeedResult,
    double_lane_change,
    double_lane_change_pass_speed,
)
from vdsim_plant.study.manoeuvres.panels import save_figure
from vdsim_plant.study.manoeuvres.sine_with_dwell import (
    SineWithDwellResult,
    SineWithDwellRun,
    sine_with_dwell,
)
from vdsim_plant.study.manoeuvres.steady_circle import SteadyCircleResult, steady_circle
from vdsim_plant.study.manoeuvres.step_steer import StepSteerResult, step_steer
from vdsim_plant.study.manoeuvres.straight_brake import StraightBrakeResult, straight_brake
from vdsim_plant.study.manoeuvres.trace import Trace

__all__ = [
    "MANOEUVRES",
    "DoubleLaneChangeResult",
    "PassSpeedResult",
    "SineWithDwellResult",
    "SineWithDwellRun",
    "SteadyCircleResult",
    "StepSteerResult",
    "StraightBrakeResult",
    "Trace",
    "double_lane_change",
    "double_lane_change_pass_speed",
    "metrics",
    "save_figure",
    "sine_with_dwell",
    "steady_circle",
    "step_steer",
    "straight_brake",
]
