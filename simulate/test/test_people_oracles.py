"""Requests, modes, parking, the arbiter: each oracle sees a planted defect.

Where no row of `planted` breaks what the oracle asks, the defect is planted here.
"""

import importlib
import json
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.arbitration import safe_stop
from vdsim_interface.arbitration.give_back import GiveBack
from vdsim_interface.arbitration.mux import CommandMux
from vdsim_interface.extras.redundancy.selector import Selector
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.safety.engagement import Engagement, NewRequest
from vdsim_interface.safety.gearbox import Gearbox
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.values import Notice, notice_kinds
from vdsim_simulate import record as facts
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.planted.patches import Patch, Planted, edited
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import COMPOSITIONS, Event, Leg, Scene

SAFETY = importlib.import_module("vdsim_interface.safety.safety")
ENGAGEMENT = importlib.import_module("vdsim_interface.safety.engagement")
DRIVE = Scene(legs=(Leg(0.0, 5.0),), start_mps=5.0, heals_s=20.0, ends_s=6.0)
STOPS = replace(DRIVE, legs=(Leg(0.0, 3.0), Leg(1.5, 0.0, 4.0)), start_mps=3.0)
STANDS = replace(DRIVE, legs=(Leg(0.0, 0.0),), start_mps=0.0)
FALLS_SILENT = Event(2.0, "somebody_drives", {"source": "gamepad", "for_s": 1.0})


def with_events(scene: Scene, *events: Event, ends_s: float = 0.0, **values: Any) -> Scene:
    return replace(scene, events=events, ends_s=ends_s or scene.ends_s, **values)


def always(value: object) -> Any:
    return lambda before: lambda *args, **kwargs: value


def of(owner: Any, name: str, make: Any) -> Planted:
    return Planted("planted by this test", (Patch(owner, name, make),))


def text_of(owner: Any, name: str, *changes: tuple[str, str]) -> Planted:
    return of(owner, name, edited(*changes))


HAND_BRAKE_REFUSED = Notice(notice_kinds.HAND_BRAKE_MOVING, "refused")
ROWS: dict[str, tuple[str | Planted, Scene]] = {
    "braking_never_ends_in_reverse": (
        "braking_ends_in_reverse",
        replace(
            DRIVE, level="vehicle", holds_by_brake=True, legs=(Leg(0.0, 5.0), Leg(3.0, 0.0, 4.0))
        ),
    ),
    "a_gear_that_is_asked_for_is_taken": (
        "gear_that_fits_is_refused",
        with_events(DRIVE, Event(2.0, "neutral_and_back", {"gear": "DRIVE", "later_s": 0.6})),
    ),
    "no_gear_is_left_without_a_request": (
        text_of(
            Gearbox,
            "_try_pending",
            ("self._pinned = drive_direction(requested) == 0", "self._pinned = False"),
        ),
        with_events(
            replace(STOPS, legs=(*STOPS.legs, Leg(4.0, 3.0))),
            Event(3.2, "gear_asked", {"gear": "NEUTRAL"}),
        ),
    ),
    "a_hand_brake_that_is_asked_for_is_set": (
        of(SAFETY, "hand_brake_refusal", always(HAND_BRAKE_REFUSED)),
        with_events(STOPS, Event(4.0, "hand_brake_asked")),
    ),
    "what_the_page_asks_is_answered": (
        of(Intake, "on_mode_answer", always(None)),
        with_events(STOPS, Event(4.0, "page_asks", {"button": "engage"})),
    ),
    "engaging_is_refused_for_a_reason_that_is_there": (
        of(SAFETY, "unmet_preconditions", always("the moon is full")),
        STANDS,
    ),
    "an_accepted_request_leads_to_autonomy": (
        of(ENGAGEMENT, "handshake_missing", always("a report")),
        STANDS,
    ),
    "an_emergency_stop_is_reset_at_rest_only": (
        of(GiveBack, "refusal", always("")),
        with_events(DRIVE, Event(2.0, "emergency_stop"), Event(2.3, "gives_back")),
    ),
    "giving_back_is_refused_for_a_reason_that_is_there": (
        "give_back_refused",
        with_events(STOPS, Event(2.0, "emergency_stop"), Event(4.5, "gives_back")),
    ),
    "the_status_says_no_mode_that_is_over": (
        "lost_guard_shows_autonomy",
        replace(
            with_events(DRIVE, Event(2.0, "guard_dies", {"how": "is killed", "down_s": 1.5})),
            composition="guarded",
        ),
    ),
    "a_button_that_was_held_moves_nothing": (
        of(Gamepad, "_may_drive", always(True)),
        with_events(DRIVE, Event(2.0, "page_was_held", {"for_s": 1.5})),
    ),
    "who_may_drive_drives": (
        "release_is_lost_at_the_gate",
        with_events(
            replace(STOPS, legs=(*STOPS.legs, Leg(6.0, 3.0))),
            Event(2.5, "emergency_stop"),
            Event(4.0, "state_lost", {"for_s": 0.8}),
            Event(4.3, "gives_back"),
            Event(4.5, "gives_back"),
            Event(5.6, "engage_again"),
            ends_s=12.5,
        ),
    ),
    "each_mode_follows_as_the_table_says": (
        text_of(
            Engagement,
            "handle",
            (
                "self._machine.handle(event)",
                "self._machine.handle(ModeEvent.OVERRIDE if "
                "event is ModeEvent.DISENGAGE else event)",
            ),
        ),
        with_events(DRIVE, Event(3.0, "disengage"), ends_s=4.0),
    ),
    "an_open_door_at_rest_ends_autonomy": (
        "door_unheard",
        with_events(STOPS, Event(4.0, "door_opens", {"for_s": 1.8})),
    ),
    "a_door_that_closes_is_no_request_to_drive": (
        of(NewRequest, "step", always(True)),
        with_events(
            replace(STOPS, auto_engage=True, legs=(*STOPS.legs, Leg(4.2, 3.0))),
            Event(3.5, "door_opens", {"for_s": 1.0}),
        ),
    ),
    "after_a_loss_in_motion_lower_sources_wait": (
        text_of(
            CommandMux,
            "_on_loss",
            ("must_stop = ", "must_stop = False and "),
        ),
        with_events(
            DRIVE, FALLS_SILENT, Event(2.5, "somebody_drives", {"source": "remote", "for_s": 3.0})
        ),
    ),
    "a_source_that_is_lost_stops_the_car": (
        of(safe_stop, "_braking_accel", always(-0.05)),
        with_events(replace(DRIVE, level="vehicle"), FALLS_SILENT, ends_s=12.0),
    ),
    "a_shell_that_ends_ends_autonomy_at_once": (
        "shell_not_watched",
        with_events(
            DRIVE,
            Event(2.0, "decider_dies", {"down_s": 2.0, "hears_s": 0.1, "heard_s": 0.1}),
            composition="guarded",
            ends_s=3.0,
        ),
    ),
    "whoever_holds_the_car_parks_it": (
        "dead_safety_stage_never_parks",
        with_events(
            DRIVE,
            Event(2.0, "decider_dies", {"down_s": 5.0, "hears_s": 0.1, "heard_s": 0.1}),
            composition="processes",
            ends_s=6.5,
        ),
    ),
    "parked_only_after_a_rest": (
        "parked_at_first_touch",
        with_events(
            DRIVE,
            Event(2.0, "planner_silent", {"for_s": 5.0}),
            Event(5.2, "state_lost", {"for_s": 0.9}),
            ends_s=7.0,
        ),
    ),
    "the_highest_source_commands": (
        "who_gave_back_cannot_take_over",
        with_events(
            DRIVE,
            Event(
                2.0,
                "gives_back_and_drives_again",
                {"source": "gamepad", "for_s": 1.0, "later_s": 0.5},
            ),
        ),
    ),
    "the_selected_computer_drives": (
        of(Selector, "allows", lambda before: lambda self, name: name == "main"),
        with_events(
            replace(DRIVE, legs=(Leg(0.0, 5.0, 2.0, 0.03),)),
            Event(1.0, "sub_is_selected", {"for_s": 5.0}),
            composition="two_computers",
        ),
    ),
    "autonomy_ends_for_a_reason": (
        "silence_ends_autonomy_in_motion",
        with_events(
            replace(DRIVE, legs=(Leg(0.0, 13.0),), start_mps=13.0),
            Event(2.0, "planner_silent", {"for_s": 3.0}),
        ),
    ),
}


@pytest.mark.parametrize("oracle", ROWS)
def test_an_oracle_sees_a_planted_defect_and_a_healthy_run_holds(oracle: str) -> None:
    defect, scene = ROWS[oracle]
    assert list(ORACLES[oracle](run_scene(scene))) == []
    with planted(PLANTED[defect] if isinstance(defect, str) else defect):
        assert list(ORACLES[oracle](run_scene(scene)))


def test_park_by_the_first_report_of_a_process_is_no_hand_brake_too_early() -> None:
    dies = Event(3.0, "decider_dies", {"down_s": 1.0, "hears_s": 0.1, "heard_s": 0.1})
    deaf = Event(2.5, "state_lost", {"for_s": 3.0})
    record = run_scene(with_events(DRIVE, deaf, dies, rig="driverless", ends_s=7.0))
    assert not list(ORACLES["parked_only_after_a_rest"](record))
    first = next(n for n, packet in enumerate(record.packets) if packet.hand_brake)
    record.packets[first - 20 : first] = [
        packet._replace(hand_brake=True) for packet in record.packets[first - 20 : first]
    ]
    assert list(ORACLES["parked_only_after_a_rest"](record))


def test_a_car_whose_reports_contradict_what_is_sent_is_parked_later() -> None:
    lost = Event(3.0, "commands_lost", {"for_s": 2.8})
    fast = replace(DRIVE, legs=(Leg(0.0, 8.0),), start_mps=8.0, level="vehicle", grade=0.2)
    scene = with_events(fast, lost, rig="driverless", ends_s=7.5)
    assert not list(ORACLES["whoever_holds_the_car_parks_it"](run_scene(scene)))


def test_a_hand_brake_that_is_released_for_nobody_is_seen() -> None:
    silent = Event(1.5, "planner_silent", {"for_s": 4.5})
    record = run_scene(with_events(STANDS, silent, rig="driverless"))
    oracle = ORACLES["a_hand_brake_is_released_to_drive"]
    assert list(oracle(record)) == []
    assert record.packets[-1].hand_brake
    record.packets = [
        p._replace(hand_brake=p.hand_brake and p.time_s < 5.0) for p in record.packets
    ]
    assert "nobody has asked to drive" in next(oracle(record)).text


def test_a_turn_signal_that_goes_out_is_seen() -> None:
    asked = Event(1.0, "turn_signal_asked", {"side": "LEFT"})
    record = run_scene(with_events(DRIVE, asked))
    oracle = ORACLES["the_turn_signal_is_the_one_that_is_asked"]
    assert list(oracle(record)) == []
    record.lamps = record.lamps[:1]
    assert "OFF is shown" in next(oracle(record)).text


def test_an_interface_that_tries_again_at_once_is_seen() -> None:
    record = run_scene(replace(STANDS, auto_engage=True))
    oracle = ORACLES["auto_engage_engages_where_it_may"]
    assert list(oracle(record)) == []
    modes = "AUTONOMOUS", "DISENGAGED", "AUTONOMOUS", "DISENGAGED", "AUTONOMOUS"
    record.shown = [*zip((0.2, 2.0, 4.0, 4.3, 4.6), modes, strict=True)]
    assert "it engages again" in next(oracle(record)).text
    record.shown = [(0.0, "MANUAL")]
    assert "after the first command" in next(oracle(record)).text


def stopped() -> Record:
    return run_scene(
        with_events(
            DRIVE,
            Event(2.0, "emergency_stop"),
            Event(4.0, "driver_switch", {"for_s": 0.5}),
            ends_s=5.0,
        )
    )


def test_an_emergency_stop_that_is_not_in_the_event_log_is_seen() -> None:
    oracle, record = ORACLES["an_emergency_stop_is_in_the_event_log"], stopped()
    assert list(oracle(record)) == []
    record.events = [line for line in record.events if json.loads(line)["kind"] != "emergency_stop"]
    assert "not in the event log" in next(oracle(record)).text


def test_a_record_of_what_has_not_happened_is_seen() -> None:
    oracle, record = ORACLES["what_ended_autonomy_is_in_the_event_log"], stopped()
    assert list(oracle(record)) == []
    record.facts = [fact for fact in record.facts if fact.what != facts.SWITCH_ON]
    record.derived.clear()
    assert "override" in next(oracle(record)).text


@pytest.mark.parametrize(
    "events",
    [
        (Event(2.0, "lock_is_set", {"lock": "stop_all", "for_s": 2.0}), Event(6.0, "gives_back")),
        (FALLS_SILENT, Event(7.0, "gives_back")),
        (Event(2.0, "emergency_stop"), Event(5.0, "gives_back"), Event(6.0, "gives_back")),
    ],
)
def test_a_stack_that_holds_the_car_with_its_brake_may_be_given_back(
    events: tuple[Event, ...],
) -> None:
    legs = Leg(0.0, 5.0), Leg(2.5, 0.0, 4.0), Leg(8.5, 3.0)
    scene = replace(DRIVE, level="vehicle", holds_by_brake=True, legs=legs)
    record = run_scene(with_events(scene, *events, ends_s=11.0))
    assert {packet.gear for packet in record.packets} <= {0, 1}
    assert record.car[-1].vx_mps > 1.0


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_the_page_is_told_what_the_interface_answers(composition: str) -> None:
    asks = [Event(at_s, "page_asks", {"button": button}) for at_s, button in PRESSES]
    scene = with_events(STANDS, Event(1.5, "emergency_stop"), *asks, composition=composition)
    record = run_scene(scene)
    answers = [fact.text for fact in record.facts if fact.what == facts.ANSWER]
    assert answers[1:] == [
        "engage: refused, emergency stop by a person: give_back resets it",
        "give back: accepted, the emergency stop is reset; give_back again lets autonomy drive",
        "give back: accepted, control is given back to autonomy",
        "engage: accepted, already engaged",
    ]
    told = [text for _, _, text in record.told if text.startswith("dashboard: ")]
    for answer in answers[1:]:
        assert any(text.endswith(answer.partition(", ")[2]) for text in told), answer


PRESSES = ((2.0, "engage"), (3.0, "give_back"), (4.0, "give_back"), (5.0, "engage"))
