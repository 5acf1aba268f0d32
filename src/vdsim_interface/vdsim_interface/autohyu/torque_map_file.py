"""Torque maps as CSV: columns torque_Nm, speed_kph, throttle (in %); # comments; any order."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from vdsim_interface.autohyu.parameters import PedalParameters
from vdsim_interface.autohyu.torque_map import (
    Measured,
    TorqueMap,
    TorqueMapError,
    build_torque_map,
)

COLUMNS = "torque_Nm,speed_kph,throttle"
LARGEST_TORQUE_NM = 20000.0
LARGEST_SPEED_KPH = 400.0


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
