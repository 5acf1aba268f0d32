"""Against recorded runs of another simulator with the same tyre formula: same sign and shape.

Its car differs in detail (its effective friction was 0.81, its springs follow), so the bounds are
those of two models of one car, not of rounding.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant_kit.drives import column, wheels

from vdsim_plant import VDSimPlant

DATA = Path(__file__).resolve().parents[1] / "data"


def _reference(name: str) -> dict[str, NDArray[np.float64]]:
    with (DATA / f"reference_{name}.csv").open() as file:
        next(file)
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


@pytest.mark.parametrize("name", ["brake_in_turn", "sine_steer"])
def test_same_sign_and_shape(name: str) -> None:
    reference = _reference(name)
    plant = VDSimPlant()
    plant.reset([0.0, 0.0, 0.0, 16.7, 0.0, 0.0])
    inputs = zip(reference["u_delta"], reference["u_fx"], strict=True)
    seen = [plant.step([delta, force]) for delta, force in inputs]
    for key, allowed in (("r", 0.04), ("ay", 0.07), ("psi", 0.04), ("vx", 0.01), ("X", 0.01)):
        scale = np.max(np.abs(reference[key]))
        worst = np.max(np.abs(column(seen, key) - reference[key])) / scale
        assert worst < allowed, (key, worst)
    for i, wheel in ((0, "wFL"), (3, "wRR")):
        for key, allowed in (("Fy", 0.10), ("Fz", 0.04), ("alpha", 0.15)):
            theirs = reference[f"{wheel}_{key}"]
            worst = np.max(np.abs(wheels(seen, key)[:, i] - theirs)) / np.max(np.abs(theirs))
            assert worst < allowed, (wheel, key, worst)
