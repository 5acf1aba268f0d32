"""Each planted defect changes what a scene leaves behind: none is planted where nothing runs.

Those of the platform `can` have a test of their own, with the oracle that finds them.
"""

import json
from dataclasses import replace
from functools import cache

import pytest
from vdsim_simulate import record as facts
from vdsim_simulate.planted import OWN, planted
from vdsim_simulate.runs import bits_of, run_scene
from vdsim_simulate.scene import Event, Leg, Scene, Value, scene_from

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

SCENES = {
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


def left_behind(of: Scene) -> tuple[object, ...]:
    """What a person, a log or the car can see of a run, and what the interface keeps."""
    record = run_scene(of)
    answers = tuple(fact.text for fact in record.facts if fact.what == facts.ANSWER)
    logs = (*record.events, *record.control)
    shown = (*record.shown, *record.drivers, *record.kept)
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


def test_nothing_changes_by_itself() -> None:
    assert left_behind(SILENCE) == healthy(SILENCE.to_json())
