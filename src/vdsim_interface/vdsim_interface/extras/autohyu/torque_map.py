"""Wheel torque and speed -> accelerator position (APS), by a table.

The vehicle's ECU takes the nearest point of its table; interpolation between the four points round
a torque and speed is an option. The table is built once, at start, from a file of points
(torque_points.py), and checked while it is built.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.extras.autohyu.parameters import NEAREST, PedalParameters
from vdsim_interface.extras.autohyu.torque_points import (
    Array,
    Measured,
    TorqueMapError,
    read_points,
)

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
    grid = _grid(points)
    if grid is None:
        _check_gaps(points, speed, settings)  # first: it takes a moment, interpolation seconds
        table = _interpolated(points, torque, speed)
    else:
        _check_axis(grid.speed_kph, "km/h", "gap_speed_kph", settings.gap_speed_kph)
        _check_axis(grid.torque_nm, "N m", "gap_torque_nm", settings.gap_torque_nm)
        rows, columns = np.meshgrid(torque, speed, indexing="ij")
        table = _on_grid(grid, rows, columns)
    torque_map = TorqueMap(torque, speed, table, settings.lookup)
    torque_map.straightened_percent = _straighten(torque_map, settings.scatter_percent)
    np.clip(table, 0.0, settings.aps_max_percent, out=table)
    return torque_map


def _axis(first: float, last: float, step: float) -> Array:
    count = int((last - first) / step + 1e-9) + 1
    return np.asarray(first + step * np.arange(count), dtype=np.float64)


def _merged(points: Measured) -> Measured:
    """Sort by torque, then speed; merge repeated measurements of one point into their mean."""
    order = np.lexsort((points.speed_kph, points.torque_nm))
    torque, speed, aps = (
        each[order] for each in (points.torque_nm, points.speed_kph, points.aps_percent)
    )
    is_new = np.append(True, (np.diff(torque) != 0.0) | (np.diff(speed) != 0.0))
    which = np.cumsum(is_new) - 1
    mean = np.bincount(which, aps) / np.bincount(which)
    return Measured(torque[is_new], speed[is_new], mean)


def _grid(points: Measured) -> TorqueMap | None:
    """Return the points as a table when every torque has a point at every speed."""
    torques, speeds = np.unique(points.torque_nm), np.unique(points.speed_kph)
    if len(torques) < 2 or len(speeds) < 2:
        raise TorqueMapError("must have points at two or more torques and two or more speeds")
    if len(points.aps_percent) != len(torques) * len(speeds):
        return None
    return TorqueMap(torques, speeds, points.aps_percent.reshape(len(torques), len(speeds)))


def _on_grid(grid: TorqueMap, torque_nm: Array, speed_kph: Array) -> Array:
    """Interpolate along the axes, which need not be equidistant; beyond its ends the grid holds."""
    row = np.interp(torque_nm, grid.torque_nm, np.arange(len(grid.torque_nm)))
    column = np.interp(speed_kph, grid.speed_kph, np.arange(len(grid.speed_kph)))
    places = TorqueMap(
        np.arange(float(len(grid.torque_nm))),
        np.arange(float(len(grid.speed_kph))),
        grid.aps_percent,
    )
    return places.bilinear(row, column)


def _interpolated(points: Measured, torque: Array, speed: Array) -> Array:
    """Interpolate the table linearly; outside the points use the nearest value."""
    # Imported here: it takes longer than the rest of the bridge.
    from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator

    rows, columns = np.meshgrid(torque, speed, indexing="ij")
    held = (
        np.clip(rows, points.torque_nm.min(), points.torque_nm.max()),
        np.clip(columns, points.speed_kph.min(), points.speed_kph.max()),
    )
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
    _check_axis(order, "km/h", "gap_speed_kph", settings.gap_speed_kph)
    for column in speed[(speed >= order[0]) & (speed <= order[-1])]:
        near = np.abs(points.speed_kph - column) <= settings.gap_speed_kph
        torques = np.unique(points.torque_nm[near])
        unit = f"N m near {column:g} km/h"
        _check_axis(torques, unit, "gap_torque_nm", settings.gap_torque_nm)


def _check_axis(values: Array, unit: str, name: str, limit: float) -> None:
    """Refuse a step between neighbours that is wider than the limit of that name."""
    steps = np.diff(values)
    if len(steps) and steps.max() > limit:
        at = int(steps.argmax())
        raise TorqueMapError(
            f"no point between {values[at]:g} and {values[at + 1]:g} {unit}: "
            f"neighbours must be at most {name}={limit:g} apart"
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
