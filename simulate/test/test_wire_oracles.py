"""Oracles of the wires, the fail-safe, steering and deceleration: each sees a defect."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from vdsim_simulate.oracles import ORACLES, judge
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

BEND = Scene(
    start_mps=8.0,
    legs=(Leg(0.0, 8.0, 2.0, 0.04), Leg(3.2, 8.0, 2.0, -0.03)),
    heals_s=30.0,
    ends_s=6.0,
)
FAST = Scene(start_mps=16.0, legs=(Leg(0.0, 16.0),), heals_s=30.0, ends_s=7.0)
SLOWS = replace(FAST, level="vehicle", legs=(Leg(0.0, 16.0), Leg(2.0, 5.0)))
REVERSE = Scene(legs=(Leg(0.0, 0.0), Leg(1.0, -4.0, 2.0, 0.06)), heals_s=30.0, ends_s=9.0)
BUS = replace(BEND, platform="can")
USED = Event(2.0, "person_uses", {"control": "the wheel", "for_s": 0.3})
TELLS = Event(3.0, "car_tells_of_a_fault", {"fault": "a fault of its drive", "for_s": 2.0})
STANDS = Event(3.0, "counter_stands", {"message": "DBW_STATUS", "for_s": 2.0})
WRONG = Event(3.0, "checksum_wrong", {"message": "DBW_BODY", "for_s": 2.0})


def _with(scene: Scene, name: str, at_s: float = 3.0, **values: Any) -> Scene:
    return replace(scene, events=(Event(at_s, name, values),))


FOUND_BY: dict[str, tuple[str, Scene]] = {
    "fail_safe_straightens": (
        "the_fail_safe_brakes_and_holds_the_wheels",
        _with(BEND, "commands_lost", for_s=1.0),
    ),
    "rolling_car_is_free": (
        "the_fail_safe_brakes_and_holds_the_wheels",
        _with(FAST, "stranger_waits", 2.0, for_s=4.0),
    ),
    "blind_car_steers_on": ("a_stop_keeps_the_wheels", _with(BEND, "state_lost", for_s=1.5)),
    "dead_safety_stage_straightens_the_wheels": (
        "a_stop_keeps_the_wheels",
        _with(
            replace(BEND, composition="processes"),
            *("decider_dies", 3.0),
            **{"down_s": 2.0, "hears_s": 0.1, "heard_s": 0.1},
        ),
    ),
    "trim_grows_in_reverse": ("a_bend_has_the_curvature_that_is_asked", REVERSE),
    "stop_trusts_the_pedal_map": (
        "a_stop_reaches_its_deceleration",
        _with(replace(FAST, laden=1.3), "emergency_stop", 2.0),
    ),
    "right_hand_is_not_felt": (
        "a_person_at_the_controls_drives",
        _with(BUS, "person_turns_right", for_s=1.0),
    ),
    "person_of_before_has_the_stop": (
        "an_emergency_stop_is_sent",
        replace(FAST, platform="can", events=(USED, Event(4.0, "emergency_stop")), ends_s=6.0),
    ),
    "bus_no_fault": ("a_fault_on_the_bus_ends_autonomy", replace(BUS, events=(TELLS,))),
    "standing_counter_passes": (
        "a_fault_on_the_bus_ends_autonomy",
        replace(BUS, events=(STANDS,)),
    ),
    "bus_checksum": ("a_fault_on_the_bus_ends_autonomy", replace(BUS, events=(WRONG,))),
}


@pytest.mark.parametrize("defect", FOUND_BY)
def test_a_planted_defect_is_seen_and_a_healthy_run_is_well(defect: str) -> None:
    oracle, scene = FOUND_BY[defect]
    assert judge(run_scene(scene)) == []
    with planted(PLANTED[defect]):
        assert any(ORACLES[oracle](run_scene(scene)))


Change = Callable[[Record], None]


def _each(name: str, **values: Any) -> Change:
    """Return what changes the rows of a list of a record from its middle on."""

    def change(record: Record) -> None:
        rows = getattr(record, name)
        half_n = len(rows) // 2
        changed = [row._replace(**{k: f(row) for k, f in values.items()}) for row in rows[half_n:]]
        setattr(record, name, [*rows[:half_n], *changed])

    return change


def _told(record: Record) -> None:
    record.states = [told._replace(yaw_rate_radps=-told.yaw_rate_radps) for told in record.states]


def _without(message: str) -> Change:
    def change(record: Record) -> None:
        record.frames = [f for f in record.frames if f.message != message or f.time_s < 3.0]

    return change


def _twice(record: Record) -> None:
    record.frames = [frame for frame in record.frames for _ in (1, 2)]


def _meets_late(record: Record) -> None:
    record.met = dict.fromkeys(record.met, 4.0)


@pytest.mark.parametrize(
    ("oracle", "scene", "change"),
    [
        (
            *("each_packet_has_the_next_number", BEND),
            _each("headers", number=lambda row: row.number + 1),
        ),
        (
            *("each_packet_has_the_next_number", BEND),
            _each("headers", stamp_s=lambda row: row.stamp_s - 1.0),
        ),
        (
            *("commands_have_the_version_of_the_reports", BEND),
            _each("headers", version=lambda row: 3),
        ),
        ("reports_tell_the_motion", BEND, _told),
        ("frames_keep_their_cycle", BUS, _without("DBW_BODY_CMD")),
        ("frames_keep_their_cycle", BUS, _twice),
        ("nothing_is_sent_to_a_car_that_is_not_known", BUS, _meets_late),
        (
            *("acceleration_rises_with_its_jerk", SLOWS),
            _each("car", accel_mps2=lambda row: row.accel_mps2 + 3.0),
        ),
        (
            *("the_acceleration_is_the_one_that_is_asked_for", SLOWS),
            _each("car", vx_mps=lambda row: row.vx_mps + 1.0 * (row.time_s - 3.5)),
        ),
        (
            *("a_safe_stop_grows_with_its_jerk", _with(FAST, "planner_silent", for_s=3.0)),
            _each("car", vx_mps=lambda row: row.vx_mps - 4.0 * min(row.time_s - 3.0, 1.0)),
        ),
        (
            *("the_wheels_are_not_led_too_far", BEND),
            _each("packets", steer_rad=lambda row: row.steer_rad + 0.4),
        ),
        (
            *("nothing_is_sent_before_anybody_asks", BEND),
            lambda record: record.packets.insert(0, record.packets[0]._replace(time_s=0.1)),
        ),
    ],
)
def test_what_must_not_be_is_seen(oracle: str, scene: Scene, change: Change) -> None:
    record = run_scene(scene)
    assert not list(ORACLES[oracle](record))
    change(record)
    assert any(ORACLES[oracle](record))


@pytest.mark.parametrize("platform", ["vds1", "can"])
@pytest.mark.parametrize("composition", ["single", "guarded", "processes"])
def test_wheels_stay_when_a_lost_link_ends_autonomy(platform: str, composition: str) -> None:
    """The angle of the last report is older than what was sent until the stop began."""
    scene = Scene(
        platform=platform,
        composition=composition,
        actuator="passenger_car",
        start_mps=13.0,
        legs=(Leg(0.0, 13.0), Leg(2.85, 13.0, 2.0, 0.02)),
        events=(Event(3.0, "state_lost", {"for_s": 2.0}),),
        heals_s=30.0,
        ends_s=5.5,
    )
    assert judge(run_scene(scene)) == []
