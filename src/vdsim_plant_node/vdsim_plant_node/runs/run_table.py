"""A run as a table: one row a tick and vehicle, one column a value. Written as CSV and read back.

Numbers are written with every digit that a float64 has, so that two equal runs give equal files
and nothing is lost on the way to a plot.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.checked_file import FileError, open_checked
from vdsim_plant.parameters.input_file import as_parameter
from vdsim_plant.session import SessionOutput

LARGEST_BYTES = 2 << 30

WHEELS = ("fl", "fr", "rl", "rr")
_MOTION = (
    *("x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad", "vx_mps", "vy_mps"),
    *("yaw_rate_radps", "ax_mps2", "ay_mps2", "beta_rad", "steer_applied_rad"),
    *("throttle_applied", "brake_applied", "rack_torque_nm"),
)
_PER_WHEEL = (
    *("wheel_spin_radps", "slip_ratio", "slip_angle_rad", "tire_fx_n", "tire_fy_n", "tire_fz_n"),
    "wheel_mu",
)
_MEASURED = ("ax_mps2", "ay_mps2", "yaw_rate_radps", "steer_rad", "gnss_x_m", "gnss_y_m")
_PEDALS = ("steer_rad", "throttle", "brake", "gear", "handbrake")
COLUMNS = (
    *("time_s", "vehicle_id", "drive"),
    *(f"command_{name}" for name in _PEDALS),
    *_MOTION,
    *(f"{name}_{wheel}" for name in _PER_WHEEL for wheel in WHEELS),
    *(f"measured_{name}" for name in _MEASURED),
    "charge",
)


@dataclass(frozen=True)
class PlayedTick:
    """One vehicle after one tick of a run."""

    vehicle_id: int
    drive: str
    """Who drove: waiting, commanded, failsafe."""
    output: SessionOutput


class RunTableWriter:
    """Writes rows as they come."""

    def __init__(self, stream: TextIO) -> None:
        self._rows = csv.writer(stream, lineterminator="\n")
        self._rows.writerow(COLUMNS)

    def write(self, played: PlayedTick) -> None:
        """Append one row."""
        cells = map(repr, numbers_of(played))
        time_s, vehicle_id = next(cells), str(played.vehicle_id)
        next(cells)
        self._rows.writerow([time_s, vehicle_id, played.drive, *cells])


def numbers_of(played: PlayedTick) -> list[float]:
    """The numbers of a row in the order of COLUMNS, without `drive`."""
    output = played.output
    motion, measured, commanded = output.motion, output.measured, output.commanded
    row = [output.time_s, float(played.vehicle_id)]
    row += [getattr(commanded, name) for name in _PEDALS[:3]]
    row += [commanded.gear, int(commanded.handbrake)]
    row += [getattr(motion, name) for name in _MOTION]
    for name in _PER_WHEEL:
        row += getattr(motion, name)
    row += [getattr(measured, name) for name in _MEASURED]
    row.append(output.charge)
    return row


@dataclass(frozen=True)
class RunTable:
    """The columns of one vehicle's run."""

    vehicle_id: int
    columns: Mapping[str, list[float]]
    drive: list[str]

    def __getitem__(self, name: str) -> list[float]:
        return self.columns[name]

    def wheels(self, name: str) -> list[list[float]]:
        """A per-wheel quantity: FL, FR, RL, RR."""
        return [self.columns[f"{name}_{wheel}"] for wheel in WHEELS]


def read_run_tables(path: Path) -> list[RunTable]:
    """Read a CSV that `RunTableWriter` wrote: one table a vehicle."""
    try:
        content = open_checked(path, largest_bytes=LARGEST_BYTES, source=path.name)
    except FileError as fault:
        raise as_parameter(fault, path.name) from None
    with TextIOWrapper(content, encoding="utf-8-sig", newline="") as stream:
        rows = csv.reader(stream)
        try:
            return _tables(rows, path)
        except UnicodeDecodeError:
            raise ParameterError("file", "is not UTF-8 text", source=path.name) from None
        except csv.Error as error:
            where = f"line {rows.line_num}"
            raise ParameterError(where, f"not CSV: {error}", source=path.name) from None


def _tables(rows: Iterator[list[str]], path: Path) -> list[RunTable]:
    header = tuple(next(rows, ()))
    if header != COLUMNS:
        missing = next((name for name in COLUMNS if name not in header), "order of columns")
        raise ParameterError("header", f"is not that of a run: {missing}", source=path.name)
    return tables_of(_parsed(rows, path.name))


def tables_of_ticks(ticks: Iterable[PlayedTick]) -> list[RunTable]:
    """The tables of a run that was kept in memory."""
    return tables_of((tick.vehicle_id, tick.drive, numbers_of(tick)) for tick in ticks)


def tables_of(rows: Iterable[tuple[int, str, list[float]]]) -> list[RunTable]:
    """Sort (vehicle_id, drive, numbers in the order of COLUMNS) into one table a vehicle."""
    names = [name for name in COLUMNS if name != "drive"]
    collected: dict[int, tuple[list[str], list[list[float]]]] = {}
    for vehicle_id, drive, numbers in rows:
        drives, lines = collected.setdefault(vehicle_id, ([], []))
        drives.append(drive)
        lines.append(numbers)
    return [
        RunTable(vehicle_id, dict(zip(names, map(list, zip(*lines, strict=True)), strict=True)), d)
        for vehicle_id, (d, lines) in collected.items()
    ]


def _parsed(rows: Iterable[list[str]], source: str) -> Iterator[tuple[int, str, list[float]]]:
    drive_at = COLUMNS.index("drive")
    for number, row in enumerate(rows, start=2):
        try:
            cells = [float(cell) for index, cell in enumerate(row) if index != drive_at]
            if len(row) != len(COLUMNS):
                raise ValueError
            vehicle_id = int(cells[1])
        except (ValueError, OverflowError):
            raise ParameterError(f"line {number}", "is not a row of a run", source=source) from None
        yield vehicle_id, row[drive_at], cells
