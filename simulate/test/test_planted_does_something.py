"""Each planted defect changes what a scene leaves behind: none is planted where nothing runs.

Our own ones of the platform `can` have a test of their own, with the oracle that finds them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import pytest
from vdsim_simulate import record as facts
from vdsim_simulate.morai.car import MoraiCar
from vdsim_simulate.planted import FOREIGN_FOURTH, FOREIGN_THIRD, OWN, planted
from vdsim_simulate.planted.patches import Planted
from vdsim_simulate.runs import bits_of
from vdsim_simulate.scene import Event, Leg, Scene, Value, scene_from
from vdsim_simulate.senders import JOY_PERIOD_S, joy, repeat
from vdsim_simulate.wiring.guarded import Guarded
from vdsim_simulate.world import World

from vdsim_protocol import morai

GEAR_D = 11
"""Of the pad's buttons (config/gamepads/game_controller.yaml)."""
AT_S = 0.9
"""A car that a person asked to engage at 0.5 s is AUTONOMOUS."""
TRIES_AGAIN = (Leg(0.0, 0.0), Leg(1.2, 5.0), Leg(4.5, 0.0), Leg(5.5, 5.0))
BENDS = (Leg(0.0, 5.0), Leg(AT_S, 5.0, 2.0, 0.1))
STANDS = (Leg(0.0, 0.0),)
SETS_OUT = (Leg(0.0, 0.0), Leg(AT_S, 5.0))


def event(name: str, at_s: float = AT_S, **values: Value) -> Event:
    return Event(at_s, name, values)


def scene(
    *events: Event,
    legs: tuple[Leg, ...] = (Leg(0.0, 5.0),),
    ends_s: float = 1.8,
    composition: str = "single",
    grade: float = 0.0,
    mu: float = 0.9,
    mu_left: float | None = None,
) -> Scene:
    return Scene(
        composition=composition,
        start_mps=legs[0].speed_mps,
        legs=legs,
        events=events,
        grade=grade,
        mu=mu,
        mu_left=mu_left,
        heals_s=ends_s,
        ends_s=ends_s,
    )


def dies(at_s: float = AT_S) -> Event:
    return event("decider_dies", at_s, down_s=0.3, hears_s=0.05, heard_s=0.05)


OVERRIDE = scene(event("driver_switch", for_s=0.3), event("engage_again", 1.6), ends_s=2.4)
DOOR = scene(event("door_opens", for_s=0.3), event("engage_again", 1.0))
EMERGENCY = scene(event("emergency_stop"), event("disengage", 1.3))
DISENGAGED = scene(event("disengage"))
SILENCE = scene(event("planner_silent", for_s=2.0))
SLOPE = scene(legs=STANDS, grade=0.2, ends_s=1.0)
PARKED = scene(
    event("door_opens", 0.8, for_s=2.5),
    event("engage_again", 3.5),
    legs=SETS_OUT,
    ends_s=4.5,
)
FORGETS = scene(event("emergency_stop"), dies(1.2), ends_s=2.8)
STALL = scene(event("interface_stalls", for_s=0.07), legs=BENDS)
LONG = scene(event("emergency_stop"), ends_s=5.2)

RAW = replace(scene(event("door_opens", for_s=0.5), legs=BENDS), level="raw")
SLOWS = (Leg(0.0, 8.0), Leg(AT_S, 3.0, 4.0))
RAW_BRAKE = replace(scene(event("door_opens", 1.2, for_s=0.5), legs=SLOWS), level="raw")

SCENES = {
    "raw_passes_in_a_stop": RAW,
    "raw_effort_untold": RAW_BRAKE,
    "raw_angle_is_cut": RAW,
    "switch_unheard": OVERRIDE,
    "switch_stays": OVERRIDE,
    "door_unheard": DOOR,
    "door_stays_open": DOOR,
    "emergency_unheard": EMERGENCY,
    "disengage_unheard": DISENGAGED,
    "give_back_refused": Scene(start_mps=0.0, legs=STANDS, heals_s=0.1, ends_s=4.3),
    "no_reason": scene(event("door_opens", 0.2, for_s=1.0), ends_s=1.0),
    "log_misses_transitions": DISENGAGED,
    "log_misses_stops": scene(event("planner_silent", for_s=1.0), composition="guarded"),
    "log_misses_who": scene(
        event("somebody_drives", source="gamepad", for_s=0.5), composition="guarded"
    ),
    "gate_open": EMERGENCY,
    "stop_weakens": scene(
        event("state_lost", for_s=1.0), legs=(Leg(0.0, 3.0),), grade=-0.2, ends_s=4.0
    ),
    "stop_is_hard": SILENCE,
    "stop_coasts": SILENCE,
    "emergency_dropped": EMERGENCY,
    "emergency_is_soft": FORGETS,
    "emergency_forgotten": FORGETS,
    "wheels_lock": scene(event("emergency_stop"), mu=0.1),
    "brake_map_halved": SLOPE,
    "hold_lets_go": SLOPE,
    "engages_by_itself": DISENGAGED,
    "door_restarts": scene(event("door_opens", for_s=0.3), legs=STANDS),
    "parked_for_ever": PARKED,
    "parked_unknown": PARKED,
    "stall_for_ever": scene(event("interface_stalls", for_s=0.6), event("engage_again", 1.7)),
    "lag_for_ever": scene(event("car_stalls", for_s=0.5), ends_s=13.0),
    "friction_learnt": scene(
        event("commands_lost", 0.95, for_s=2.0), legs=SETS_OUT, grade=0.2, ends_s=4.0
    ),
    "starts_without_end": replace(
        scene(legs=TRIES_AGAIN, grade=0.2, mu=0.6, mu_left=0.3, ends_s=7.0),
        car="compact_fwd",
        laden=1.3,
    ),
    "silence_at_rest": SILENCE,
    "link_never_lost": DISENGAGED,
    "decider_not_watched": scene(dies(), composition="processes"),
    "shell_not_watched": scene(dies(), composition="guarded"),
    "silent_at_rest": SLOPE,
    "source_lives_for_ever": scene(
        event("somebody_drives", source="gamepad", for_s=0.3), ends_s=2.2
    ),
    "gate_steers": STALL,
    "steering_catches_up": STALL,
    "body_at_speed": scene(event("hand_brake_asked")),
    "stranger_owns": scene(event("stranger_commands", for_s=0.5)),
    "car_without_fail_safe": scene(event("commands_lost", for_s=0.5)),
    "leak": LONG,
    "leak_in_the_mux": LONG,
    "leak_in_the_shell": scene(composition="guarded", ends_s=5.2),
}


SETS_OUT_IN_REVERSE = (Leg(0.0, 0.0), Leg(AT_S, -2.0))
AUTONOMY_LOCKED = event("lock_is_set", lock="hold_autonomy", for_s=0.2)
TAKEN_OVER = event("driver_switch", for_s=0.3)

SCENES_OF_THE_THIRD = {
    "bend_is_limited_by_the_speed": scene(
        legs=(Leg(0.0, 8.0), Leg(AT_S, 8.0, 2.0, 0.14)), ends_s=2.0
    ),
    "range_is_swapped": replace(
        scene(legs=(Leg(0.0, 8.0), Leg(AT_S, 0.0, 5.0)), ends_s=1.6), level="vehicle"
    ),
    "start_is_delayed": scene(legs=SETS_OUT, ends_s=2.0),
    "start_lets_go_uphill": scene(legs=SETS_OUT, grade=0.2, ends_s=2.0),
    "slope_of_the_other_gear": scene(legs=SETS_OUT_IN_REVERSE, grade=-0.15, ends_s=2.5),
    "reverse_ends_in_creeping": scene(legs=(Leg(0.0, -2.0), Leg(AT_S, 0.0)), ends_s=2.6),
    "stop_begins_at_what_was_asked": scene(
        event("lock_is_set", 2.0, lock="stop_all", for_s=0.5), legs=SETS_OUT, ends_s=2.6
    ),
    "taper_is_upside_down": replace(
        scene(event("somebody_drives", source="gamepad", for_s=0.5), ends_s=3.0), level="vehicle"
    ),
    "trigger_first_drives_off": scene(legs=(Leg(0.0, 3.0),), ends_s=2.6),
    "reset_lets_autonomy_drive": scene(
        event("emergency_stop"), event("gives_back", 3.0), legs=(Leg(0.0, 3.0),), ends_s=4.0
    ),
    "lock_of_its_own_priority": scene(AUTONOMY_LOCKED),
    "hold_outlasts_the_person": scene(
        event("planner_silent", for_s=9.0),
        event("driver_switch", 5.0, for_s=0.3),
        legs=(Leg(0.0, 2.0),),
        ends_s=5.3,
    ),
    "dead_safety_stage_brakes_a_person": scene(TAKEN_OVER, dies(1.4), composition="processes"),
    "new_process_waits_for_nobody": scene(
        AUTONOMY_LOCKED,
        dies(1.4),
        event("engage_again", 2.4),
        ends_s=3.0,
        composition="guarded",
    ),
    "same_shell_is_another_one": scene(dies(), composition="guarded"),
    "hazard_lamps_need_both": replace(
        scene(event("planner_silent", for_s=2.0), ends_s=2.0), platform="can"
    ),
    "handshake_goes_on_in_silence": replace(
        scene(event("disengage"), event("engage_again", 1.5), ends_s=2.2), platform="can"
    ),
    "stale_message_is_no_fault": replace(
        scene(event("message_lost", message="DBW_PEDALS", for_s=1.0)), platform="can"
    ),
    "rolls_backwards_in_park": scene(dies(), legs=(Leg(0.0, -3.0),)),
    "fail_safe_keeps_the_throttle": scene(
        event("commands_lost", 1.6, for_s=0.5), legs=SETS_OUT, ends_s=2.0
    ),
}


TAKES_THE_WHEEL = event("person_turns_right", 1.0, for_s=0.4)
SCENES_OF_THE_FOURTH = {
    "larger_steer_rate_counts": scene(legs=BENDS),
    "slope_is_turned_in_reverse": scene(legs=(Leg(0.0, -3.0),), grade=0.1),
    "emergency_trusts_an_absent_person": scene(event("emergency_stop", 0.2), ends_s=0.5),
    "open_door_counts_as_rest": replace(
        scene(event("door_opens", for_s=3.0), legs=(Leg(0.0, 2.0),), ends_s=6.0), auto_engage=True
    ),
    "report_is_fresh_until_the_link_is_lost": scene(event("state_lost", for_s=0.5), legs=BENDS),
    "gear_keeps_the_hand_brake": scene(
        event("door_opens", for_s=1.5), event("engage_again", 3.2), legs=STANDS, ends_s=5.0
    ),
    "fail_safe_starts_from_rest": scene(event("commands_lost", 1.2, for_s=0.5), legs=BENDS),
    "late_packet_counts": scene(
        event("link_harmed", direction="CMD", harm="overtakes packets", for_s=2.0), ends_s=3.0
    ),
    "end_of_a_stop_is_not_written": scene(event("planner_silent", for_s=0.8), ends_s=2.5),
    "override_takes_seconds_for_milliseconds": replace(scene(TAKES_THE_WHEEL), platform="can"),
    "stranger_counts_when_he_has_gone": replace(
        scene(event("stranger_on_the_bus", message="DBW_PEDAL_CMD", for_s=0.5)), platform="can"
    ),
    "control_is_never_let_go": replace(
        scene(TAKES_THE_WHEEL, event("engage_again", 2.0), ends_s=2.6),
        composition="guarded",
        platform="can",
    ),
    "acceleration_is_along_the_body": replace(scene(legs=(Leg(0.0, -3.0),)), platform="morai"),
    "keyboard_counts_before_autonomy_only": replace(scene(), platform="morai"),
    "person_is_not_told_to_the_guard": scene(
        event("page_lets_go", for_s=0.5), composition="guarded", ends_s=3.0
    ),
    "lost_guard_shows_autonomy": scene(
        event("guard_dies", how="is killed", down_s=2.0), composition="guarded"
    ),
    "silence_has_the_longer_patience": scene(dies(), composition="processes"),
    "stale_report_is_not_repeated": scene(
        event("state_lost", for_s=0.6), composition="processes", ends_s=2.5
    ),
    "override_of_the_stages_stays": scene(
        event("emergency_stop"),
        event("gives_back", 2.5),
        event("gives_back", 2.8),
        event("engage_again", 3.0),
        legs=(Leg(0.0, 2.0),),
        composition="processes",
        ends_s=4.5,
    ),
    "recovery_counts_the_last_command": scene(
        event("main_dies_and_sub_is_selected", for_s=0.5, late_s=0.05),
        composition="two_computers",
        ends_s=4.0,
    ),
}


def page_pulls_first(world: World) -> None:
    """A person pulls the trigger of the page's pad, and holds the dead-man button after it."""

    def acts(at_s: float, *, holds: bool, pulls: bool) -> None:
        def press() -> None:
            world.interface.desk.joy(*joy(drives=holds, stops=False, pulls=pulls))

        world.agenda.at(at_s, lambda: repeat(world.agenda, JOY_PERIOD_S, 0.2, press))

    acts(1.0, holds=False, pulls=False)
    acts(1.2, holds=False, pulls=True)
    for n in range(6):
        acts(1.4 + 0.2 * n, holds=True, pulls=True)


def page_asks_for_drive(world: World) -> None:
    """A person presses the page's pad for gear D, in a car that was parked."""

    def send(*, presses: bool) -> None:
        axes, buttons = joy(drives=False, stops=False)
        world.interface.desk.joy(axes, (*buttons[:GEAR_D], int(presses), *buttons[GEAR_D + 1 :]))

    for n in range(10):
        world.agenda.at(4.0 + n * JOY_PERIOD_S, partial(send, presses=n >= 5))


def person_takes_the_keyboard(world: World) -> None:
    """Somebody switches MORAI to its keyboard."""
    assert isinstance(world.car, MoraiCar)
    driver = world.car._emulator.driver

    def hold() -> None:
        driver.put(morai.Gear.DRIVE, morai.CtrlMode.KEYBOARD)

    world.agenda.at(1.2, lambda: repeat(world.agenda, 0.001, 0.1, hold))


def nothing(world: World) -> None:
    """Nobody acts beside those of the scene."""


ACTS: dict[str, Callable[[World], None]] = {
    "trigger_first_drives_off": page_pulls_first,
    "gear_keeps_the_hand_brake": page_asks_for_drive,
    "keyboard_counts_before_autonomy_only": person_takes_the_keyboard,
}
"""What no event of a scene does."""


def left_behind(of: Scene, act: Callable[[World], None] = nothing) -> tuple[object, ...]:
    """What a person, a log or the car can see of a run, and what the interface keeps."""
    world = World(of)
    act(world)
    record = world.run()
    answers = tuple(fact.text for fact in record.facts if fact.what == facts.ANSWER)
    logs = (*record.events, *record.control)
    shown = (*record.shown, *record.drivers, *record.lamps, *record.kept)
    if isinstance(world.interface, Guarded):
        shown = (*shown, world.interface.stage.shell.safety_side.mode)
    return bits_of(record), answers, logs, shown


@cache
def healthy(text: str) -> tuple[object, ...]:
    """Several defects share a scene: it runs once without them."""
    return left_behind(scene_from(json.loads(text)))


def test_every_planted_defect_has_a_scene() -> None:
    assert SCENES.keys() == {name for name, row in OWN.items() if row.platform == "vds1"}


@pytest.mark.parametrize("name", SCENES)
def test_a_planted_defect_changes_something(name: str) -> None:
    assert SCENES[name].composition == OWN[name].composition
    before = healthy(SCENES[name].to_json())
    with planted(OWN[name]):
        assert left_behind(SCENES[name]) != before


def places(of: Mapping[str, Planted | Scene]) -> dict[str, tuple[str, str]]:
    return {name: (each.composition, each.platform) for name, each in of.items()}


def test_every_defect_of_the_third_examiner_has_a_scene_of_its_place() -> None:
    assert places(SCENES_OF_THE_THIRD) == places(FOREIGN_THIRD)


@pytest.mark.parametrize("name", SCENES_OF_THE_THIRD)
def test_a_defect_of_the_third_examiner_is_seen(name: str) -> None:
    """On the wire, in the car's motion, or in mode, driver and lamps as they are published."""
    of, act = SCENES_OF_THE_THIRD[name], ACTS.get(name, nothing)
    before = left_behind(of, act)
    with planted(FOREIGN_THIRD[name]):
        after = left_behind(of, act)
    assert (after[0], after[3]) != (before[0], before[3])


def test_every_defect_of_the_fourth_examiner_has_a_scene_of_its_place() -> None:
    assert places(SCENES_OF_THE_FOURTH) == places(FOREIGN_FOURTH)


@pytest.mark.parametrize("name", SCENES_OF_THE_FOURTH)
def test_a_defect_of_the_fourth_examiner_is_seen(name: str) -> None:
    """Outside, or in the event log."""
    of, act = SCENES_OF_THE_FOURTH[name], ACTS.get(name, nothing)
    before = left_behind(of, act)
    with planted(FOREIGN_FOURTH[name]):
        assert left_behind(of, act) != before


def test_nothing_changes_by_itself() -> None:
    assert left_behind(SILENCE) == healthy(SILENCE.to_json())
