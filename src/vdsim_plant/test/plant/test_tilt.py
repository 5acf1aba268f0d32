"""A slope that changes under the car: as on a ground that has it from the start."""

from __future__ import annotations

import pytest
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import ParameterError
from vdsim_plant.vehicle import PedalInput, Vehicle

COASTING = PedalInput(gear=0)


@pytest.mark.parametrize("level", ["kinematic", "l1", "l2", "l3"])
def test_a_tilted_car_rolls_as_on_that_slope(level: str) -> None:
    tilted, built = Vehicle(level=level), Vehicle(level=level, ground=Ground(slope_x=0.1))
    tilted.tilt(0.1, 0.0)
    for car in (tilted, built):
        car.reset(InitialState(vx_mps=10.0))
        car.step_pedals(COASTING, 1.0)
    assert tilted.motion().vx_mps == pytest.approx(built.motion().vx_mps, abs=0.02)
    assert tilted.motion().vx_mps < 9.2
    tilted.tilt(0.0, 0.0)
    before_mps = tilted.motion().vx_mps
    tilted.step_pedals(COASTING, 1.0)
    assert tilted.motion().vx_mps == pytest.approx(before_mps, abs=0.4)


@pytest.mark.parametrize("slopes", [(1.1, 0.0), (0.0, -1.1), (float("nan"), 0.0)])
def test_a_slope_that_no_road_has_is_refused(slopes: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match=r"tilt=.*must be -1 to 1"):
        Vehicle().tilt(*slopes)
