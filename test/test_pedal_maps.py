"""The shipped pedal maps equal what the command computes from the built-in cars."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_interface.extras.calibration.cli.calibrate import main
from vdsim_interface.platforms.pedal_table import load_pedal_map

ROOT = Path(__file__).resolve().parents[1]
MAPS = ROOT / "src/vdsim_interface/vdsim_interface/platforms/maps"
CARS = {
    "ioniq5_awd": 40.0,
    "ioniq5_awd_r13h": 40.0,
    "sport_rwd": 40.0,
    "compact_fwd": 40.0,
    "scale_car": 15.0,
    "vdsim_ioniq5": 40.0,
}
TOLERATED_MPS2 = 0.002
"""Tolerance for rounding on other processors; the smallest change of a car is far larger."""


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


def test_the_map_of_vdsims_car_has_the_readings_of_the_real_one() -> None:
    """Read there near 10 m/s; full throttle is 4.4 kN and full brake 5.9 kN on 2359 kg."""
    pedals = load_pedal_map("vdsim_ioniq5")
    assert pedals.accel(0.3, 10.0) == pytest.approx(0.41, abs=0.01)
    assert pedals.accel(-0.6, 10.0) == pytest.approx(-1.59, abs=0.01)
    coasting = pedals.accel(0.0, 10.0)
    # The wheels' inertia takes 3 % of the force.
    assert pedals.accel(1.0, 10.0) - coasting == pytest.approx(4.4e3 / 2359, rel=0.04)
    assert pedals.accel(-1.0, 10.0) - coasting == pytest.approx(-5.9e3 / 2359, rel=0.04)


def test_every_shipped_map_is_compared() -> None:
    assert {path.stem for path in MAPS.glob("*.csv")} == set(CARS)
