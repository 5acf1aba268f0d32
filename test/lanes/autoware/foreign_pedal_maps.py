"""The pedal maps that Autoware ships, found again from logs of whole km/h, 50 ms late.

Their authors know nothing of the fit. Each folder below VDSIM_AUTOWARE with an accel_map.csv of six
speeds or more and a brake_map.csv is one car; equal ones count once.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from vdsim_autoware.model.command_map import CommandMap, parse_command_map
from vdsim_interface.extras.calibration.quantised_fit import (
    COUNTED_N,
    Array,
    fit_pedals,
    naive_cells,
)
from vdsim_interface_kit.quantised_drives import DELAY_S, drive

UPSTREAM = Path(os.environ["VDSIM_AUTOWARE"])
PEDALS = np.array([-0.4, -0.3, -0.2, -0.1, -0.02, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
"""With a row where the brake begins: of one car the maps jump there."""
FEWEST_SPEEDS = 6


def read(path: Path) -> CommandMap:
    return parse_command_map("map", str(path), path.read_text(encoding="utf-8"))


def maps() -> dict[str, Path]:
    """The folders, by content."""
    found: dict[str, Path] = {}
    for path in sorted(UPSTREAM.rglob("accel_map.csv")):
        if (path.parent / "brake_map.csv").is_file() and len(read(path).speeds) >= FEWEST_SPEEDS:
            found.setdefault(path.read_text(encoding="utf-8"), path.parent)
    return {str(folder.relative_to(UPSTREAM)): folder for folder in found.values()}


MAPS = maps()


def test_there_are_maps() -> None:
    assert MAPS, f"VDSIM_AUTOWARE={UPSTREAM}: no folder has accel_map.csv and brake_map.csv"


@pytest.mark.parametrize("name", MAPS)
def test_a_map_of_autoware_is_found_within_two_percent(name: str) -> None:
    accel, brake = (read(MAPS[name] / f"{word}_map.csv") for word in ("accel", "brake"))

    def car(pedal: float, speed: float) -> float:
        used = accel if pedal >= 0.0 else brake
        return used.value(abs(pedal), speed)

    speeds = np.array([speed for speed in accel.speeds if speed > 0.0])
    log = drive(car, 20.0, seed=7)
    fit = fit_pedals(log, speeds, PEDALS, delay_s=DELAY_S)
    truth = np.array([[car(float(p), float(v)) for p in PEDALS] for v in speeds])

    def error(cells: Array) -> float:
        counted = (fit.counts >= COUNTED_N) & np.isfinite(cells)
        assert counted.sum() > 40
        return float(np.sqrt(np.mean((cells - truth)[counted] ** 2)) / np.ptp(truth))

    ours, usual = error(fit.cells), error(naive_cells(log, speeds, PEDALS))
    words = f"{100 * ours:.1f} % by the likelihood, {100 * usual:.1f} % by differences"
    print(f"\npedal map {name}: {words}")
    assert ours < 0.02
