"""The height of the road: what the grid holds, and what a car of level l3 makes of it."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vdsim_plant.ground import Ground, HeightGrid, flat, ground_from_mapping, heights_from_csv
from vdsim_plant.ground.heights import compile_heights, height_at
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.vehicle import Vehicle

CELL = 0.25


def along_x(height: Any, length_m: float = 200.0) -> Ground:
    """A road whose height depends on x alone, from -20 m on."""
    x = np.arange(0.0, length_m, CELL) - 20.0
    values = np.repeat(height(x)[np.newaxis, :], 2, axis=0)
    grid = HeightGrid(values * np.ones((2, 1)), cell_m=CELL, x0_m=-20.0, y0_m=-0.125)
    return Ground(heights=grid)


def ramp(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.clip(0.05 * (x - 30.0), 0.0, 2.0)


def test_the_height_between_nodes_and_its_rise() -> None:
    grid = HeightGrid([[0.0, 1.0, 1.0], [2.0, 3.0, 3.0]], cell_m=2.0, x0_m=10.0, y0_m=-4.0)
    arrays = compile_heights(grid)
    assert height_at(11.0, -3.0, arrays) == pytest.approx((1.5, 0.5, 1.0))
    assert height_at(10.0, -4.0, arrays) == pytest.approx((0.0, 0.5, 1.0))
    assert height_at(13.0, -3.0, arrays) == pytest.approx((2.0, 0.0, 1.0))
    for x, y, height in ((0.0, -3.0, 1.0), (99.0, -3.0, 2.0), (11.0, 50.0, 2.5), (-9.0, -9.0, 0.0)):
        assert height_at(x, y, arrays)[0] == pytest.approx(height)
    assert height_at(0.0, 0.0, arrays)[1] == 0.0
    assert height_at(0.0, 0.0, compile_heights(None)) == (0.0, 0.0, 0.0)


def test_a_hill_takes_its_energy() -> None:
    vehicle = Vehicle(ground=along_x(ramp), level="l3")
    vehicle.reset(InitialState(vx_mps=15.0))
    level = Vehicle(ground=flat(), level="l3")
    level.reset(InitialState(vx_mps=15.0))
    for each in (vehicle, level):
        while each.motion().x_m < 90.0:
            each.step_force(0.0, 0.0, 0.01)
    climbed = vehicle.motion()
    assert climbed.z_m == pytest.approx(2.0, abs=0.01)
    spins = 4 * 2.0 / 0.338**2 / 2359.0
    lost = (level.motion().vx_mps ** 2 - climbed.vx_mps**2) * 0.5 * (1.0 + spins)
    assert lost == pytest.approx(2.0 * GRAVITY_MPS2, rel=0.03)


def test_the_body_follows_a_grade_nose_up() -> None:
    vehicle = Vehicle(ground=along_x(ramp), level="l3")
    vehicle.reset(InitialState(x_m=50.0, vx_mps=0.0))
    placed = vehicle.motion()
    assert placed.z_m == pytest.approx(1.0, abs=0.02)
    assert placed.pitch_rad == pytest.approx(-math.atan(0.05), abs=1e-3)
    vehicle.step_pedals(PedalInput(brake=1.0), 3.0)
    stands = vehicle.motion()
    assert abs(stands.vx_mps) < 1e-6
    assert stands.x_m == pytest.approx(50.0, abs=0.01)


def test_bumps_shake_the_wheels_more_than_the_body_and_wheels_may_lift() -> None:
    def bumps(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return 0.02 * np.sin(2.0 * math.pi * x / 2.0) * (x > 0.0)

    vehicle = Vehicle(ground=along_x(bumps), level="l3")
    vehicle.reset(InitialState(vx_mps=20.0))
    travel, heave, least = [], [], math.inf
    for _ in range(400):
        vehicle.step_force(0.0, 500.0, 0.01)
        m = vehicle.motion()
        travel.append(m.suspension_compression_m[0])
        heave.append(m.z_m)
        least = min(least, *m.tire_fz_n)
    assert np.std(travel) > 3.0 * np.std(heave)
    assert 0.0 <= least < 1500.0
    kerb = Vehicle(ground=along_x(lambda x: 0.25 * (x > 5.0)), level="l3")
    kerb.reset(InitialState(vx_mps=25.0))
    lifted = False
    for _ in range(200):
        kerb.step_force(0.0, 0.0, 0.005)
        lifted = lifted or any(kerb.motion().wheels_lifted)
    assert lifted
    assert math.isfinite(kerb.motion().z_m)


def test_one_side_higher_rolls_the_body() -> None:
    values = np.array([[0.0, 0.0], [0.0, 0.0], [0.1, 0.1]])
    ground = Ground(heights=HeightGrid(values, cell_m=1.0, x0_m=-1.0, y0_m=-1.0))
    plant = VDSimPlant(ground=ground, level="l3")
    obs = plant.step([0.0, -100.0])
    assert obs["roll"] == pytest.approx(0.5 * 1.635 * 0.1 / 1.635, rel=0.1)


@pytest.mark.parametrize("level", ["kinematic", "l1", "l2"])
def test_only_level_l3_has_heights(level: str) -> None:
    with pytest.raises(ParameterError, match=f"heights: need level=l3, not level={level}"):
        Vehicle(ground=along_x(ramp), level=level)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": [[0.0, 1.0]], "cell_m": 1.0}, "values: has shape (1, 2): must be 2 x 2"),
        ({"values": [[0.0, 0.0], [0.0]], "cell_m": 1.0}, "values: must be rows of numbers"),
        ({"values": [[0, math.nan], [0, 0]], "cell_m": 1.0}, "values[0][1]=nan: must be within"),
        ({"values": [[0, 2000.0], [0, 0]], "cell_m": 1.0}, "values[0][1]=2000: must be within"),
        ({"values": [[0, 2.0], [0, 0]], "cell_m": 1.0}, "values: rise by 2 m within a cell"),
        ({"values": [[0, 0], [0, 0]], "cell_m": 0.0}, "cell_m=0: must be >= 0.001 m"),
    ],
)
def test_a_wrong_grid_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        HeightGrid(**given)
    assert message in str(caught.value)


def test_the_first_line_of_a_csv_is_north(tmp_path: Path) -> None:
    text = "# heights\n0.2, 0.3\n0.0, 0.1\n"
    grid = heights_from_csv(text, cell_m=1.0)
    assert grid.values.tolist() == [[0.0, 0.1], [0.2, 0.3]]
    (tmp_path / "road.csv").write_text(text)
    given = {"base_mu": 0.8, "heights": {"csv": "road.csv", "cell_m": 1.0, "x0_m": 5}}
    ground = ground_from_mapping(given, folder=tmp_path)
    assert ground.heights is not None
    assert (ground.heights.x0_m, ground.heights.values[1][0]) == (5.0, 0.2)
    for wrong, message in (("1,2\n3\n", "line 2"), ("1,x\n", "line 1 column 2"), ("", "no rows")):
        with pytest.raises(ParameterError, match=message):
            heights_from_csv(wrong, cell_m=1.0)


def test_a_ground_is_known_by_its_heights() -> None:
    plain, hilly, other = flat(), along_x(ramp), along_x(lambda x: 2.0 * ramp(x))
    assert "heights" not in repr(plain)
    assert len({repr(plain), repr(hilly), repr(other)}) == 3


def test_an_opencrg_file_needs_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyopencrg", None)
    for given, message in (
        ({"crg": "a.crg"}, "heights.crg: needs pyopencrg: pip install"),
        ({"crg": "a.crg", "x0_m": 3.0}, "heights.x0_m: is given as well as crg"),
        ({"crg": "a.crg", "cell_m": 0.0}, "heights.cell_m=0: must be >= 0.01 m"),
    ):
        with pytest.raises(ParameterError, match=re.escape(message)):
            ground_from_mapping({"heights": given})
