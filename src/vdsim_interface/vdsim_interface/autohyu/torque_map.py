"""Wheel torque and speed -> accelerator position (APS), by a table.

The vehicle's ECU takes the nearest point of its table; interpolation between the four points round
a torque and speed is an option. The table is built once, at start, from a file of points
(torque_points.py), and checked while it is built.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.autohyu.parameters import NEAREST, PedalParameters
from vdsim_interface.autohyu.torque_points import Array, Measured, TorqueMapError, read_points

MPS_TO_KPH = 3.6
SHIPPED_MAP = Path(__file__).resolve().parent / "maps" / "ioniq5_awd.csv"
LARGEST_LEVELS_OF_A_LOG = 50
LOG_HINT = "; a log of held throttle levels becomes a map with vdsim_torque_map fit"


class TorqueMap:
    """APS over torque and speed, on an equidistant grid."""

    def __init__(
        self, torque_nm: Array, speed_kph: Array, aps_percent: Array, lookup: str = NEAREST
    ) -> None:
        """Axes and the table, one row a torque; `straightened_percent` starts at 0."""
        self.torque_nm = torque_nm
        self.speed_kph = speed_kph
        self.aps_percent = aps_percent
        self.straightened_percent = 0.0
        self._look_up = self.nearest if lookup == NEAREST else self.bilinear

    def aps(self, torque_nm: float, speed_mps: float) -> float:
        """Return APS [%]; limited to the table's ends."""
        return float(self._look_up(torque_nm, abs(speed_mps) * MPS_TO_KPH))

    def nearest(self, torque_nm: float | Array, speed_kph: float | Array) -> Array:
        """Return APS [%] at the table's nearest points."""
        row = np.floor(_place(self.torque_nm, torque_nm) + 0.5).astype(np.intp)
        column = np.floor(_place(self.speed_kph, speed_kph) + 0.5).astype(np.intp)
        return np.asarray(self.aps_percent[row, column])

    def bilinear(self, torque_nm: float | Array, speed_kph: float | Array) -> Array:
        """Return APS [%] interpolated between the four points of the table round each place."""
        table = self.aps_percent
        row, row_part = _cell(self.torque_nm, torque_nm)
        column, column_part = _cell(self.speed_kph, speed_kph)
        low = table[row, column] * (1.0 - column_part) + table[row, column + 1] * column_part
        high = (
            table[row + 1, column] * (1.0 - column_part) + table[row + 1, column + 1] * column_part
        )
        return np.asarray(low * (1.0 - row_part) + high * row_part)


def _place(axis: Array, value: float | Array) -> Array:
    """Return the place on an axis in steps from its first point, limited to its ends."""
    place = (np.asarray(value, dtype=np.float64) - axis[0]) / (axis[1] - axis[0])
    return np.asarray(np.clip(place, 0.0, len(axis) - 1.0))


def _cell(axis: Array, value: float | Array) -> tuple[NDArray[np.intp], Array]:
    """Return the point before each place, and the part of the step that is behind it."""
    place = _place(axis, value)
    before = np.minimum(place.astype(np.intp), len(axis) - 2)
    return before, np.asarray(place - before)


def is_log(aps_percent: Array) -> bool:
    """Return whether many points share few throttle values, as in a log of held levels."""
    levels_n = len(np.unique(np.round(aps_percent)))
    return 2 < levels_n <= LARGEST_LEVELS_OF_A_LOG and len(aps_percent) > 20 * levels_n


def build_torque_map(points: Measured, settings: PedalParameters) -> TorqueMap:
    """Build the table; raises TorqueMapError for gaps and falling columns."""
    torque = _axis(settings.torque_min_nm, settings.torque_max_nm, settings.torque_step_nm)
    speed = _axis(settings.speed_min_kph, settings.speed_max_kph, settings.speed_step_kph)
    points = _merged(points)
    _check_gaps(points, speed, settings)  # first: it takes a moment, interpolation seconds
    table = _interpolated(points, torque, speed)
    torque_map = TorqueMap(torque, speed, table, settings.lookup)
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


def _check_gaps(points: Measured, speed: Array, settings: PedalParameters) -> None:
    """Refuse a hole: neighbours along torque, at some speed, that are too far apart.

    Only between measured points: beyond the first and last torque of a speed the end values hold,
    because the motor's limits end the measurement there.
    """
    order = np.unique(points.speed_kph)
    if len(np.unique(points.torque_nm)) < 2 or len(order) < 2:
        raise TorqueMapError("must have points at two or more torques and two or more speeds")
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


def chosen_torque_map(settings: PedalParameters) -> TorqueMap:
    """Load the map that the parameters name, or the shipped one."""
    return load_torque_map(Path(settings.torque_map or SHIPPED_MAP), settings)


def load_torque_map(path: Path, settings: PedalParameters) -> TorqueMap:
    """Read, build and check a map; a TorqueMapError names the file."""
    try:
        points, _ = read_points(path)
        try:
            return build_torque_map(points, settings)
        except TorqueMapError as error:
            hint = LOG_HINT if is_log(points.aps_percent) else ""
            raise TorqueMapError(f"{error}{hint}") from None
    except TorqueMapError as error:
        raise TorqueMapError(f"pedals.torque_map={path}: {error}") from None
