"""Defects of the third examiner that its search did not find: an oracle sees each in its scene."""

from dataclasses import replace
from typing import Any

import pytest
from vdsim_simulate.oracles import ORACLES, judge
from vdsim_simulate.planted import FOREIGN_THIRD, planted
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

DRIVE = Scene(legs=(Leg(0.0, 5.0),), start_mps=5.0, heals_s=30.0, ends_s=8.0)
FAST = replace(DRIVE, legs=(Leg(0.0, 8.0),), start_mps=8.0)


def legs(*of: tuple[float, ...], **values: Any) -> Scene:
    """Return a scene that starts at the speed of its first leg, forward."""
    every = tuple(Leg(*each) for each in of)
    return replace(DRIVE, legs=every, start_mps=max(every[0].speed_mps, 0.0), **values)


def event(at_s: float, name: str, **values: Any) -> Event:
    return Event(at_s, name, values)


def dies(at_s: float, down_s: float = 0.5) -> Event:
    return event(at_s, "decider_dies", down_s=down_s, hears_s=0.1, heard_s=0.1)


ROWS: dict[str, tuple[str, Scene]] = {
    "bend_is_limited_by_the_speed": (
        "lateral_acceleration_keeps_its_limit",
        legs((0.0, 8.0), (2.0, 8.0, 2.0, 0.1), ends_s=4.0),
    ),
    "range_is_swapped": (
        "the_acceleration_is_the_one_that_is_asked_for",
        legs((0.0, 16.0), (2.0, 0.0, 6.0), level="vehicle", ends_s=6.0),
    ),
    "reverse_ends_in_creeping": (
        "a_stop_that_is_asked_for_ends_at_rest",
        legs((0.0, 0.0), (1.0, -2.0), (5.0, 0.0), ends_s=11.0),
    ),
    "stop_begins_at_what_was_asked": (
        "a_lock_keeps_the_stack_out",
        legs(
            (0.0, 0.0),
            (1.0, 13.0),
            events=(event(3.0, "lock_is_set", lock="stop_all", for_s=2.0),),
        ),
    ),
    "hold_outlasts_the_person": (
        "a_person_who_has_the_car_has_it_alone",
        replace(
            FAST,
            events=(
                event(2.0, "state_lost", for_s=1.5),
                event(5.0, "driver_switch", for_s=0.5),
            ),
        ),
    ),
    "new_process_waits_for_nobody": (
        "the_stack_waits_for_give_back",
        replace(
            DRIVE,
            composition="guarded",
            events=(
                event(2.0, "lock_is_set", lock="hold_autonomy", for_s=0.3),
                dies(3.0),
                event(5.0, "engage_again"),
            ),
        ),
    ),
    "same_shell_is_another_one": (
        "each_packet_has_the_next_number",
        replace(DRIVE, composition="guarded", events=(dies(2.0),), ends_s=5.0),
    ),
    "dead_safety_stage_brakes_a_person": (
        "a_person_who_has_the_car_has_it_alone",
        replace(
            FAST,
            composition="processes",
            events=(event(2.0, "disengage"), dies(3.0, 1.0)),
            ends_s=5.0,
        ),
    ),
    "trigger_first_drives_off": (
        "a_throttle_that_was_pressed_first_moves_nothing",
        replace(DRIVE, events=(event(2.0, "page_was_held", first="trigger", for_s=3.0),)),
    ),
    "handshake_goes_on_in_silence": (
        "an_accepted_request_leads_to_autonomy",
        replace(
            DRIVE,
            platform="can",
            events=(event(2.0, "disengage"), event(2.1, "engage_again")),
        ),
    ),
    "hazard_lamps_need_both": (
        "hazard_lamps_flash_in_a_stop",
        replace(DRIVE, platform="can", events=(event(4.0, "planner_silent", for_s=2.0),)),
    ),
    "rolls_backwards_in_park": (
        "no_hand_brake_at_speed",
        legs((0.0, 0.0), (1.0, -4.0), events=(dies(5.0, 0.3),)),
    ),
}


@pytest.mark.parametrize("defect", ROWS)
def test_a_planted_defect_is_seen_and_a_healthy_run_is_well(defect: str) -> None:
    oracle, scene = ROWS[defect]
    assert judge(run_scene(scene)) == []
    with planted(FOREIGN_THIRD[defect]):
        assert any(ORACLES[oracle](run_scene(scene)))


@pytest.mark.parametrize("grade", [0.0, -0.1])
def test_a_brake_that_ends_with_the_pedal_map_gives_a_laden_car_less(grade: float) -> None:
    """MORAI reports neither load nor slope: with less than that, an emergency stop is too weak."""
    pressed = (event(2.0, "emergency_stop"),)
    scene = legs((0.0, 13.0), platform="morai", cmd_type="pedals", events=pressed, ends_s=5.0)
    scene = replace(scene, grade=grade, laden=1.3)
    record = run_scene(scene)
    assert judge(record) == []
    record.scene = replace(scene, laden=1.0, grade=0.0)
    record.derived.clear()
    assert any(ORACLES["a_stop_reaches_its_deceleration"](record))
