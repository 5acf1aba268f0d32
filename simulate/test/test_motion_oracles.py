"""Oracles of motion and of packets: each holds where all is well and breaks with a defect."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.controller.controller import SpeedPid
from vdsim_interface.safety.body import BodyRequests
from vdsim_interface.standstill.parking import Parking
from vdsim_plant.parameters import load_vehicle
from vdsim_simulate.oracles import ORACLES, judge
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.planted.patches import Patch, Planted
from vdsim_simulate.record import Sent
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

DRIVE = Scene(start_mps=5.0, legs=(Leg(0.0, 5.0),), heals_s=20.0, ends_s=8.0)
REVERSE = Scene(legs=(Leg(0.0, 0.0), Leg(1.0, -2.0), Leg(7.0, 0.0)), heals_s=30.0, ends_s=12.0)
SILENT = replace(DRIVE, events=(Event(3.0, "planner_silent", {"for_s": 6.0}),))
BEND = Scene(
    start_mps=13.0,
    legs=(Leg(0.0, 13.0), Leg(2.0, 13.0, 2.0, 0.023), Leg(4.0, 13.0, 2.0, -0.023)),
    heals_s=30.0,
    ends_s=6.0,
)
EMERGENCY = replace(
    DRIVE,
    composition="guarded",
    start_mps=8.0,
    legs=(Leg(0.0, 8.0, 2.0, 0.04),),
    events=(Event(4.0, "emergency_stop"),),
)
FAST = replace(DRIVE, start_mps=8.0, legs=(Leg(0.0, 8.0, 2.0, 0.1),))


def _faster(before: Any) -> Callable[..., float]:
    return lambda self, target_mps, speed_mps: before(self, 1.3 * target_mps, speed_mps)


def _at_once(_before: Any) -> Callable[..., bool]:
    return lambda self, standing, feedback, now, *, is_fresh: is_fresh


def _never(_before: Any) -> Callable[..., bool]:
    return lambda *_given, **_named: False


def _without_lamps(before: Any) -> Callable[..., Any]:
    def compose(
        self: Any, gear: Any, commanding: bool, enabled: bool, stopping: bool, period_s: float
    ) -> Any:
        del stopping
        return before(self, gear, commanding, enabled, False, period_s)

    return compose


def _own(*patches: Patch) -> Planted:
    return Planted("only here", patches)


ROWS: dict[str, tuple[Planted, Scene]] = {
    "the_speed_is_the_one_that_is_asked_for": (
        _own(Patch(SpeedPid, "step", _faster)),
        replace(DRIVE, legs=(Leg(0.0, 5.0), Leg(1.5, 8.0))),
    ),
    "a_stop_that_is_asked_for_ends_at_rest": (PLANTED["reverse_stop_is_not_braked"], REVERSE),
    "a_start_is_made_in_time": (
        PLANTED["slope_turns_with_the_speed"],
        replace(REVERSE, grade=-0.2),
    ),
    "a_stop_locks_no_wheel": (
        PLANTED["wheels_lock"],
        replace(DRIVE, mu=0.2, events=(Event(3.0, "emergency_stop"),)),
    ),
    "parked_only_after_a_rest": (_own(Patch(Parking, "_is_due", _at_once)), SILENT),
    "a_stop_that_holds_the_car_parks_it": (
        _own(Patch(Parking, "_is_due", _never)),
        replace(SILENT, start_mps=2.0, legs=(Leg(0.0, 2.0),), ends_s=9.0),
    ),
    "the_fail_safe_begins_in_time": (
        PLANTED["patient_watchdog"],
        replace(DRIVE, events=(Event(2.0, "commands_lost", {"for_s": 0.5}),)),
    ),
    "the_next_packet_obeys": (
        PLANTED["packet_is_one_behind"],
        replace(DRIVE, events=(Event(2.0, "disengage"),), ends_s=3.0),
    ),
    "the_wheels_have_the_angle_that_is_asked": (PLANTED["emergency_unwinds_the_bend"], EMERGENCY),
    "steering_keeps_its_rate": (PLANTED["lateral_jerk_by_speed"], BEND),
    "hazard_lamps_end_with_the_stop": (
        PLANTED["hazards_outlive_the_stop"],
        replace(SILENT, heals_s=10.0, ends_s=25.0),
    ),
    "hazard_lamps_flash_in_a_stop": (
        _own(Patch(BodyRequests, "compose", _without_lamps)),
        SILENT,
    ),
}


@pytest.mark.parametrize("oracle", ROWS)
def test_an_oracle_sees_a_planted_defect_and_nothing_else(oracle: str) -> None:
    row, scene = ROWS[oracle]
    assert not list(ORACLES[oracle](run_scene(scene)))
    with planted(row):
        assert any(ORACLES[oracle](run_scene(scene)))


def test_a_car_that_stops_at_once_jolts() -> None:
    oracle = ORACLES["it_stops_and_starts_without_a_jolt"]
    record = run_scene(REVERSE)
    assert not list(oracle(record))
    record.car = [car._replace(vx_mps=car.vx_mps * (car.vx_mps < -0.48)) for car in record.car]
    assert any(oracle(record))


def test_wheels_that_turn_in_a_stop_are_seen() -> None:
    oracle = ORACLES["a_stop_keeps_the_wheels"]
    record = run_scene(replace(SILENT, legs=(Leg(0.0, 5.0, 2.0, 0.05),)))
    assert not list(oracle(record))
    record.packets = [
        packet._replace(steer_rad=packet.steer_rad * (packet.time_s < 4.5))
        for packet in record.packets
    ]
    assert any(oracle(record))


@pytest.mark.parametrize(
    ("rolls_m", "kerb_ahead_m", "is_seen"),
    [(0.5, None, True), (0.5, 0.0, False), (0.5, 3.0, True), (1.5, 0.0, True)],
)
def test_only_a_kerb_that_a_wheel_touches_pushes_a_car_back(
    rolls_m: float, kerb_ahead_m: float | None, is_seen: bool
) -> None:
    record = run_scene(DRIVE)
    assert not list(ORACLES["the_car_does_not_roll_back"](record))
    turned = next(car for car in record.car if car.time_s >= 3.0)
    record.car = [
        car
        if car.time_s < 3.0
        else car._replace(x_m=turned.x_m - rolls_m * min(car.time_s - 3.0, 1.0), vx_mps=-rolls_m)
        for car in record.car
    ]
    if kerb_ahead_m is not None:
        front_m = load_vehicle(DRIVE.car).body.cg_to_front_axle_m
        record.scene = replace(DRIVE, kerb_m=turned.x_m + front_m + kerb_ahead_m)
    assert bool(list(ORACLES["the_car_does_not_roll_back"](record))) is is_seen


def test_a_car_that_wrong_commands_have_turned_across_the_slope_has_less_of_it() -> None:
    huge = Event(1.0, "planner_talks_nonsense", {"what": "huge", "for_s": 2.0})
    across = replace(DRIVE, level="vehicle", grade=0.2, events=(huge,), heals_s=4.0, ends_s=16.0)
    record = run_scene(across)
    oracle = ORACLES["the_acceleration_is_the_one_that_is_asked_for"]
    assert not list(oracle(record))
    assert abs(motion_of(record).heading_rad(15.0)) > 0.8
    record.car = [car._replace(yaw_rate_radps=0.0) for car in record.car]
    assert any(oracle(record))


def _with(packet: Sent, time_s: float, **values: Any) -> Sent:
    return packet._replace(**values) if 3.0 < packet.time_s < 3.0 + time_s else packet


@pytest.mark.parametrize(
    ("oracle", "values"),
    [
        ("no_drive_without_a_gear", {"throttle": 0.1, "gear": 0}),
        ("no_drive_without_a_gear", {"throttle": 0.1, "hand_brake": True}),
        ("no_two_pedals_in_motion", {"throttle": 0.1, "brake": 0.1}),
        ("shifts_keep_their_time", {"gear": 0}),
    ],
)
def test_a_packet_that_must_not_be_is_seen(oracle: str, values: dict[str, Any]) -> None:
    record = run_scene(DRIVE)
    assert not list(ORACLES[oracle](record))
    record.packets = [_with(packet, 0.3, **values) for packet in record.packets]
    assert any(ORACLES[oracle](record))


def test_more_lateral_acceleration_than_the_limit_is_seen() -> None:
    oracle = ORACLES["lateral_acceleration_keeps_its_limit"]
    record = run_scene(FAST)
    assert not list(oracle(record))
    safety = replace(record.parameters.safety, lateral_accel_max_mps2=3.0)
    record.parameters = replace(record.parameters, safety=safety)
    assert any(oracle(record))


@pytest.mark.parametrize(
    ("level", "angle", "yaw_rate", "is_more"),
    [
        ("high_level", 1.2, 1.0, False),
        ("high_level", 1.2, 1.2, True),
        ("high_level", 1.5, 1.0, True),
        ("vehicle", 1.2, 1.0, True),
    ],
)
def test_a_correction_of_the_angle_is_judged_by_the_path_it_gives(
    level: str, angle: float, yaw_rate: float, is_more: bool
) -> None:
    """In a bend at the limit, with more of the angle, of the yaw rate, or of both."""
    record = run_scene(replace(FAST, level=level, legs=(Leg(0.0, 8.0, 2.0, 0.07),)))
    record.packets = [p._replace(steer_rad=angle * p.steer_rad) for p in record.packets]
    record.car = [c._replace(yaw_rate_radps=yaw_rate * c.yaw_rate_radps) for c in record.car]
    safety = replace(record.parameters.safety, lateral_accel_max_mps2=4.0)
    record.parameters = replace(record.parameters, safety=safety)
    assert any(ORACLES["lateral_acceleration_keeps_its_limit"](record)) is is_more


@pytest.mark.parametrize("level", ["high_level", "vehicle"])
@pytest.mark.parametrize("grade", [0.0, 0.2, -0.2])
def test_a_car_drives_in_reverse_and_forward_again(level: str, grade: float) -> None:
    legs = (Leg(0.0, 0.0), Leg(1.5, 3.0), Leg(5.0, -2.0), Leg(11.0, 3.0))
    scene = Scene(level=level, grade=grade, legs=legs, heals_s=15.0, ends_s=32.0, resumes_mps=-2.0)
    record = run_scene(scene)
    assert judge(record) == []
    speeds = [car.vx_mps for car in record.car]
    assert min(speeds) < -1.8
    assert max(speeds) > 1.5
    assert abs(speeds[-1]) < 0.01
