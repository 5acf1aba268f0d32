"""Pedal maps as CSV: columns speed_mps, pedal, accel_mps2; one row a grid point; # comments."""

import csv
from pathlib import Path

from vdsim_protocol.checked_file import FileError, is_file, read_text
from vdsim_protocol.shown import shown

from vdsim_interface.platforms.pedal_map import PedalMap, PedalMapError

COLUMNS = ["speed_mps", "pedal", "accel_mps2"]
PRESETS = Path(__file__).resolve().parent / "maps"


def load_pedal_map(name_or_path: str) -> PedalMap:
    """Load a shipped map by name, or any map by the path of its CSV file; checked."""
    path = Path(name_or_path)
    if path.suffix != ".csv":
        path = PRESETS / f"{name_or_path}.csv"
    if not is_file(path):
        allowed = ", ".join(sorted(item.stem for item in PRESETS.glob("*.csv")))
        allowed += "; there is no such file" if name_or_path.endswith(".csv") else ""
        raise PedalMapError(f"pedal_map={name_or_path}: must be a .csv file or one of {allowed}")
    try:
        return parse_pedal_map(read_text(path))
    except PedalMapError as error:
        raise PedalMapError(f"{path}: {error}") from error
    except FileError as fault:
        raise PedalMapError(str(fault)) from None


def parse_pedal_map(text: str) -> PedalMap:
    """Read a map from the text of a CSV file."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        return _map_of(csv.DictReader(lines))
    except csv.Error as error:
        raise PedalMapError(f"not CSV: {error}") from None


def _map_of(reader: "csv.DictReader[str]") -> PedalMap:
    if reader.fieldnames != COLUMNS:
        raise PedalMapError(f"columns={shown(reader.fieldnames)}: must be {','.join(COLUMNS)}")
    points: dict[tuple[float, float], float] = {}
    for number, row in enumerate(reader, start=1):
        try:
            speed, pedal, accel = (float(row[name]) for name in COLUMNS)
        except (TypeError, ValueError):
            raise PedalMapError(f"row {number}: must be three numbers") from None
        if (speed, pedal) in points:
            raise PedalMapError(f"row {number}: speed {speed:g}, pedal {pedal:g} appears twice")
        points[speed, pedal] = accel
    speeds = tuple(sorted({speed for speed, _ in points}))
    pedals = tuple(sorted({pedal for _, pedal in points}))
    missing = [(s, p) for s in speeds for p in pedals if (s, p) not in points]
    if missing:
        speed, pedal = missing[0]
        raise PedalMapError(f"speed {speed:g}, pedal {pedal:g}: is missing, the grid must be full")
    return PedalMap(speeds, pedals, tuple(tuple(points[s, p] for p in pedals) for s in speeds))


def write_pedal_map(pedal_map: PedalMap, comment: str) -> str:
    """Return the text of the CSV file; every comment line starts with #."""
    lines = [f"# {line}" for line in comment.splitlines()]
    lines.append(",".join(COLUMNS))
    for speed, row in zip(pedal_map.speeds_mps, pedal_map.accel_mps2, strict=True):
        for pedal, accel in zip(pedal_map.pedals, row, strict=True):
            lines.append(f"{speed:g},{pedal:g},{accel:.5f}")
    return "\n".join(lines) + "\n"
