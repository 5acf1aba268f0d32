"""Draws runs: trajectory, states, per-wheel forces, friction use, link quality; several overlaid.

One colour a run, in colours that stay apart for colour-blind readers; wheels differ by line style.
The format follows the file's suffix: png, pdf, svg.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from vdsim_plant.parameters import ParameterError

from vdsim_plant_node.runs.link_record import LinkRecord
from vdsim_plant_node.runs.run_table import WHEELS, RunTable

FORMATS = (".png", ".pdf", ".svg")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
WHEEL_STYLES = ("-", "--", "-.", ":")
_GRAVITY_MPS2 = 9.80665
_MOST_SLIP = 1.5
"""A wheel that spins at rest has a slip ratio of any size: the panel ends here."""
_STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "legend.fontsize": 7.0,
    "savefig.dpi": 150,
    "svg.hashsalt": "vdsim",
}


@dataclass(frozen=True)
class Curve:
    """One vehicle of one run, with the colour it is drawn in."""

    label: str
    colour: str
    table: RunTable


def draw_runs(
    runs: Mapping[str, Sequence[RunTable]],
    path: Path,
    links: Mapping[str, Sequence[LinkRecord]] | None = None,
) -> None:
    """Draw the runs, by name, into one picture; `links` adds what is known of their links."""
    if path.suffix.lower() not in FORMATS:
        raise ParameterError("plot", f"={path.name!r}: must end in {', '.join(FORMATS)}")
    curves = _curves(runs)
    heard = {name: found for name, found in (links or {}).items() if any(map(_is_heard, found))}
    with rc_context(_STYLE):
        rows = 5 + bool(heard)
        figure = Figure(figsize=(11.0, 2.35 * rows), layout="constrained")
        grid = figure.add_gridspec(rows, 3)
        _trajectory(figure.add_subplot(grid[0, :2]), curves)
        _g_g(figure.add_subplot(grid[0, 2]), curves)
        for index, panel in enumerate(_PANELS):
            panel(figure.add_subplot(grid[1 + index // 3, index % 3]), curves)
        if heard:
            _link_row([figure.add_subplot(grid[5, column]) for column in range(3)], heard)
        figure.savefig(path, metadata=_no_date(path))


def _is_heard(link: LinkRecord) -> bool:
    """Whether a command has come: without one there is no link to draw."""
    return bool(link.arrivals_s)


def _no_date(path: Path) -> dict[str, None]:
    """Equal runs give equal pictures: leave out when it was drawn."""
    keys = {".svg": "Date", ".pdf": "CreationDate", ".png": "Software"}
    return {keys[path.suffix.lower()]: None}


def _curves(runs: Mapping[str, Sequence[RunTable]]) -> list[Curve]:
    tables = [
        (name if len(tables) == 1 else f"{name} #{table.vehicle_id}", table)
        for name, tables in runs.items()
        for table in tables
    ]
    return [
        Curve(label, COLOURS[index % len(COLOURS)], table)
        for index, (label, table) in enumerate(tables)
    ]


def _trajectory(axes: Axes, curves: list[Curve]) -> None:
    for curve in curves:
        x, y = curve.table["x_m"], curve.table["y_m"]
        axes.plot(x, y, color=curve.colour, label=curve.label)
        axes.plot(x[0], y[0], "o", color=curve.colour, markersize=4)
        axes.plot(x[-1], y[-1], "s", color=curve.colour, markersize=4)
    axes.set_title("Trajectory (circle: start, square: end)", loc="left")
    axes.set(xlabel="x, east [m]", ylabel="y, north [m]")
    axes.axis("equal")
    axes.legend(loc="best")


def _g_g(axes: Axes, curves: list[Curve]) -> None:
    for curve in curves:
        ax = [value / _GRAVITY_MPS2 for value in curve.table["ax_mps2"]]
        ay = [value / _GRAVITY_MPS2 for value in curve.table["ay_mps2"]]
        axes.plot(ay, ax, color=curve.colour, linewidth=0.8)
    angles = [math.tau * step / 90 for step in range(91)]
    mu = max(max(wheel) for curve in curves for wheel in curve.table.wheels("wheel_mu"))
    axes.plot(
        [mu * math.cos(angle) for angle in angles],
        [mu * math.sin(angle) for angle in angles],
        color="0.6",
        linewidth=0.8,
        label=f"mu {mu:g}",
    )
    axes.set_title("g-g", loc="left")
    axes.set(xlabel="lateral [g], left +", ylabel="longitudinal [g]", aspect="equal")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def _over_time(
    title: str, unit: str, *columns: tuple[str, str, float]
) -> Callable[[Axes, list[Curve]], None]:
    """A panel of (column, line style, factor) over time."""

    def draw(axes: Axes, curves: list[Curve]) -> None:
        for curve in curves:
            for name, style, factor in columns:
                values = [factor * value for value in curve.table[name]]
                axes.plot(curve.table["time_s"], values, style, color=curve.colour)
        axes.set_title(title, loc="left")
        axes.set(xlabel="time [s]", ylabel=unit)

    return draw


def _wheels_over_time(
    title: str,
    unit: str,
    values: Callable[[RunTable], list[list[float]]],
    most: float = math.inf,
) -> Callable[[Axes, list[Curve]], None]:
    """A panel of one quantity at the four wheels; what is beyond `most` does not squeeze it."""

    def draw(axes: Axes, curves: list[Curve]) -> None:
        alone = len(curves) == 1
        for curve in curves:
            for wheel, series in enumerate(values(curve.table)):
                axes.plot(
                    curve.table["time_s"],
                    series,
                    linestyle="-" if alone else WHEEL_STYLES[wheel],
                    color=COLOURS[wheel] if alone else curve.colour,
                    label=WHEELS[wheel].upper() if curve is curves[0] else None,
                    linewidth=0.9,
                )
        low, high = axes.get_ylim()
        is_cut = max(-low, high) > most
        if is_cut:
            axes.set_ylim(max(low, -most), min(high, most))
        axes.set_title(f"{title}, within ±{most:g}" if is_cut else title, loc="left")
        axes.set(xlabel="time [s]", ylabel=unit)
        axes.legend(
            loc="upper right",
            ncols=4,
            handlelength=1.6,
            columnspacing=0.8,
        )

    return draw


def _scaled(name: str, factor: float) -> Callable[[RunTable], list[list[float]]]:
    return lambda table: [[factor * value for value in wheel] for wheel in table.wheels(name)]


def friction_use(table: RunTable) -> list[list[float]]:
    """|F| / (mu Fz) of each wheel; 0 where a wheel is off the ground."""
    return [
        [
            math.hypot(x, y) / (mu * z) if mu * z > 0.0 else 0.0
            for x, y, z, mu in zip(fx, fy, fz, wheel_mu, strict=True)
        ]
        for fx, fy, fz, wheel_mu in zip(
            table.wheels("tire_fx_n"),
            table.wheels("tire_fy_n"),
            table.wheels("tire_fz_n"),
            table.wheels("wheel_mu"),
            strict=True,
        )
    ]


_DEGREES = 180.0 / math.pi
_PANELS = (
    _over_time("Speed: forward (-), sideways (--)", "m/s", ("vx_mps", "-", 1), ("vy_mps", "--", 1)),
    _over_time(
        "Road wheel angle: applied (-), commanded (:)",
        "deg",
        ("steer_applied_rad", "-", _DEGREES),
        ("command_steer_rad", ":", _DEGREES),
    ),
    _over_time(
        "Pedals: throttle (-), brake (--)",
        "0 to 1",
        ("throttle_applied", "-", 1),
        ("brake_applied", "--", 1),
    ),
    _over_time("Yaw rate", "deg/s", ("yaw_rate_radps", "-", _DEGREES)),
    _over_time(
        "Acceleration: forward (-), left (--)", "m/s2", ("ax_mps2", "-", 1), ("ay_mps2", "--", 1)
    ),
    _over_time("Sideslip", "deg", ("beta_rad", "-", _DEGREES)),
    _wheels_over_time("Longitudinal tyre force", "kN", _scaled("tire_fx_n", 1e-3)),
    _wheels_over_time("Lateral tyre force", "kN", _scaled("tire_fy_n", 1e-3)),
    _wheels_over_time("Wheel load", "kN", _scaled("tire_fz_n", 1e-3)),
    _wheels_over_time("Slip ratio", "", _scaled("slip_ratio", 1.0), _MOST_SLIP),
    _wheels_over_time("Slip angle", "deg", _scaled("slip_angle_rad", _DEGREES)),
    _wheels_over_time("Friction use |F| / (mu Fz)", "", friction_use),
)


def _link_row(panels: list[Axes], links: Mapping[str, Sequence[LinkRecord]]) -> None:
    every = [
        (f"{name} #{link.vehicle_id}" if len(found) > 1 else name, link)
        for name, found in links.items()
        for link in found
    ]
    for index, (label, link) in enumerate(every):
        colour = COLOURS[index % len(COLOURS)]
        intervals_ms = [1e3 * interval for interval in link.intervals_s()]
        panels[0].plot(link.arrivals_s[1:], intervals_ms, ".", color=colour, markersize=2)
        panels[1].step(link.arrivals_s, link.lost(), where="post", color=colour, label=label)
        modes = [*link.modes, *link.modes[-1:]]
        panels[2].step([*link.modes_s, link.end_s], modes, where="post", color=colour)
    titles = ("Time between commands [ms]", "Commands lost [packets]", "Who drives")
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, loc="left")
        panel.set_xlabel("time [s]")
        panel.set_xlim(0.0, max(link.end_s for _, link in every))
    panels[1].legend(loc="best")
    panels[2].set_yticks([0, 1, 2], ["fail-safe", "commands", "local"])
    panels[2].set_ylim(-0.3, 2.3)
