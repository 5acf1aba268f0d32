"""A log of a car's bus -> a pedal map, and Autoware's three maps.

CSV columns time_s,speed_kph,pedal, and for the steering also wheel_angle_deg,asked_angle_deg: the
angle of the front wheels as it was read, and as it was asked for; + = left. Driving on level
ground; pedal -1 (full brake) to 1 (full throttle).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from vdsim_protocol.shown import shown_plainly

from vdsim_interface.extras.calibration.fit import rising
from vdsim_interface.extras.calibration.quantised_fit import (
    COUNTED_N,
    KPH,
    Array,
    Log,
    QuantisedFit,
    SteerLog,
    fit_pedals,
    fit_steering,
    naive_cells,
)
from vdsim_interface.platforms.pedal_map import PedalMap, PedalMapError

COLUMNS = ["time_s", "speed_kph", "pedal"]
STEER_COLUMNS = ["wheel_angle_deg", "asked_angle_deg"]
SPEEDS_MPS = np.array([2.0, 4.0, 6.0, 8.0, 11.0, 14.0, 18.0, 22.0, 27.0, 33.0, 40.0])
PEDALS = np.array([-1.0, -0.7, -0.5, -0.4, -0.25, -0.1, -0.02, 0.0, 0.1, 0.25, 0.4, 0.6, 0.8, 1.0])
"""Brakes may begin with a jump: hence a row close to the released pedals."""
ERRORS_RAD = np.array([-0.3, -0.2, -0.12, -0.06, -0.02, 0.0, 0.02, 0.06, 0.12, 0.2, 0.3])


class Steps(NamedTuple):
    """How the bus has it: steps of speed [km/h] and wheel angle [deg], and the delay [s]."""

    speed_kph: float = 1.0
    angle_deg: float = 0.1
    delay_s: float = 0.05


class LogMaps(NamedTuple):
    """`before`: the cells by differences of the speed, as it is usually done."""

    pedal_map: PedalMap
    pedals: QuantisedFit
    before: Array
    steering: QuantisedFit | None


def parse_log(lines: Iterable[str]) -> Mapping[str, Array]:
    """Read the columns of a log; a fault is one PedalMapError with the line."""
    rows = (line.strip() for line in lines)
    rows = (line for line in rows if line and not line.startswith("#"))
    names = next(rows, "").split(",")
    if names not in (COLUMNS, [*COLUMNS, *STEER_COLUMNS]):
        found = shown_plainly(",".join(names) or "none")
        allowed = f"{','.join(COLUMNS)} or {','.join([*COLUMNS, *STEER_COLUMNS])}"
        raise PedalMapError(f"columns={found}: must be {allowed}")
    values = []
    for number, line in enumerate(rows, start=1):
        try:
            row = [float(text) for text in line.split(",")]
        except ValueError:
            row = []
        if len(row) != len(names):
            problem = f"must be {len(names)} numbers"
            raise PedalMapError(f"sample {number}={shown_plainly(line)}: {problem}")
        values.append(row)
    table = np.asarray(values, dtype=np.float64).reshape(-1, len(names))
    if not np.isfinite(table).all():
        raise PedalMapError("log: must be finite")
    if len(table) > 1 and not (np.diff(table[:, 0]) > 0.0).all():
        raise PedalMapError("log: time_s must rise from row to row")
    return {name: table[:, at] for at, name in enumerate(names)}


def maps_of(columns: Mapping[str, Array], steps: Steps) -> LogMaps:
    """Fit what the log has."""
    time_s, speed = columns["time_s"], columns["speed_kph"] * KPH
    log = Log(time_s, speed, columns["pedal"])
    grid = _covered(SPEEDS_MPS, speed), _covered(PEDALS, log.pedal)
    fit = fit_pedals(log, *grid, step_mps=steps.speed_kph * KPH, delay_s=steps.delay_s)
    rows = [rising(row) for row in fit.cells]
    pedal_map = PedalMap(
        tuple(map(float, fit.rows)),
        tuple(map(float, fit.columns)),
        tuple(tuple(map(float, row)) for row in rows),
    )
    steering = None
    if STEER_COLUMNS[0] in columns:
        angles = [np.radians(columns[name]) for name in STEER_COLUMNS]
        steering = fit_steering(
            SteerLog(time_s, angles[0], angles[1], speed),
            _covered(SPEEDS_MPS, speed),
            ERRORS_RAD,
            step_rad=float(np.radians(steps.angle_deg)),
            delay_s=steps.delay_s,
        )
    return LogMaps(pedal_map, fit, naive_cells(log, *grid), steering)


def _covered(grid: Array, values: Array) -> Array:
    """The part of a grid that the log reaches, with the points around it."""
    low, high = np.quantile(values, (0.005, 0.995))
    first = max(int(np.searchsorted(grid, low, side="right")) - 1, 0)
    last = min(int(np.searchsorted(grid, high)) + 1, len(grid))
    if last - first < 3:
        raise PedalMapError(f"log: reaches {low:.3g} to {high:.3g} only, must vary more")
    return grid[first:last]


def autoware_files(maps: LogMaps) -> dict[str, str]:
    """Autoware's CSV files by name: the first row holds speeds [m/s], the first column commands."""
    table, pedals = maps.pedal_map, np.array(maps.pedal_map.pedals)
    cells = np.array(table.accel_mps2).T
    speeds = table.speeds_mps
    files = {
        "accel_map.csv": _table(speeds, pedals[pedals >= 0.0], cells[pedals >= 0.0]),
        "brake_map.csv": _table(speeds, -pedals[pedals <= 0.0][::-1], cells[pedals <= 0.0][::-1]),
    }
    if maps.steering is not None:
        fit = maps.steering
        files["steer_map.csv"] = _table(fit.rows, fit.columns, fit.cells.T)
    return files


def _table(speeds: Iterable[float], commands: Array, cells: Array) -> str:
    lines = [",".join(["default", *(f"{speed:g}" for speed in speeds)])]
    for command, row in zip(commands, cells, strict=True):
        cells_of_row = [f"{cell:.4f}" for cell in row]
        lines.append(",".join([f"{float(command) + 0.0:g}", *cells_of_row]))
    return "\n".join(lines) + "\n"


def log_summary(maps: LogMaps) -> str:
    """Return one line for people."""
    counts = maps.pedals.counts
    text = f"{int((counts >= COUNTED_N).sum())} of {counts.size} cells with {COUNTED_N} samples"
    if maps.steering is None:
        return f"{text}; no steering in the log"
    steered = maps.steering.counts
    return f"{text}; steering: {int((steered >= COUNTED_N).sum())} of {steered.size}"
