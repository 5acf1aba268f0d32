"""Points of a torque map and their file: torque_Nm at the wheels, speed_kph, throttle in %.

A file is CSV with one header line; lines that start with # are comments; any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_protocol.checked_file import FileError, read_text
from vdsim_protocol.shown import shown

Array = NDArray[np.float64]
COLUMNS = "torque_Nm,speed_kph,throttle"
LARGEST_TORQUE_NM = 20000.0
LARGEST_SPEED_KPH = 400.0
CLIPPED_PERCENT = 0.5
"""A throttle outside of 0 to 100 % by less than this is a rounding of the table, and clipped."""


class TorqueMapError(ValueError):
    """A torque map cannot be used; the text says where and why."""


@dataclass(frozen=True)
class Measured:
    """Points of a map, as arrays of one length: wheel torque, speed, APS in %."""

    torque_nm: Array
    speed_kph: Array
    aps_percent: Array


def read_points(path: Path) -> tuple[Measured, list[int]]:
    """Read a file; return its points and the line number of each."""
    try:
        text = read_text(path)
    except FileError as fault:
        raise TorqueMapError(fault.problem) from None
    used = list(_used(text.splitlines()))
    return _points(used), [number for number, _ in used[1:]]


def parse_points(lines: Iterable[str]) -> Measured:
    """Read the points; a wrong row is named by its line number."""
    return _points(list(_used(lines)))


def point_lines(torque_nm: Array, speed_kph: Array, aps_percent: Array) -> Iterator[str]:
    """Give the lines of the file of a grid: header, then one line a point. APS: a row a torque."""
    yield COLUMNS
    speeds = [f"{speed:g}" for speed in speed_kph]
    for torque, row in zip(torque_nm, aps_percent, strict=True):
        for speed, aps in zip(speeds, row, strict=True):
            yield f"{torque:g},{speed},{aps:.4f}"


def _used(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    numbered = ((n, line.strip()) for n, line in enumerate(lines, start=1))
    return ((n, line) for n, line in numbered if line and not line.startswith("#"))


def _points(used: list[tuple[int, str]]) -> Measured:
    header = used[0][1] if used else ""
    if header.replace(" ", "") != COLUMNS:
        raise TorqueMapError(f"first line {shown(header)}: must be {COLUMNS}")
    if len(used) < 2:
        raise TorqueMapError("has no points")
    rows = _numbers(used[1:])
    largest = float(rows[:, 2].max())
    if 0.0 < largest <= 1.0:
        raise TorqueMapError(f"throttle: is {largest:g} at most, must be in %, 0 to 100")
    return Measured(rows[:, 0], rows[:, 1], np.clip(rows[:, 2], 0.0, 100.0))


def _numbers(used: list[tuple[int, str]]) -> Array:
    """Read all rows at once; one by one only to name the one that is wrong."""
    try:
        rows = np.loadtxt(
            [line for _, line in used], dtype=np.float64, delimiter=",", comments=None, ndmin=2
        )
    except ValueError:
        rows = np.empty((0, 0))
    if rows.shape != (len(used), 3) or not _all_allowed(rows):
        rows = np.array([_row(number, line) for number, line in used], dtype=np.float64)
    return rows


def _all_allowed(rows: Array) -> bool:
    torque, speed, throttle = rows.T
    allowed = (
        (np.abs(torque) <= LARGEST_TORQUE_NM)
        & (speed >= 0.0)
        & (speed <= LARGEST_SPEED_KPH)
        & (throttle > -CLIPPED_PERCENT)
        & (throttle < 100.0 + CLIPPED_PERCENT)
    )
    return bool(allowed.all())


def _row(number: int, line: str) -> tuple[float, float, float]:
    try:
        torque, speed, throttle = map(float, line.split(","))
    except ValueError:
        raise TorqueMapError(f"line {number} {shown(line)}: must be three numbers") from None
    if not abs(torque) <= LARGEST_TORQUE_NM:
        allowed = f"must be within +-{LARGEST_TORQUE_NM:g} N m"
        raise TorqueMapError(f"line {number} torque_Nm={torque:g}: {allowed}")
    if not 0.0 <= speed <= LARGEST_SPEED_KPH:
        allowed = f"must be 0 to {LARGEST_SPEED_KPH:g} km/h"
        raise TorqueMapError(f"line {number} speed_kph={speed:g}: {allowed}")
    if not -CLIPPED_PERCENT < throttle < 100.0 + CLIPPED_PERCENT:
        raise TorqueMapError(f"line {number} throttle={throttle:g}: must be 0 to 100 %")
    return torque, speed, throttle
