"""One plot for each manoeuvre's result."""

from __future__ import annotations

from typing import Any

import numpy as np

from vdsim_plant.study.manoeuvres import panels
from vdsim_plant.study.manoeuvres.double_lane_change import (
    RUN_UP_M,
    DoubleLaneChangeResult,
    PassSpeedResult,
)
from vdsim_plant.study.manoeuvres.lane_change_track import CONE_RADIUS_M
from vdsim_plant.study.manoeuvres.sine_with_dwell import (
    YAW_RATIO_AT_1_00_S,
    YAW_RATIO_AT_1_75_S,
    SineWithDwellResult,
)
from vdsim_plant.study.manoeuvres.steady_circle import SteadyCircleResult
from vdsim_plant.study.manoeuvres.step_steer import StepSteerResult
from vdsim_plant.study.manoeuvres.straight_brake import StraightBrakeResult


def plot_straight_brake(result: StraightBrakeResult) -> Any:
    """Speed, deceleration, slip and friction use of the stop."""
    trace = result.trace
    figure, axes = panels.new_figure(
        f"Braking from {3.6 * result.initial_speed_mps:.0f} km/h: "
        f"{result.stopping_distance_m:.1f} m",
        *(2, 2),
        size_in=(11, 6.5),
    )
    panels.lines(axes[0, 0], trace.x_m, {"speed": trace.vx_mps}, "speed [m/s]")
    axes[0, 0].set_xlabel("distance [m]", fontsize=9)
    panels.lines(
        axes[0, 1],
        trace.time_s,
        {"deceleration": -trace.ax_mps2},
        "deceleration [m/s2]",
        f"mean developed {result.mean_developed_deceleration_mps2:.2f} m/s2",
    )
    panels.wheel_lines(axes[1, 0], trace, trace.kappa, "slip ratio")
    panels.friction_use(axes[1, 1], trace)
    return figure


def plot_step_steer(result: StepSteerResult) -> Any:
    """Response of yaw rate, lateral acceleration and sideslip to the step."""
    trace = result.trace
    figure, axes = panels.new_figure(
        f"Step steer ISO 7401 at {3.6 * result.speed_mps:.0f} km/h: yaw rate response "
        f"{1e3 * result.yaw_rate_response_time_s:.0f} ms",
        *(2, 2),
        size_in=(11, 6.5),
    )
    panels.steering(axes[0, 0], trace)
    panels.lines(axes[0, 1], trace.time_s, {"ay": trace.ay_mps2}, "lateral acceleration [m/s2]")
    yaw_rate = {"yaw rate": np.degrees(trace.yaw_rate_radps)}
    panels.lines(axes[1, 0], trace.time_s, yaw_rate, "yaw rate [deg/s]")
    sideslip = {"sideslip": np.degrees(trace.sideslip_rad), "roll": np.degrees(trace.roll_rad)}
    panels.lines(axes[1, 1], trace.time_s, sideslip, "angle [deg]")
    steady = (
        (axes[0, 1], result.steady_lateral_acceleration_mps2),
        (axes[1, 0], np.degrees(result.steady_yaw_rate_radps)),
    )
    for axis, value in steady:
        axis.axhline(0.9 * value, color=panels.GREY, linewidth=0.9, linestyle="--")
        axis.axhline(value, color=panels.GREY, linewidth=0.9)
    return figure


def plot_steady_circle(result: SteadyCircleResult) -> Any:
    """Steering, sideslip and roll over lateral acceleration, and the path."""
    trace = result.trace
    figure, axes = panels.new_figure(
        f"Steady circle ISO 4138, radius {result.radius_m:g} m: understeer "
        f"{result.understeer_gradient_deg_per_g:.2f} deg/g",
        *(2, 2),
        size_in=(11, 7.5),
    )
    ay = trace.ay_mps2 * np.cos(trace.sideslip_rad) - trace.ax_mps2 * np.sin(trace.sideslip_rad)
    shown = trace.time_s > 3.0
    curves = (
        (axes[0, 0], trace.steer_rad, "road wheel angle [deg]"),
        (axes[0, 1], trace.sideslip_rad, "sideslip [deg]"),
        (axes[1, 0], trace.roll_rad, "roll [deg]"),
    )
    for axis, values, name in curves:
        axis.plot(ay[shown], np.degrees(values[shown]), color=panels.BLUE, linewidth=1.4)
        panels.label(axis, "lateral acceleration [m/s2]", name)
    panels.path(axes[1, 1], trace)
    return figure


def plot_double_lane_change(result: DoubleLaneChangeResult) -> Any:
    """The track with its cones, the car's outlines, and what it took."""
    trace, track = result.trace, result.track
    verdict = (
        "passed"
        if result.passed
        else f"{result.cones_hit} cones hit, {result.gates_missed} gates missed"
    )
    figure, axes = panels.new_figure(
        f"{track.name} at {3.6 * result.entry_speed_mps:.1f} km/h: {verdict}",
        *(3, 1),
        size_in=(12, 8.5),
    )
    axis = axes[0, 0]
    panels.path(axis, trace, equal=False)
    panels.outlines(axis, trace, result.outline_m, 0.25)
    hit = set(result.hit_cones_m)
    for cone in track.cones_m():
        colour = panels.RED if cone in hit else panels.ORANGE
        axis.plot(cone[0] + RUN_UP_M, cone[1], "o", color=colour, markersize=4)
    axis.set_title(f"cones of {2 * CONE_RADIUS_M:g} m; those hit are red", loc="left", fontsize=10)
    rates = {
        "lateral acceleration [m/s2]": trace.ay_mps2,
        "yaw rate [10 deg/s]": np.degrees(trace.yaw_rate_radps) / 10.0,
        "road wheel angle [deg]": np.degrees(trace.steer_rad),
    }
    panels.lines(axes[1, 0], trace.time_s, rates, "units: see the legend")
    panels.friction_use(axes[2, 0], trace)
    return figure


def plot_pass_speed(result: PassSpeedResult) -> Any:
    """The fastest drive that passed."""
    return plot_double_lane_change(result.fastest_passed)


def plot_sine_with_dwell(result: SineWithDwellResult) -> Any:
    """Every drive of the series: steering, yaw rate, path; and the ratios with their limits."""
    figure, axes = panels.new_figure(
        f"Sine with dwell FMVSS 126 at {3.6 * result.speed_mps:.0f} km/h: "
        + ("passed" if result.passed else "failed")
        + f", stable to {result.largest_stable_amplitude_deg:.0f} deg at the steering wheel",
        *(2, 2),
        size_in=(11, 7.5),
    )
    for run in result.runs:
        style = {"color": panels.BLUE if run.stable else panels.RED, "linewidth": 0.9, "alpha": 0.7}
        trace = run.trace
        axes[0, 0].plot(trace.time_s, np.degrees(trace.steer_rad), **style)
        axes[0, 1].plot(trace.time_s, np.degrees(trace.yaw_rate_radps), **style)
        axes[1, 0].plot(trace.x_m, trace.y_m, **style)
    panels.label(axes[0, 0], "time [s]", "road wheel angle [deg]", "blue: stable, red: not")
    panels.label(axes[0, 1], "time [s]", "yaw rate [deg/s]")
    panels.label(axes[1, 0], "x [m]", "y [m]", "path")
    amplitudes = [run.steering_wheel_amplitude_deg for run in result.runs]
    axis = axes[1, 1]
    series = (
        ([run.yaw_ratio_at_1_00_s for run in result.runs], YAW_RATIO_AT_1_00_S, "1.00 s"),
        ([run.yaw_ratio_at_1_75_s for run in result.runs], YAW_RATIO_AT_1_75_S, "1.75 s"),
    )
    for (ratios, limit, name), colour in zip(series, (panels.BLUE, panels.ORANGE), strict=True):
        axis.plot(amplitudes, ratios, "o-", color=colour, markersize=3, label=f"after {name}")
        axis.axhline(limit, color=colour, linewidth=0.9, linestyle="--")
    panels.label(axis, "steering wheel amplitude [deg]", "yaw rate / peak", "dashed: allowed")
    axis.legend(fontsize=8, frameon=False)
    return figure
