"""What no stop may do, judged by the packets on the wire and by the car's motion alone.

Each drive puts a fault into a braking, a start, a bend or a stand, not into a cruise.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from vdsim_interface.values import (
    CabinState,
    ChangeModeResult,
    Command,
    HighLevelCommand,
    Stop,
    Until,
    VehicleCommand,
)
from vdsim_kit.plant_loop import PERIOD_S, PlantLoop

EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)
OPEN = CabinState(doors_closed=False)
CLOSED = CabinState()
STEER_RATE_RADPS = 0.8
FORGIVEN_RAD = 1e-5
"""Of the rounding to float32."""


def driving(speed_mps: float, *, seconds: float = 6.0, **parameters: object) -> PlantLoop:
    """A car that has reached a speed."""
    loop = PlantLoop(actuator="passenger_car", version=5, speed_mps=speed_mps, **parameters)
    loop.run(seconds, HighLevelCommand(0.0, speed_mps))
    assert loop.car.vx_mps == pytest.approx(speed_mps, rel=0.1)
    return loop


def braking(decel_mps2: float = 6.0, **parameters: object) -> PlantLoop:
    """A car whose planner brakes it hard from 16 m/s."""
    loop = PlantLoop(
        actuator="passenger_car", version=5, level="vehicle", speed_mps=16.0, **parameters
    )
    loop.run(1.0, VehicleCommand(0.0, 0.3))
    loop.run(0.6, VehicleCommand(0.0, -decel_mps2))
    return loop


def distance_to_rest(
    loop: PlantLoop, command: Command | None = None, within_s: float = 8.0
) -> float:
    before = loop.car
    for _ in range(round(8.0 / PERIOD_S)):
        loop.period(command)
        if loop.car.vx_mps <= 0.01:
            break
    assert loop.car.vx_mps <= 0.01, "the car does not stop"
    return math.hypot(loop.car.x_m - before.x_m, loop.car.y_m - before.y_m)


# ---- no stop brakes less than before -------------------------------------------------------------


def test_a_planner_that_dies_while_it_brakes_hard_stops_the_car_no_later() -> None:
    alive = distance_to_rest(braking(), VehicleCommand(0.0, -6.0))
    assert distance_to_rest(braking()) <= 1.02 * alive


def test_reports_that_end_while_the_car_brakes_hard_stop_it_no_later() -> None:
    alive = distance_to_rest(braking(), VehicleCommand(0.0, -6.0))
    loop = braking()
    before = loop.car
    loop.run(6.0, VehicleCommand(0.0, -6.0), reports=False)
    assert loop.car.vx_mps <= 0.05
    assert loop.car.x_m - before.x_m <= 1.05 * alive


@pytest.mark.parametrize("fault", ["planner", "reports"])
def test_the_brake_on_the_wire_does_not_fall_when_a_hard_braking_loses_its_source(
    fault: str,
) -> None:
    loop = braking()
    before = loop.commands[-1].brake
    assert before > 0.3
    since = len(loop.commands)
    if fault == "planner":
        loop.run(1.0)
    else:
        loop.run(1.0, VehicleCommand(0.0, -6.0), reports=False)
    assert min(command.brake for command in loop.commands[since:]) >= 0.9 * before


# ---- an emergency stop ---------------------------------------------------------------------------


@pytest.mark.parametrize("rig", ["driver", "driverless"])
def test_a_disengage_does_not_end_an_emergency_stop(rig: str) -> None:
    loop = driving(8.0, safety={"rig": rig})
    loop.pipeline.safety_side.on_emergency(EMERGENCY)
    loop.run(0.4, HighLevelCommand(0.0, 8.0))
    before, sent_n = loop.commands[-1].brake, len(loop.commands)
    result, _ = loop.pipeline.safety_side.on_change_mode(False, loop.now)
    assert isinstance(result, ChangeModeResult)
    loop.run(1.0, HighLevelCommand(0.0, 8.0))
    after = loop.commands[sent_n:]
    assert len(after) == 100, "a packet in every period"
    assert min(command.brake for command in after[:60]) >= 0.9 * before
    assert loop.car.vx_mps < 4.0


def test_an_emergency_stop_while_nothing_is_sent_brakes() -> None:
    loop = driving(8.0, safety={"rig": "driver"})
    loop.pipeline.safety_side.on_change_mode(False, loop.now)
    loop.run(0.3)
    sent_n = len(loop.commands)
    loop.run(0.1)
    assert len(loop.commands) == sent_n, "a person drives"
    loop.pipeline.safety_side.on_emergency(EMERGENCY)
    loop.run(2.5)
    assert len(loop.commands) - sent_n == 250
    assert loop.car.vx_mps <= 0.05


def test_nobody_engages_while_an_emergency_stop_is_latched() -> None:
    loop = driving(5.0)
    loop.pipeline.safety_side.on_emergency(EMERGENCY)
    loop.run(3.0, HighLevelCommand(0.0, 5.0))
    loop.pipeline.safety_side.on_change_mode(False, loop.now)
    result, _ = loop.pipeline.safety_side.on_change_mode(True, loop.now)
    assert not result.success
    assert "emergency stop" in result.reason
    loop.pipeline.safety_side.on_emergency(None)
    result, _ = loop.pipeline.safety_side.on_change_mode(True, loop.now)
    assert result.success
    loop.run(4.0, HighLevelCommand(0.0, 5.0))
    assert loop.car.vx_mps > 3.0


# ---- no restart by itself ------------------------------------------------------------------------


def test_a_door_that_closes_does_not_drive_off() -> None:
    loop = driving(3.0)
    loop.pipeline.safety_side.on_cabin(OPEN, loop.now)
    loop.run(5.0, HighLevelCommand(0.0, 3.0))
    assert loop.car.vx_mps == pytest.approx(0.0, abs=0.01)
    loop.pipeline.safety_side.on_cabin(CLOSED, loop.now)
    loop.run(10.0, HighLevelCommand(0.0, 3.0))
    assert loop.car.vx_mps == pytest.approx(0.0, abs=0.01), "nobody has engaged"
    loop.pipeline.safety_side.on_change_mode(True, loop.now)
    loop.run(4.0, HighLevelCommand(0.0, 3.0))
    assert loop.car.vx_mps > 2.0


def test_with_auto_engage_a_sender_asks_for_rest_and_then_to_drive() -> None:
    loop = driving(3.0)
    loop.pipeline.safety_side.on_cabin(OPEN, loop.now)
    loop.run(5.0, HighLevelCommand(0.0, 3.0))
    loop.pipeline.safety_side.on_cabin(CLOSED, loop.now)
    loop.run(0.5, HighLevelCommand(0.0, 0.0))
    loop.run(2.0, HighLevelCommand(0.0, 3.0))
    assert loop.car.vx_mps == pytest.approx(0.0, abs=0.01), "half a second is no rest"
    loop.run(1.2, HighLevelCommand(0.0, 0.0))
    loop.run(4.0, HighLevelCommand(0.0, 3.0))
    assert loop.car.vx_mps > 2.0


# ---- no drive in a stop --------------------------------------------------------------------------


@pytest.mark.parametrize("grade", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("cause", ["silence", "disengage", "reports"])
def test_no_packet_of_a_stop_has_throttle_also_uphill(grade: float, cause: str) -> None:
    loop = driving(5.0, grade=grade, safety={"rig": "driverless"})
    go = HighLevelCommand(0.0, 5.0)
    if cause == "silence":
        loop.run(0.5)
        sent_n = len(loop.commands)
        loop.run(2.0)
    elif cause == "disengage":
        loop.pipeline.safety_side.on_change_mode(False, loop.now)
        sent_n = len(loop.commands)
        loop.run(2.0, go)
    else:
        loop.run(0.1, go, reports=False)
        sent_n = len(loop.commands)
        loop.run(1.5, go, reports=False)
    late = loop.commands[sent_n + 2 :]
    assert max(command.throttle for command in late) == 0.0


@pytest.mark.parametrize("grade", [0.15, 0.25])
@pytest.mark.parametrize("speed", [0.3, 0.8])
def test_a_stop_in_a_slow_climb_rolls_back_by_no_more_than_5_cm(grade: float, speed: float) -> None:
    loop = PlantLoop(actuator="passenger_car", version=5, grade=grade, safety={"rig": "driverless"})
    for _ in range(800):
        loop.period(HighLevelCommand(0.0, 3.0))
        if loop.car.vx_mps >= speed:
            break
    assert loop.car.vx_mps >= speed
    loop.pipeline.safety_side.on_change_mode(False, loop.now)
    loop.run(4.0, HighLevelCommand(0.0, 3.0))
    ways = [sample.x_m for sample in loop.samples]
    assert max(ways) - ways[-1] <= 0.05
    assert abs(loop.car.vx_mps) <= 0.005


# ---- steering per packet -------------------------------------------------------------------------


def steps(loop: PlantLoop, since: int) -> list[float]:
    angles = [command.steering_tire_angle_rad for command in loop.commands[since - 1 :]]
    return [abs(b - a) for a, b in pairwise(angles)]


@pytest.mark.parametrize("stall_s", [0.05, 0.09])
def test_after_a_stall_the_wheel_moves_by_one_period_in_a_packet(stall_s: float) -> None:
    loop = driving(6.0)
    turn = HighLevelCommand(0.0, 6.0, 0.1)
    loop.run(0.1, turn)
    for _ in range(round(stall_s / 0.005)):
        loop.now += 0.005
        loop.vehicle.tick(loop.now)
    since = len(loop.commands)
    loop.run(0.5, turn)
    assert max(steps(loop, since)) <= STEER_RATE_RADPS * PERIOD_S + FORGIVEN_RAD


def test_a_car_that_understeers_is_not_corrected_faster_than_the_steering_rate() -> None:
    loop = driving(9.0)
    loop.run(6.0, HighLevelCommand(0.0, 9.0, 0.04))
    since = len(loop.commands)
    for n in range(12):
        loop.run(0.35, HighLevelCommand(0.0, 9.0, 0.05 if n % 2 else -0.05))
    assert max(steps(loop, since)) <= STEER_RATE_RADPS * PERIOD_S + FORGIVEN_RAD
