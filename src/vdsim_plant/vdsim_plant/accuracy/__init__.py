"""How far a substep takes a car from the exact solution of its own equations."""

from vdsim_plant.accuracy.random_drives import HARD, MODERATE, Drive, DriveKind, random_drives
from vdsim_plant.accuracy.substep_errors import (
    DriveError,
    ErrorRow,
    error_rows,
    error_table,
    exact_end,
)

__all__ = [
    "HARD",
    "MODERATE",
    "Drive",
    "DriveError",
    "DriveKind",
    "ErrorRow",
    "error_rows",
    "error_table",
    "exact_end",
    "random_drives",
]
