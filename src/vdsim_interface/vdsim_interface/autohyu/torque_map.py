"""Wheel torque and speed -> accelerator position (APS), by the nearest point of a table.

The vehicle's ECU looks its table up in the same way. The table is built once, at start, from a CSV
file of measured points (columns torque_Nm, speed_kph, throttle in %; # comments; any order), and
checked while it is built.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.autohyu.parameters import PedalParameters

Array = NDArray[np.float64]
MPS_TO_KPH = 3.6
COLUMNS = "torque_Nm,speed_kph,throttle"
LARGEST_TORQUE_NM = 20000.0
LARGEST_SPEED_KPH = 400.0


class TorqueMapError(ValueError):
    """A torque map cannot be used; the text says where and why."""


@dataclass(frozen=True)
class Measured:
    """Points of a map, as arrays of one length: wheel torque, speed, APS in %."""

    torque_nm: Array
    speed_kph: Array
    aps_percent: Array


class TorqueMap:
    """APS over torque and speed, on an equidistant grid."""

    def __init__(self, torque_nm: Array, speed_kph: Array, aps_percent: Array) -> None:
        """Axes and the table, one row a torque; `straightened_percent` starts at 0."""
        self.torque_nm = torque_nm
        self.speed_kph = speed_kph
        self.aps_percent = aps_percent
        self.straightened_percent = 0.0

    def aps(self, torque_nm: float, speed_mps: float) -> float:
        """Return APS [%] at the table's nearest point; limited to its ends."""
        row = _nearest(self.torque_nm, torque_nm)
        column = _nearest(self.speed_kph, abs(speed_mps) * MPS_TO_KPH)
        return float(self.aps_percent[row, column])


def _nearest(axis: Array, value: float) -> int:
    place = (value - axis[0]) / (axis[1] - axis[0])
    return int(min(max(place + 0.5, 0.0), len(axis) - 1.0))


def build_torque_map(points: Measured, settings: PedalParameters) -> TorqueMap:
    """Build the table; raises TorqueMapError for gaps and falling columns."""
    torque = _axis(settings.torque_min_nm, settings.torque_max_nm, settings.torque_step_nm)
    speed = _axis(settings.speed_min_kph, settings.speed_max_kph, settings.speed_step_kph)
    points = _merged(points)
    table = _interpolated(points, torque, speed)
    _check_gaps(points, torque, speed, settings)
    torque_map = TorqueMap(torque, speed, table)
    torque_map.straightened_percent = _straighten(torque_map, settings.scatter_percent)
    np.clip(table, 0.0, settings.aps_max_percent, out=table)
    return torque_map


def _axis(first: float, last: float, step: float) -> Array:
    count = int((last - first) / step + 1e-9) + 1
    return np.asarray(first + step * np.arange(count), dtype=np.float64)


def _merged(points: Measured) -> Measured:
    """Merge repeated measurements of one point into their mean."""
    places = np.column_stack((points.torque_nm, points.speed_kph))
    unique, inverse = np.unique(places, axis=0, return_inverse=True)
    which = inverse.reshape(-1)
    mean = np.bincount(which, points.aps_percent) / np.bincount(which)
    return Measured(unique[:, 0], unique[:, 1], mean)


def _interpolated(points: Measured, torque: Array, speed: Array) -> Array:
    """Interpolate the table linearly; outside the points use the nearest value."""
    # Imported here: it takes longer than the rest of the bridge.
    from scipy.interpolate import (
        LinearNDInterpolator,
        NearestNDInterpolator,
        RegularGridInterpolator,
    )

    torques, speeds = np.unique(points.torque_nm), np.unique(points.speed_kph)
    if len(torques) < 2 or len(speeds) < 2:
        raise TorqueMapError("must have points at two or more torques and two or more speeds")
    rows, columns = np.meshgrid(torque, speed, indexing="ij")
    held = np.clip(rows, torques[0], torques[-1]), np.clip(columns, speeds[0], speeds[-1])
    if len(points.aps_percent) == len(torques) * len(speeds):
        grid = points.aps_percent.reshape(len(torques), len(speeds))
        result: Array = RegularGridInterpolator((torques, speeds), grid)(held)
        return result
    places = np.column_stack((points.torque_nm, points.speed_kph))
    inside = LinearNDInterpolator(places, points.aps_percent, rescale=True)(*held)
    nearest = NearestNDInterpolator(places, points.aps_percent, rescale=True)(*held)
    filled: Array = np.where(np.isnan(inside), nearest, inside)
    return filled


def _check_gaps(points: Measured, torque: Array, speed: Array, settings: PedalParameters) -> None:
    """Refuse a hole: neighbours along torque, at some speed, that are too far apart.

    Only between measured points: beyond the first and last torque of a speed the end values hold,
    because the motor's limits end the measurement there.
    """
    order = np.unique(points.speed_kph)
    for below, above in pairwise(order):
        if above - below > settings.gap_speed_kph:
            raise TorqueMapError(
                f"no point between {below:g} and {above:g} km/h: "
                f"neighbours must be at most gap_speed_kph={settings.gap_speed_kph:g} apart"
            )
    for column in speed[(speed >= order[0]) & (speed <= order[-1])]:
        near = np.abs(points.speed_kph - column) <= settings.gap_speed_kph
        torques = np.unique(points.torque_nm[near])
        steps = np.diff(torques)
        if len(steps) and steps.max() > settings.gap_torque_nm:
            at = int(steps.argmax())
            raise TorqueMapError(
                f"no point between {torques[at]:g} and {torques[at + 1]:g} N m near {column:g} "
                f"km/h: neighbours must be at most gap_torque_nm={settings.gap_torque_nm:g} apart"
            )


def _straighten(torque_map: TorqueMap, scatter_percent: float) -> float:
    """Make APS rise with torque in every column; returns the largest correction [%]."""
    table = torque_map.aps_percent
    risen = np.maximum.accumulate(table, axis=0)
    falls = risen - table
    worst = float(falls.max())
    if worst > scatter_percent:
        row, column = np.unravel_index(int(falls.argmax()), falls.shape)
        raise TorqueMapError(
            f"APS falls by {worst:.1f} % while the torque rises to "
            f"{torque_map.torque_nm[row]:g} N m at {torque_map.speed_kph[column]:g} km/h: "
            "must rise with the torque, "
            f"within scatter_percent={scatter_percent:g}"
        )
    table[:] = risen
    return worst


# ---- the file ------------------------------------------------------------------------------------


def load_torque_map(path: Path, settings: PedalParameters) -> TorqueMap:
    """Read, build and check a map; a TorqueMapError names the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not a text file"
        raise TorqueMapError(f"pedals.torque_map={path}: {reason}") from None
    try:
        return build_torque_map(parse_points(text.splitlines()), settings)
    except TorqueMapError as error:
        raise TorqueMapError(f"pedals.torque_map={path}: {error}") from None


def parse_points(lines: Iterable[str]) -> Measured:
    """Read the points; a wrong row is named by its line number."""
    numbered = ((n, line.strip()) for n, line in enumerate(lines, start=1))
    used = ((n, line) for n, line in numbered if line and not line.startswith("#"))
    _, header = next(used, (0, ""))
    if header.replace(" ", "") != COLUMNS:
        raise TorqueMapError(f"first line {header!r}: must be {COLUMNS}")
    rows = np.array([_row(number, line) for number, line in used], dtype=np.float64)
    if not len(rows):
        raise TorqueMapError("has no points")
    largest = float(rows[:, 2].max())
    if 0.0 < largest <= 1.0:
        raise TorqueMapError(f"throttle: is {largest:g} at most, must be in %, 0 to 100")
    return Measured(rows[:, 0], rows[:, 1], rows[:, 2])


def _row(number: int, line: str) -> tuple[float, float, float]:
    try:
        torque, speed, throttle = map(float, line.split(","))
    except ValueError:
        raise TorqueMapError(f"line {number} {line!r}: must be three numbers") from None
    if not abs(torque) <= LARGEST_TORQUE_NM:
        allowed = f"must be within +-{LARGEST_TORQUE_NM:g} N m"
        raise TorqueMapError(f"line {number} torque_Nm={torque:g}: {allowed}")
    if not 0.0 <= speed <= LARGEST_SPEED_KPH:
        allowed = f"must be 0 to {LARGEST_SPEED_KPH:g} km/h"
        raise TorqueMapError(f"line {number} speed_kph={speed:g}: {allowed}")
    if not 0.0 <= throttle <= 100.0:
        raise TorqueMapError(f"line {number} throttle={throttle:g}: must be 0 to 100 %")
    return torque, speed, throttle
