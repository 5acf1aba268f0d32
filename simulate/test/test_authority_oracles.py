"""Who may engage and drive, and what the wire must discard: each oracle sees a planted defect."""

from dataclasses import replace

import pytest
from vdsim_simulate import record as facts
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

DRIVE = Scene(legs=(Leg(0.0, 8.0),), start_mps=8.0, heals_s=20.0, ends_s=8.0)
STOPS = replace(DRIVE, legs=(Leg(0.0, 3.0), Leg(2.0, 0.0, 4.0), Leg(5.2, 3.0)), start_mps=3.0)
RESTARTS = {"down_s": 0.3, "hears_s": 0.05, "heard_s": 0.05}
PRESSED = Event(2.0, "emergency_stop")
WEAVES = tuple(Leg(0.5 * n, 5.0, 2.0, 0.03 if n % 2 else -0.03) for n in range(16))


def with_events(scene: Scene, *events: Event, composition: str = "single") -> Scene:
    return replace(scene, events=events, composition=composition)


ROWS = {
    "autonomy_is_shown_only_after_an_engagement": (
        "stall_is_only_reported",
        with_events(DRIVE, Event(3.0, "interface_stalls", {"for_s": 0.9})),
    ),
    "each_stop_is_told": (
        "stall_is_only_reported",
        with_events(DRIVE, Event(3.0, "interface_stalls", {"for_s": 0.9}), composition="guarded"),
    ),
    "nobody_engages_against_what_forbids_it": (
        "emergency_forgotten",
        with_events(
            STOPS,
            PRESSED,
            Event(3.5, "decider_dies", RESTARTS),
            Event(4.5, "engage_again"),
        ),
    ),
    "the_stack_waits_for_give_back": (
        "one_give_back_drives",
        with_events(STOPS, PRESSED, Event(4.0, "gives_back"), Event(4.6, "engage_again")),
    ),
    "who_has_fallen_silent_commands_no_more": (
        "source_lives_for_ever",
        with_events(STOPS, Event(2.5, "somebody_drives", {"source": "gamepad", "for_s": 1.0})),
    ),
    "autonomy_ends_for_a_reason": (
        "heartbeat_is_no_life",
        with_events(DRIVE, Event(5.0, "state_lost", {"for_s": 0.7}), composition="processes"),
    ),
    "late_reports_are_no_reports": (
        "lag_is_forgiven",
        with_events(DRIVE, Event(3.0, "reports_late", {"late_s": 0.5, "for_s": 4.0})),
    ),
    "an_overtaken_report_is_not_used": (
        "late_packet_is_used",
        with_events(
            DRIVE,
            Event(
                3.0,
                "link_harmed",
                {"direction": "STATE", "harm": "overtakes packets", "for_s": 3.0},
            ),
        ),
    ),
    "the_car_does_what_the_newest_packet_says": (
        "late_packet_is_used",
        with_events(
            replace(DRIVE, legs=WEAVES, start_mps=5.0),
            Event(
                3.0, "link_harmed", {"direction": "CMD", "harm": "overtakes packets", "for_s": 3.0}
            ),
        ),
    ),
    "memory_does_not_grow": (
        "frames_for_nobody",
        with_events(
            DRIVE,
            Event(3.0, "decider_dies", {**RESTARTS, "down_s": 4.0}),
            composition="guarded",
        ),
    ),
}


@pytest.mark.parametrize("oracle", ROWS)
def test_an_oracle_sees_a_planted_defect_and_a_healthy_run_holds(oracle: str) -> None:
    defect, scene = ROWS[oracle]
    assert list(ORACLES[oracle](run_scene(scene))) == []
    with planted(PLANTED[defect]):
        assert list(ORACLES[oracle](run_scene(scene)))


def held() -> Record:
    return run_scene(with_events(DRIVE, Event(2.0, "state_lost", {"for_s": 2.5})))


def test_a_hold_without_packets_or_without_a_brake_is_seen() -> None:
    oracle, record = ORACLES["a_hold_lasts_until_a_person_acts"], held()
    assert list(oracle(record)) == []
    every = record.packets
    record.packets = [packet for packet in every if packet.time_s < 5.0]
    assert "no packet" in next(oracle(record)).text
    record.packets = [packet._replace(brake=0.0) for packet in every]
    assert "no brake" in next(oracle(record)).text


def test_a_source_that_sends_and_is_not_in_command_is_seen() -> None:
    oracle = ORACLES["the_highest_source_commands"]
    drives = Event(3.0, "somebody_drives", {"source": "gamepad", "for_s": 2.0})
    record = run_scene(with_events(STOPS, drives))
    assert list(oracle(record)) == []
    record.drivers = [(3.0, "autonomy")]
    assert "autonomy commands" in next(oracle(record)).text


def test_a_request_that_waited_for_a_process_must_be_refused() -> None:
    oracle = ORACLES["nobody_engages_against_what_forbids_it"]
    scene = with_events(
        DRIVE,
        Event(2.0, "disengage"),
        Event(3.0, "interface_stalls", {"for_s": 0.8}),
        Event(3.4, "engage_again"),
    )
    record = run_scene(scene)
    assert list(oracle(record)) == []
    answers = [n for n, fact in enumerate(record.facts) if fact.what == facts.ANSWER]
    assert "refused" in record.facts[answers[-1]].text
    record.facts[answers[-1]] = record.facts[answers[-1]]._replace(what=facts.ENGAGED)
    record.derived.clear()
    assert "in a process that did not run" in next(oracle(record)).text


def test_a_drive_while_a_lock_is_set_is_seen() -> None:
    oracle = ORACLES["a_lock_keeps_the_stack_out"]
    locked = Event(3.0, "lock_is_set", {"lock": "hold_autonomy", "for_s": 2.5})
    record = run_scene(with_events(DRIVE, locked))
    assert list(oracle(record)) == []
    record.packets = [packet._replace(throttle=0.2) for packet in record.packets]
    assert "hold_autonomy is set" in next(oracle(record)).text


def test_a_process_that_brakes_beside_a_person_is_seen() -> None:
    oracle = ORACLES["a_new_process_leaves_a_person_alone"]
    events = Event(2.0, "disengage"), Event(4.0, "decider_dies", RESTARTS)
    record = run_scene(with_events(DRIVE, *events))
    assert list(oracle(record)) == []
    record.packets.append(record.packets[-1]._replace(time_s=5.5, brake=0.3))
    assert "has started again" in next(oracle(record)).text


def test_a_handshake_without_an_end_or_a_command_is_seen() -> None:
    oracle, record = ORACLES["a_handshake_ends_and_needs_both_sides"], run_scene(DRIVE)
    assert list(oracle(record)) == []
    shown = record.shown
    record.shown = [(0.0, "MANUAL"), (1.0, "NOT_READY")]
    assert "NOT_READY for" in next(oracle(record)).text
    record.shown = shown
    record.facts = [fact for fact in record.facts if fact.what != facts.COMMAND]
    assert "no command has come" in next(oracle(record)).text
    record.facts = [fact for fact in run_scene(DRIVE).facts if fact.what != facts.STATE]
    assert "no report has come" in next(oracle(record)).text


def test_the_page_drives_and_stops_when_its_button_is_let_go() -> None:
    record = run_scene(with_events(STOPS, Event(3.0, "page_lets_go", {"for_s": 1.5})))
    drives = [packet.time_s for packet in record.packets if packet.throttle and packet.time_s > 3.0]
    assert "dashboard" in {who for _, who in record.drivers}
    assert drives
    assert 4.0 < drives[-1] < 4.6
