"""AutoHYU's controllers, restated, drive the built-in car through the bridge, in virtual time."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from vdsim_interface.extras.autohyu import AutohyuParameters
from vdsim_interface.extras.autohyu.parameters import ReferenceParameters
from vdsim_kit.autohyu_loop import AutohyuLoop
from vdsim_kit.autohyu_stack import LongitudinalDouble
from vdsim_plant.parameters import load_vehicle

from autohyu_msgs.msg import VehicleCAN

SPEED_MPS, RADIUS_M = 12.0, 60.0


def circle(parameters: AutohyuParameters) -> AutohyuLoop:
    return AutohyuLoop(parameters, speed_mps=SPEED_MPS, radius_m=RADIUS_M)


def test_they_hold_12_mps_on_a_circle_of_60_m() -> None:
    # [VS-0.9]
    loop = circle(AutohyuParameters())
    assert loop.run(5.0).vx_mps == pytest.approx(SPEED_MPS, abs=0.2)
    loop.run(35.0)
    lap = loop.states[-3000:]
    assert max(abs(state.vx_mps - SPEED_MPS) for state in lap) < 0.1
    assert max(abs(loop.path.cross_track_m(state)) for state in lap) < 0.5
    assert loop.speed.faults_n == 0


def test_at_the_rear_axle_a_slow_car_keeps_to_its_circle() -> None:
    """Without slip, pure pursuit leads the rear axle onto the path, not the centre of gravity."""
    off_m = {}
    for point in ("rear_axle", "center_of_gravity"):
        parameters = replace(AutohyuParameters(), reference=ReferenceParameters(point=point))
        loop = AutohyuLoop(parameters, speed_mps=3.0, radius_m=20.0)
        loop.run(45.0)
        off_m[point] = max(abs(loop.path.cross_track_m(state)) for state in loop.states[-1500:])
    assert off_m["rear_axle"] < 0.05
    assert off_m["center_of_gravity"] > 2.0 * off_m["rear_axle"]


def test_the_rear_axle_is_that_of_the_built_in_car() -> None:
    body = load_vehicle("ioniq5_awd").body
    assert ReferenceParameters().cg_to_rear_axle_m == body.cg_to_rear_axle_m


@pytest.mark.parametrize("state", [0, 1, VehicleCAN.MDPS_STANDBY, VehicleCAN.MDPS_ERROR])
def test_without_an_active_steering_they_brake_above_5_kmh(state: int) -> None:
    loop = circle(AutohyuParameters())
    driven = loop.run(3.0)
    control = LongitudinalDouble(SPEED_MPS)
    assert driven.vx_mps > 5.0
    assert control.torque_nm(driven) > 0.0
    assert control.torque_nm(replace(driven, steering_state=state)) == -2500.0
    assert control.faults_n == 1


def test_one_bad_steer_in_a_bend_does_not_move_the_car_off_its_path() -> None:
    loop = circle(AutohyuParameters())
    before = loop.run(15.0)
    driven_n = len(loop.commands)
    loop.run(2.0, steer_deg=math.nan)
    after = loop.commands[driven_n:]
    assert all(command.brake == 0.0 for command in after)
    angle_deg = math.degrees(before.tire_angle_rad)
    assert all(
        math.degrees(command.steering_tire_angle_rad) == pytest.approx(angle_deg, abs=0.2)
        for command in after
    )
    track_m = loop.path.cross_track_m(before)
    assert all(
        loop.path.cross_track_m(state) == pytest.approx(track_m, abs=0.02)
        for state in loop.states[-200:]
    )
