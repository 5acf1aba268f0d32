"""The drives that Autoware's planning simulator is tested with, for its ten parameter sets.

Its test puts the car to the origin, sends a gear for 0.1 s and one command for 1.5 s, every 10 ms,
and wants the car to be more than 1 m away in the right direction, 0.1 m to the right side. Positive
acceleration with REVERSE and a negative speed is backwards; is_defined_acceleration stays false.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from vdsim_autoware.adapter import Control
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.car import Start
from vdsim_autoware.simulator import Motion, PlanningSimulator
from vdsim_autoware_kit.parameter_sets import BY_ACTUATION, BY_CONTROL, simulator

DRIVE, REVERSE = 2, 20
GEAR_N, COMMAND_N = 10, 150
SPEED_MPS, ACCEL_MPS2, STEER_RAD = 5.0, 5.0, 0.2
ACCEL_PEDAL, STEER_ACTUATION = 0.5, 20.0


class Way(NamedTuple):
    """One of its drives: the gear, and the side that it steers to (+1 left)."""

    gear: int
    side: int


WAYS = {
    "forward": Way(DRIVE, 0),
    "backward": Way(REVERSE, 0),
    "forward left": Way(DRIVE, 1),
    "backward right": Way(REVERSE, -1),
}


def drive(car: PlanningSimulator, way: Way) -> Motion:
    """Its sequence; one period of the simulator is one of its 10 ms."""
    car.put(Start(0.0, 0.0, 0.0, 0.0))
    for _ in range(GEAR_N):
        car.on_gear(way.gear)
        car.step()
    travel = 1.0 if way.gear == DRIVE else -1.0
    for _ in range(COMMAND_N):
        if car.takes_pedals:
            car.on_actuation(Actuation(car.now, ACCEL_PEDAL, 0.0, way.side * STEER_ACTUATION))
        else:
            car.on_control(
                Control(
                    received_s=car.now,
                    steering_rad=way.side * STEER_RAD,
                    velocity_mps=travel * SPEED_MPS,
                    acceleration_mps2=ACCEL_MPS2,
                    is_defined_acceleration=False,
                )
            )
        car.step()
    return car.motion()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", [*BY_CONTROL, *BY_ACTUATION, "vdsim_l1", "vdsim_l2", "vdsim_l3"])
def test_the_car_goes_where_autowares_own_test_wants_it(model: str, way: str) -> None:
    motion = drive(simulator(model), WAYS[way])
    travel = 1.0 if WAYS[way].gear == DRIVE else -1.0
    assert travel * motion.x_m > 1.0
    if WAYS[way].side:
        assert travel * motion.y_m > 0.1
    else:
        assert abs(motion.y_m) < 0.01
