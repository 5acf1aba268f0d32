"""The error of a substep, against the limit of ever smaller ones.

The limit is taken by Richardson extrapolation: the end of a drive at 10 us and at 20 us, and the
difference once more. What that leaves is below a hundredth of a millimetre in all but a spin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import flat
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters
from vdsim_plant.study.accuracy.random_drives import (
    DURATION_S,
    HOLD_S,
    Drive,
    DriveKind,
    random_drives,
)
from vdsim_plant.vehicle import InitialState, Vehicle

FINE_S = 1e-5
State = NDArray[np.float64]


@dataclass(frozen=True)
class DriveError:
    """How far a car is from the exact solution at the end of a drive."""

    position_m: float
    yaw_rad: float


@dataclass(frozen=True)
class ErrorRow:
    """Errors of one kind of drive with one substep."""

    kind: DriveKind
    substep_s: float
    errors: tuple[DriveError, ...]

    def position_mm(self, percentile: float) -> float:
        """Return a percentile of the position errors [mm]."""
        return 1e3 * float(np.percentile([error.position_m for error in self.errors], percentile))

    def yaw_mrad(self, percentile: float) -> float:
        """Return a percentile of the heading errors [mrad]."""
        return 1e3 * float(np.percentile([error.yaw_rad for error in self.errors], percentile))


def error_rows(
    vehicle: VehicleParameters | str,
    tyre: TyreParameters | str | None,
    kinds: Sequence[DriveKind],
    substeps_s: Sequence[float],
    count: int,
) -> list[ErrorRow]:
    """Return a row for each kind and substep, over `count` drives."""
    rows = []
    for kind in kinds:
        drives = random_drives(kind, count)
        exact = [exact_end(vehicle, tyre, drive) for drive in drives]
        for substep_s in substeps_s:
            ends = [drive_end(vehicle, tyre, drive, substep_s) for drive in drives]
            errors = tuple(_error(a, b) for a, b in zip(ends, exact, strict=True))
            rows.append(ErrorRow(kind, substep_s, errors))
    return rows


def error_table(tables: Mapping[str, Sequence[ErrorRow]]) -> list[str]:
    """Return the lines of a Markdown table over cars, kinds of drive and substeps."""
    head = "| car | drives | substep | position: median | 90 % | worst | heading: median | 90 % |"
    lines = [head, "|---|---|---|---|---|---|---|---|"]
    for car, rows in tables.items():
        for row in rows:
            place = " | ".join(f"{_short(row.position_mm(share))} mm" for share in (50, 90, 100))
            turn = " | ".join(f"{_short(row.yaw_mrad(share))} mrad" for share in (50, 90))
            step = f"{1e3 * row.substep_s:g} ms"
            lines.append(f"| {car} | {row.kind.name} | {step} | {place} | {turn} |")
    return lines


def _short(value: float) -> str:
    if 0.0 < value < 0.1:
        return f"{value:.2g}" if value >= 1e-3 else f"{value:.4f}"
    return f"{value:.2f}" if value < 10.0 else f"{value:.0f}"


def exact_end(
    vehicle: VehicleParameters | str, tyre: TyreParameters | str | None, drive: Drive
) -> State:
    """Return X, Y, psi, vx, vy, r at the end of a drive, in the limit of small substeps."""
    fine = drive_end(vehicle, tyre, drive, FINE_S)
    return 2.0 * fine - drive_end(vehicle, tyre, drive, 2.0 * FINE_S)


def drive_end(
    vehicle: VehicleParameters | str,
    tyre: TyreParameters | str | None,
    drive: Drive,
    substep_s: float,
) -> State:
    """Return X, Y, psi, vx, vy, r at the end of a drive."""
    car = Vehicle(vehicle, tyre, flat(drive.mu), substep_s=substep_s, allow_coarse_substep=True)
    weight = GRAVITY_MPS2 * car.parameters.body.mass_kg
    car.reset(InitialState(vx_mps=drive.speed_mps))
    left_s = DURATION_S
    for steer_rad, force_g in drive.inputs:
        held_s = min(HOLD_S, left_s)
        car.step_force(steer_rad, force_g * weight, held_s)
        left_s = round(left_s - held_s, 9)
    m = car.motion()
    return np.array([m.x_m, m.y_m, m.yaw_rad, m.vx_mps, m.vy_mps, m.yaw_rate_radps])


def _error(end: State, exact: State) -> DriveError:
    away = end - exact
    return DriveError(math.hypot(away[0], away[1]), abs(float(away[2])))
