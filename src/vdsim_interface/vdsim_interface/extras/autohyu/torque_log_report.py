"""What a fit of torque logs found, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vdsim_interface.extras.autohyu.torque_log_fit import ERROR_SPEED_KPH, LogFit
from vdsim_interface.extras.autohyu.torque_points import Measured

MOST_ROWS_NAMED = 20


@dataclass(frozen=True)
class Log:
    """One file: its name, its points, and the line number of each point."""

    name: str
    points: Measured
    lines: Sequence[int]


def joined(logs: Sequence[Log]) -> Measured:
    """Return the points of all logs, in order."""
    return Measured(
        np.concatenate([log.points.torque_nm for log in logs]),
        np.concatenate([log.points.speed_kph for log in logs]),
        np.concatenate([log.points.aps_percent for log in logs]),
    )


def report_lines(logs: Sequence[Log], fit: LogFit) -> Iterator[str]:
    """Give the lines of the report."""
    points, curves = joined(logs), fit.curves
    for log in logs:
        yield f"{log.name}: {len(log.lines)} points"
    levels = curves.levels_percent
    yield (
        f"{len(levels)} throttle levels from {levels[0]:g} to {levels[-1]:g} %, "
        f"torque {points.torque_nm.min():.0f} to {points.torque_nm.max():.0f} N m, "
        f"speed {points.speed_kph.min():.0f} to {points.speed_kph.max():.0f} km/h"
    )
    yield f"left out as outliers: {len(fit.left_out)}"
    places = [(log.name, line) for log in logs for line in log.lines]
    for index in fit.left_out[:MOST_ROWS_NAMED]:
        name, line = places[index]
        yield (
            f"  {name} line {line}: {points.torque_nm[index]:.1f} N m, "
            f"{points.speed_kph[index]:.1f} km/h, {points.aps_percent[index]:.1f} %"
        )
    if len(fit.left_out) > MOST_ROWS_NAMED:
        yield f"  and {len(fit.left_out) - MOST_ROWS_NAMED} more"
    if curves.straightened_nm:
        yield (
            f"made to rise with the throttle: by at most {curves.straightened_nm:.1f} N m, "
            f"near {curves.straightened_kph:g} km/h"
        )
    slow, fast = ERROR_SPEED_KPH
    yield (
        f"error of APS on {fit.held_out_n} held-out points (every other km/h) "
        f"from {slow:g} to {fast:g} km/h:"
    )
    for name, error in fit.errors.items():
        yield (
            f"  {name}: mean {error.mean:.3f}, 95 % below {error.p95:.3f}, "
            f"largest {error.largest:.2f} %"
        )


def plot_fit(points: Measured, fit: LogFit, path: Path) -> None:
    """Draw torque over speed: the points, the curve of each level, what was left out."""
    # Imported here: only the picture needs matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.plot(points.speed_kph, points.torque_nm, ".", color="gray", markersize=1.5, label="points")
    curves = fit.curves
    for level, torque in zip(curves.levels_percent, curves.torque_nm, strict=True):
        axes.plot(curves.speed_kph, torque, color="tab:blue", linewidth=0.8)
        axes.annotate(f"{level:.0f}", (curves.speed_kph[-1], torque[-1]), fontsize=6)
    out = fit.left_out
    axes.plot(points.speed_kph[out], points.torque_nm[out], "rx", label="left out")
    error = fit.errors["fit"]
    axes.set_title(f"throttle levels [%]; error of APS on held-out points: mean {error.mean:.3f} %")
    axes.set_xlabel("speed [km/h]")
    axes.set_ylabel("torque at the wheels [N m]")
    axes.legend(loc="upper right")
    axes.grid(visible=True, linewidth=0.3)
    figure.savefig(path)
