"""Generated logs of a car at held throttle levels, in the structure of public ones.

Two files, 21 levels, about 34 000 points: each level is one curve over speed, dense at small
throttle and thin near full throttle, where some steps between levels are wide. The first
points of each level are transients, as are some in the middle of the dense ones; one row is a plain
outlier.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from vdsim_interface.extras.autohyu.torque_points import COLUMNS, Array

LEVELS = np.arange(0.0, 101.0, 5.0)
OUTLIER = (3085.3, 150.8, 0.0)
_COUNTS = (1670, 12200, 5180, 3750, 890, 2150, 1310, 1100, 880, 690, 580, 500, 480, 470, 370, 370)
_THIN_COUNTS = (310, 280, 230, 230, 240)
TRANSIENTS_PER_LEVEL = 6
DENSE_COUNT = 2000
TRANSIENT_NM = 200.0


def true_torque_nm(level_percent: Array | float, speed_kph: Array | float) -> Array:
    """The car of these logs: even steps of 107 N m up to 75 %, then of 200 to 700 N m.

    More torque below 22 km/h, a slow rise with speed above 100 km/h.
    """
    level, speed = np.asarray(level_percent), np.asarray(speed_kph)
    even = -150.0 + 21.4 * level
    steep = np.interp(level, [75.0, 80.0, 85.0, 90.0, 95.0, 100.0], [0, 300, 620, 1220, 1420, 1560])
    low = (0.3 * level + 4.0) * 10.0 / (1.0 + np.exp((speed - 22.0) / 2.0))
    return np.asarray(even + steep + low + 0.003 * np.maximum(speed - 100.0, 0.0) ** 2)


def write_logs(folder: Path) -> tuple[Path, Path]:
    """Write both files: the small throttle levels with the outlier, and the rest."""
    chance = np.random.default_rng(5)
    drives = [
        _drive(chance, level, count)
        for level, count in zip(LEVELS, (*_COUNTS, *_THIN_COUNTS), strict=True)
    ]
    small, large = folder / "output0to20.csv", folder / "output25to100.csv"
    _write(small, [np.array([OUTLIER]), *drives[:5]])
    _write(large, drives[5:])
    return small, large


def _drive(chance: np.random.Generator, level: float, count: int) -> Array:
    speed = np.sort(chance.uniform(3.0 + level / 25.0, 162.0, count))
    torque = true_torque_nm(level, speed) + 0.3 * chance.standard_normal(count)
    # The throttle has just risen to its level: the torque follows within a few points.
    starts = [0, count // 3] if count > DENSE_COUNT else [0]
    for start in starts:
        part = np.linspace(0.9, 0.1, TRANSIENTS_PER_LEVEL)
        torque[start : start + TRANSIENTS_PER_LEVEL] -= part * TRANSIENT_NM
    as_logged = np.full(count, level * (1.0 + 1.5e-8))
    return np.column_stack((torque, speed, np.minimum(as_logged, 100.0)))


def _write(path: Path, drives: list[Array]) -> None:
    rows = np.concatenate(drives)
    lines = [f"{torque!r},{speed!r},{throttle!r}" for torque, speed, throttle in rows.tolist()]
    path.write_text("\n".join([COLUMNS, *lines]) + "\n", encoding="utf-8")
