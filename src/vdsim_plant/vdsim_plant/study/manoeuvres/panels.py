"""The panels that the manoeuvres' plots are put together from. matplotlib is imported only here.

Figures are made without pyplot: no window, no global state, any thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vdsim_plant.study.manoeuvres.trace import WHEELS, Array, Trace

INK = "#1f2933"
BLUE, ORANGE, GREEN, PURPLE, RED, GREY = (
    *("#2563a8", "#d9730d", "#2f855a", "#7c4d9e", "#c2362f"),
    "#9aa5b1",
)
WHEEL_COLOURS = (BLUE, ORANGE, GREEN, PURPLE)


def new_figure(title: str, rows: int, columns: int, *, size_in: tuple[float, float]) -> Any:
    """Return a figure and its axes, an array of rows x columns."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size_in, layout="constrained", dpi=130)
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold", x=0.01, ha="left")
    for axis in axes.flat:
        axis.grid(True, color="#e4e7eb", linewidth=0.8)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8, colors=INK)
    return figure, axes


def save_figure(figure: Any, path: str | Path) -> None:
    """Write the figure; its suffix selects the format (png, svg, pdf)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    figure.savefig(Path(path))


def label(axis: Any, x: str, y: str, title: str = "") -> None:
    """Name the axes; the title names what the panel shows."""
    axis.set_xlabel(x, fontsize=9, color=INK)
    axis.set_ylabel(y, fontsize=9, color=INK)
    if title:
        axis.set_title(title, fontsize=10, color=INK, loc="left")


def lines(axis: Any, x: Array, named: Mapping[str, Array], y_label: str, title: str = "") -> None:
    """Draw named lines over x, which is time by default."""
    for (name, values), colour in zip(named.items(), (BLUE, ORANGE, GREEN, PURPLE), strict=False):
        axis.plot(x, values, color=colour, linewidth=1.6, label=name)
    label(axis, "time [s]", y_label, title)
    if len(named) > 1:
        axis.legend(fontsize=8, frameon=False)


def wheel_lines(axis: Any, trace: Trace, values: Array, y_label: str, title: str = "") -> None:
    """Draw one line a wheel over time."""
    for k, (name, colour) in enumerate(zip(WHEELS, WHEEL_COLOURS, strict=True)):
        dashes = "-" if name.endswith("l") else (0, (4, 3))  # left and right often coincide
        axis.plot(
            *(trace.time_s, values[:, k]),
            color=colour,
            linewidth=1.3,
            linestyle=dashes,
            label=name.upper(),
        )
    label(axis, "time [s]", y_label, title)
    axis.legend(fontsize=8, frameon=False, ncols=4)


def friction_use(axis: Any, trace: Trace) -> None:
    """Draw how much of its friction each wheel uses; 1 is the circle."""
    wheel_lines(axis, trace, trace.friction_use, "|F| / (mu Fz)", "friction used by each wheel")
    axis.axhline(1.0, color=INK, linewidth=0.8, linestyle="--")
    axis.set_ylim(0.0, 1.15)


def steering(axis: Any, trace: Trace) -> None:
    """Draw the road wheel angle."""
    lines(axis, trace.time_s, {"steer": np.degrees(trace.steer_rad)}, "road wheel angle [deg]")


def path(axis: Any, trace: Trace, *, equal: bool = True) -> None:
    """Draw the way of the centre of gravity, seen from above."""
    axis.plot(trace.x_m, trace.y_m, color=BLUE, linewidth=1.8)
    label(axis, "x [m]", "y [m]", "path")
    if equal:
        axis.set_aspect("equal", adjustable="datalim")


def outlines(axis: Any, trace: Trace, box_m: tuple[float, float, float], every_s: float) -> None:
    """Draw the car's outline now and then; box: nose, tail (x from the centre), half width."""
    nose, tail, half = box_m
    corners = np.array([(nose, half), (nose, -half), (tail, -half), (tail, half), (nose, half)])
    dt = trace.time_s[1] - trace.time_s[0]
    for k in range(0, len(trace.time_s), max(round(every_s / dt), 1)):
        c, s = np.cos(trace.yaw_rad[k]), np.sin(trace.yaw_rad[k])
        turned = corners @ np.array([[c, s], [-s, c]])
        axis.plot(
            trace.x_m[k] + turned[:, 0], trace.y_m[k] + turned[:, 1], color=GREY, linewidth=0.7
        )
