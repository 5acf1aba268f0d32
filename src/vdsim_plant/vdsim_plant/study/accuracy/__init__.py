"""How far a substep takes a car from the exact solution of its own equations."""

from vdsim_plant.study.accuracy.narrow_errors import (
    most_of_the_circle,
    narrow_rows,
    standstill_drift_m,
)
from vdsim_plant.study.accuracy.random_drives import HARD, MODERATE, Drive, DriveKind, random_drives
from vdsim_plant.study.accuracy.substep_errors import (
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
    "most_of_the_circle",
    "narrow_rows",
    "random_drives",
    "standstill_drift_m",
]
