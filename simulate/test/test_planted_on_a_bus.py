"""Each defect that is planted into the platform `can` is found in a scene that needs the part."""

import pytest
from vdsim_simulate.oracles import judge
from vdsim_simulate.planted import OWN, planted
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import AFTERWARDS_S, Event, Leg, Scene

BEGINS_S = 2.5
NOTHING: tuple[Event, ...] = ()
PARKS = (
    Event(BEGINS_S, "door_opens", {"for_s": 3.5}),
    Event(8.0, "decider_dies", {"down_s": 0.3, "hears_s": 0.05, "heard_s": 0.05}),
)
FOUND_BY: dict[str, tuple[str, tuple[Event, ...]]] = {
    "bus_checksum": (
        "a_fault_on_the_bus_ends_autonomy",
        (Event(BEGINS_S, "checksum_wrong", {"message": "DBW_BODY", "for_s": 2.0}),),
    ),
    "bus_counter": (
        "a_fault_on_the_bus_ends_autonomy",
        (Event(BEGINS_S, "counter_stands", {"message": "DBW_STATUS", "for_s": 2.0}),),
    ),
    "bus_stranger": (
        "nobody_sends_beside_a_stranger",
        (Event(BEGINS_S, "stranger_on_the_bus", {"message": "DBW_STEER_CMD", "for_s": 2.0}),),
    ),
    "bus_never_stale": (
        "a_fault_on_the_bus_ends_autonomy",
        (Event(BEGINS_S, "message_lost", {"message": "DBW_PEDALS", "for_s": 2.0}),),
    ),
    "bus_no_override": (
        "a_person_at_the_controls_drives",
        (Event(BEGINS_S, "person_uses", {"control": "the wheel", "for_s": 2.0}),),
    ),
    "bus_no_fault": (
        "a_fault_on_the_bus_ends_autonomy",
        (
            Event(BEGINS_S, "car_reports_a_fault", {"for_s": 2.4}),
            Event(BEGINS_S + 1.2, "engage_again", {}),
        ),
    ),
    "parked_forgotten": ("drives_again", PARKS),
    "bus_handshake_skipped": ("the_car_is_enabled_in_two_frames", NOTHING),
    "bus_keeps_enabled": (
        "autonomous_means_that_the_car_is_driven",
        (Event(BEGINS_S, "commands_lost", {"for_s": 0.3}),),
    ),
    "bus_frozen_counter": ("frames_count_and_are_protected", NOTHING),
    "bus_pedals_before_enable": ("without_enable_a_frame_asks_for_nothing", NOTHING),
    "bus_off_ignored": (
        "nothing_is_sent_off_the_bus",
        (Event(BEGINS_S, "controller_off_the_bus", {"for_s": 2.0}),),
    ),
    "bus_wrong_sign": ("the_car_turns_to_the_side_that_is_asked", NOTHING),
}


def scene(events: tuple[Event, ...]) -> Scene:
    ends_s = BEGINS_S + 2.5 if events else BEGINS_S + 1.0
    heals_s = ends_s + 1.0
    if events is PARKS:  # it shows when the car is to drive again
        heals_s, ends_s = 9.0, 9.0 + AFTERWARDS_S
    return Scene(
        platform="can",
        start_mps=4.0,
        legs=(Leg(0.0, 4.0), Leg(1.5, 4.0, curvature_1pm=0.05)),
        events=events,
        heals_s=heals_s,
        ends_s=ends_s,
    )


def test_every_planted_defect_of_the_bus_has_a_scene() -> None:
    assert FOUND_BY.keys() == {name for name, row in OWN.items() if row.platform == "can"}


@pytest.mark.parametrize("name", FOUND_BY)
def test_a_planted_defect_of_the_bus_is_found(name: str) -> None:
    oracle, events = FOUND_BY[name]
    assert judge(run_scene(scene(events))) == []
    with planted(OWN[name]):
        found = {violation.oracle for violation in judge(run_scene(scene(events)))}
    assert oracle in found
