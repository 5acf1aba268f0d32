"""A road of an OpenCRG file carries a car of level l3, at the heights that its reader states."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyopencrg
import pytest
from vdsim_plant.ground import ground_from_mapping
from vdsim_plant.ground.heights import compile_heights, height_at
from vdsim_plant.ground.opencrg import heights_from_crg
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import Vehicle

LENGTH_M, HALF_WIDTH_M, STEP_M = 80.0, 4.0, 0.25


def saved(path: Path, heading: float | np.ndarray = 0.0) -> Path:
    """A road 80 m long with waves of 10 m and 3 cm."""
    u = np.arange(0.0, LENGTH_M + STEP_M / 2, STEP_M)
    v = np.arange(-HALF_WIDTH_M, HALF_WIDTH_M + STEP_M / 2, STEP_M)
    z = 0.03 * np.sin(2.0 * math.pi * u / 10.0)[:, np.newaxis] * np.ones(len(v))
    road = pyopencrg.CrgRoad(z, STEP_M, v, heading=heading)
    road.save(str(path))
    return path


@pytest.mark.parametrize("heading", [0.0, 0.5])
def test_the_grid_has_the_heights_of_the_file(tmp_path: Path, heading: float) -> None:
    path = saved(tmp_path / "road.crg", heading)
    arrays = compile_heights(heights_from_crg(path, cell_m=0.1))
    road = pyopencrg.read(str(path))
    for u in np.arange(1.0, LENGTH_M - 1.0, 3.3):
        x, y = (float(each) for each in road.uv_to_xy(u, 1.0))
        assert height_at(x, y, arrays)[0] == pytest.approx(float(road.uv_to_z(u, 1.0)), abs=1e-3)


def test_a_car_drives_over_it_from_a_ground_file(tmp_path: Path) -> None:
    saved(tmp_path / "road.crg")
    ground = ground_from_mapping(
        {"base_mu": 0.8, "heights": {"crg": "road.crg", "cell_m": 0.25}}, folder=tmp_path
    )
    vehicle = Vehicle(ground=ground, level="l3")
    vehicle.reset(InitialState(x_m=5.0, vx_mps=10.0))
    pitches = []
    for _ in range(500):
        vehicle.step_force(0.0, 300.0, 0.01)
        pitches.append(vehicle.motion().pitch_rad)
    assert 0.005 < np.std(pitches) < 0.05


def test_what_is_no_road_is_named(tmp_path: Path) -> None:
    path = tmp_path / "noise.crg"
    path.write_bytes(b"\x00\x01 no road")
    with pytest.raises(ParameterError, match=r"crg=.*noise\.crg"):
        heights_from_crg(path)
    with pytest.raises(ParameterError, match=r"cell_m=0\.01: gives .* nodes"):
        heights_from_crg(saved(tmp_path / "road.crg", 0.7), cell_m=0.01)
    with pytest.raises(ParameterError, match=r"cell_m=0\.001: must be >= 0\.01 m"):
        heights_from_crg(path, cell_m=0.001)
