"""How far a batch in float32 is from one in float64: over random drives, at rest, at the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.plant_batch import PlantBatch
from vdsim_plant.ground import Ground
from vdsim_plant.parameters import GRAVITY_MPS2
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.accuracy.random_drives import (
    DURATION_S,
    HOLD_S,
    Drive,
    DriveKind,
    random_drives,
)
from vdsim_plant.study.accuracy.substep_errors import DriveError, ErrorRow

Array = NDArray[np.float64]
_PERIOD_S = 0.2  # divides how long an input is held, and a drive
_PERIODS = round(DURATION_S / _PERIOD_S)
_HELD = round(HOLD_S / _PERIOD_S)
_SLOPE = 0.08


def narrow_rows(
    vehicle: str, kinds: Sequence[DriveKind], substeps_s: Sequence[float], count: int
) -> list[ErrorRow]:
    """Return how far float32 is from float64 at the end of the drives that `error_rows` takes."""
    rows = []
    for kind in kinds:
        drives = random_drives(kind, count)
        for substep_s in substeps_s:
            wide, narrow = (_ends(vehicle, drives, substep_s, each) for each in ("f8", "f4"))
            away = narrow - wide
            errors = tuple(DriveError(math.hypot(x, y), abs(yaw)) for x, y, yaw in away.tolist())
            rows.append(ErrorRow(kind, substep_s, errors))
    return rows


def standstill_drift_m(vehicle: str, seconds: float) -> float:
    """Return how far braked cars move on a slope of 8 % in that time, at headings all round."""
    headings = np.linspace(-math.pi, math.pi, 32)
    plant = VDSimPlant(vehicle, ground=Ground(slope_x=_SLOPE), control_dt=1.0)
    batch = plant.batch(len(headings), dtype="float32")
    states = np.zeros((len(headings), 6))
    states[:, 2] = headings
    batch.reset(states)
    places = []
    for _ in range(5 + math.ceil(seconds)):  # at first the tyres take the load of the slope
        seen = batch.step([0.0, 0.0], brakes=[2000.0] * 4)
        places.append(np.stack((seen["X"], seen["Y"])))
    return float(np.hypot(*(places[-1] - places[4])).max())


def most_of_the_circle(vehicle: str, kind: DriveKind, substep_s: float, count: int) -> float:
    """Return the largest force of a wheel over mu Fz, over the drives."""
    drives = random_drives(kind, count)
    batch, inputs = _batch(vehicle, drives, substep_s, "f4")
    most = 0.0
    for period in range(_PERIODS):
        wheel = batch.step(inputs[:, period // _HELD])["wheel"]
        grip = wheel["mu"] * wheel["Fz"]
        force = np.hypot(wheel["Fx"], wheel["Fy"])[grip > 0.0]
        most = max(most, float((force / grip[grip > 0.0]).max()))
    return most


def _ends(vehicle: str, drives: Sequence[Drive], substep_s: float, dtype: str) -> Array:
    """Return X, Y, psi of the drives' ends, a row each."""
    batch, inputs = _batch(vehicle, drives, substep_s, dtype)
    for period in range(_PERIODS):
        batch.advance(inputs[:, period // _HELD])
    return np.asarray(batch.read(("X", "Y", "psi")), dtype=np.float64)


def _batch(
    vehicle: str, drives: Sequence[Drive], substep_s: float, dtype: Any
) -> tuple[PlantBatch, Array]:
    """Return the cars of the drives at their starts, and their inputs, cars x inputs x 2."""
    plant = VDSimPlant(
        vehicle, control_dt=_PERIOD_S, substep_dt=substep_s, allow_coarse_substep=True
    )
    vary = {"base_mu": [drive.mu for drive in drives]}
    batch = plant.batch(len(drives), vary=vary, allow_coarse_substep=True, dtype=dtype)
    states = np.zeros((len(drives), 6))
    states[:, 3] = [drive.speed_mps for drive in drives]
    batch.reset(states)
    inputs = np.array([drive.inputs for drive in drives])
    inputs[:, :, 1] *= GRAVITY_MPS2 * plant.vehicle.parameters.body.mass_kg
    return batch, inputs
