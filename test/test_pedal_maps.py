"""The shipped pedal maps are what the command makes of the built-in cars now; the page says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from vdsim_interface.longitudinal import load_pedal_map
from vdsim_interface.shells.calibrate import main

ROOT = Path(__file__).resolve().parents[1]
MAPS = ROOT / "src/vdsim_interface/vdsim_interface/longitudinal/maps"
PAGE = (ROOT / "docs/calibrate.md").read_text(encoding="utf-8")
CARS = {"ioniq5_awd": 40.0, "sport_rwd": 40.0, "compact_fwd": 40.0, "scale_car": 15.0}
TOLERATED_MPS2 = 0.002
"""What other processors may round differently; the smallest change of a car is far larger."""


@pytest.mark.parametrize("car", CARS)
def test_a_shipped_map_is_a_fresh_sweep(
    car: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [
        str(ROOT / "src" / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")
    ]
    monkeypatch.setenv("PYTHONPATH", ":".join(parts))
    target = tmp_path / "fresh.csv"
    assert main(["--vehicle", car, "-o", str(target), "--top-speed", f"{CARS[car]:g}"]) == 0
    fresh, shipped = load_pedal_map(str(target)), load_pedal_map(car)
    assert shipped.speeds_mps == fresh.speeds_mps
    assert shipped.pedals == fresh.pedals
    for shipped_row, fresh_row in zip(shipped.accel_mps2, fresh.accel_mps2, strict=True):
        assert shipped_row == pytest.approx(fresh_row, abs=TOLERATED_MPS2)


@pytest.mark.parametrize("car", CARS)
def test_the_page_says_what_the_file_says(car: str) -> None:
    text = (MAPS / f"{car}.csv").read_text(encoding="utf-8")
    error = re.search(r"rms ([\d.]+) m/s2, max ([\d.]+) m/s2", text)
    pedals = load_pedal_map(car).pedals
    assert error is not None
    rms, largest = error.groups()
    row = rf"\| {car}[^|]* \| {pedals[0]:g} to {pedals[-1]:g} \| {rms} m/s2 \| {largest} m/s2 \|"
    assert re.search(row, PAGE), f"docs/calibrate.md has no row {row}"


def test_every_shipped_map_is_compared() -> None:
    assert {path.stem for path in MAPS.glob("*.csv")} == set(CARS)
