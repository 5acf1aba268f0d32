"""Every fault of the table runs, and what the oracles were made for breaks them."""

from dataclasses import replace
from itertools import pairwise

import pytest
from vdsim_simulate import record as facts
from vdsim_simulate.agenda import Agenda
from vdsim_simulate.fault_table import FAULTS, Fault
from vdsim_simulate.held import held_n
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.record import BusFrame, Fact, Record, Sample, Sent
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.senders import repeat

BEGINS_S = 0.8


@pytest.mark.parametrize("row", list(FAULTS.values()), ids=lambda row: row.name)
def test_a_fault_runs_and_is_told(row: Fault) -> None:
    values = {
        name: among[0] if isinstance(among[0], str) else min(among)  # type: ignore[type-var]
        for name, among in row.ranges.items()
    }
    scene = Scene(
        composition=row.compositions[-1],
        platform=row.platforms[0],
        model="kinematic",
        start_mps=5.0,
        legs=(Leg(0.0, 5.0),),
        events=(Event(BEGINS_S, row.name, values),),
        ends_s=1.6,
    )
    record = run_scene(scene)
    [fault] = [fact for fact in record.facts if fact.what == facts.FAULT]
    assert fault.text == row.sentence(values)
    assert [name for name, _, _ in record.reached] == [row.name]


def test_somebody_who_repeats_stops_in_time() -> None:
    agenda, times = Agenda(), []
    repeat(agenda, 0.1, 0.35, lambda: times.append(agenda.now))
    agenda.run_until(1.0)
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3])


def test_a_heavier_car_on_patches_brakes_longer() -> None:
    scene = Scene(start_mps=10.0, legs=(Leg(0.0, 10.0),), ends_s=3.0)
    scene = replace(scene, events=(Event(0.7, "emergency_stop"),))
    plain, slippery, laden = (
        run_scene(replace(scene, **change)).car[-1]
        for change in ({}, {"patches": ((0.0, 50.0, 0.1),)}, {"laden": 1.3})
    )
    assert slippery.vx_mps > plain.vx_mps + 1.0
    assert laden != plain


# ---- oracles on records that are wrong -----------------------------------------------------------


def a_record(*, shown: str = "AUTONOMOUS", speed_mps: float = 5.0, **change: object) -> Record:
    """Five seconds at a speed, with packets of a little throttle, and nothing else."""
    record = Record(replace(Scene(ends_s=5.0, legs=(Leg(0.0, 5.0),)), **change))  # type: ignore[arg-type]
    for n in range(500):
        time_s = 0.01 * n
        record.packets.append(Sent(time_s, 0.0, 0.1, 0.0, 1, False))
        record.arrivals_s.append(time_s)
        record.facts += [Fact(time_s, facts.COMMAND), Fact(time_s, facts.STATE)]
        sample = Sample(time_s, speed_mps * time_s, speed_mps, 0.0, 0.0, 0.0, 0.0)
        record.car.append(sample)
    record.shown.append((0.0, shown))
    return record


def broken(name: str, record: Record) -> str:
    found = next(iter(ORACLES[name](record)), None)
    return "" if found is None else found.text


def drop(record: Record, what: str, from_s: float) -> None:
    record.facts = [f for f in record.facts if f.what != what or f.time_s < from_s]


def test_a_refusal_without_a_reason_is_found() -> None:
    record = a_record()
    record.facts.append(Fact(1.0, facts.ANSWER, "engage: refused, the door is open"))
    assert not broken("every_refusal_has_a_reason", record)
    record.facts.append(Fact(1.0, facts.ANSWER, "engage: refused"))
    assert "without a reason" in broken("every_refusal_has_a_reason", record)


def test_a_stop_that_does_not_brake_is_found() -> None:
    record = a_record()
    assert not broken("a_stop_begins_to_brake_in_time", record)
    drop(record, facts.COMMAND, 2.0)
    assert "no brake" in broken("a_stop_begins_to_brake_in_time", record)
    assert "still moves" not in broken("a_safe_stop_ends_at_rest", record)  # it had no time yet


def test_a_stop_that_does_not_end_is_found() -> None:
    record = a_record(speed_mps=2.0, ends_s=9.0)
    drop(record, facts.COMMAND, 0.2)
    record.car += [Sample(0.01 * n, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0) for n in range(500, 900)]
    record.arrivals_s += [0.01 * n for n in range(500, 900)]
    assert "still moves at 2.00 m/s" in broken("a_safe_stop_ends_at_rest", record)


def test_autonomy_that_outlives_the_link_is_found() -> None:
    record = a_record()
    drop(record, facts.STATE, 1.0)
    assert "after STATE was lost" in broken("a_lost_link_ends_autonomy", record)
    record.shown.append((1.9, "DISENGAGED"))
    assert not broken("a_lost_link_ends_autonomy", record)


def test_autonomy_that_outlives_silence_at_rest_is_found() -> None:
    record = a_record(speed_mps=0.0)
    drop(record, facts.COMMAND, 0.5)
    assert "stood without commands" in broken("silence_at_rest_ends_autonomy", record)


def test_a_hand_brake_at_speed_is_found() -> None:
    record = a_record()
    record.packets.append(record.packets[-1]._replace(hand_brake=True))
    assert "hand brake" in broken("no_hand_brake_at_speed", record)
    record.packets[-1] = record.packets[-2]._replace(gear=-1)
    assert "gear -1" in broken("no_hand_brake_at_speed", record)


def test_drive_without_the_safety_stage_is_found() -> None:
    record = a_record(composition="processes")
    record.facts.append(Fact(2.0, facts.KILLED, who="safety"))
    assert "does not run" in broken("a_silent_decider_is_a_stop", record)


def test_autonomy_that_is_shown_without_the_safety_stage_is_found() -> None:
    record = a_record(composition="processes")
    record.packets = [packet._replace(throttle=0.0) for packet in record.packets]
    assert not broken("a_silent_decider_is_a_stop", record)
    record.facts.append(Fact(2.0, facts.KILLED, who="safety"))
    assert "AUTONOMOUS is shown" in broken("a_silent_decider_is_a_stop", record)


def test_a_car_that_does_not_brake_without_packets_is_found() -> None:
    record = a_record()
    assert not broken("the_car_brakes_without_packets", record)
    record.arrivals_s = [t for t in record.arrivals_s if t < 2.0]
    assert "does not brake" in broken("the_car_brakes_without_packets", record)


def test_a_locked_wheel_is_found() -> None:
    record = a_record()
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    record.packets = [p._replace(throttle=0.0, brake=0.9) for p in record.packets]
    assert not broken("a_stop_locks_no_wheel", record)
    rolled = record.car
    record.car = [s._replace(slip=1.0 if s.time_s > 1.0 else s.slip) for s in rolled]
    assert "slips by 1.00" in broken("a_stop_locks_no_wheel", record)
    record.car = [s._replace(slip=1.0) for s in rolled]
    assert not broken("a_stop_locks_no_wheel", record)  # they never rolled: no wheel is believed


def test_a_door_that_closed_while_its_process_was_dead_is_shut_for_the_next() -> None:
    """On CAN seed 537: the process is killed while the door is open, and a new one runs later."""
    killed = {"down_s": 1.5, "hears_s": 0.1, "heard_s": 0.1}
    events = (Event(0.7, "door_opens", {"for_s": 1.0}), Event(1.0, "decider_dies", killed))
    record = run_scene(Scene(start_mps=5.0, legs=(Leg(0.0, 5.0),), events=events, ends_s=4.0))
    assert record.times(facts.DOOR_SHUT) == pytest.approx([2.6], abs=0.01)


def test_where_tyres_do_not_hold_a_car_that_starts_locked_goes_on_so() -> None:
    """On CAN seed 312: its own brake has locked the wheels before anybody engages."""
    record = a_record(mu=0.1, grade=-0.15)
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    record.packets = [p._replace(throttle=0.0, brake=0.9) for p in record.packets]
    record.car = [s._replace(slip=1.0) for s in record.car]
    assert not broken("a_stop_locks_no_wheel", record)


def test_beside_a_stranger_no_packet_is_missed_in_an_emergency_stop() -> None:
    """On CAN seed 332: the car leaves a tenth of a second after the last packet."""
    record = a_record(platform="can")
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    record.packets = [
        p._replace(throttle=0.0, brake=0.9) for p in record.packets if not 2.0 < p.time_s < 3.6
    ]
    assert "no packet for 1.6" in broken("an_emergency_stop_stands", record)
    record.facts.append(Fact(2.0, facts.BROKEN, who="foreign DBW_STEER_CMD"))
    record.facts.append(Fact(2.6, facts.MENDED, who="foreign DBW_STEER_CMD"))
    assert not broken("an_emergency_stop_stands", record)
    record.packets = [p for p in record.packets if not 2.0 < p.time_s < 3.9]
    assert "no packet for 1.9" in broken("an_emergency_stop_stands", record)


def test_a_stranger_counts_from_when_the_bus_reaches_the_interface_again() -> None:
    record = a_record(platform="can")
    for n in range(500):
        sent = BusFrame(0.01 * n, "DBW_STEER_CMD", 0, True, True, False, 0.0, 0.0, 0.0, 0)
        record.frames.append(sent)
    who = "foreign DBW_STEER_CMD"
    record.facts += [Fact(2.0, facts.BROKEN, who=who), Fact(2.6, facts.MENDED, who=who)]
    name, heard = "nobody_sends_beside_a_stranger", list(record.facts)
    assert broken(name, record)
    record.facts = [*heard, Fact(1.0, facts.STATE_CUT), Fact(1.8, facts.STATE_PASSES)]
    assert broken(name, record)
    record.facts = [*heard, Fact(1.0, facts.STATE_CUT), Fact(2.4, facts.STATE_PASSES)]
    assert broken(name, record)
    record.frames = [frame for frame in record.frames if not 2.45 < frame.time_s < 3.5]
    assert not broken(name, record)
    record.facts = [*heard, Fact(1.0, facts.STATE_CUT), Fact(1.8, facts.STATE_PASSES)]
    assert broken(name, record)


def test_a_car_that_a_stranger_drives_is_found() -> None:
    record = a_record()
    record.packets = [p._replace(throttle=0.0) for p in record.packets]
    record.facts += [Fact(1.0, facts.STRANGER), Fact(3.0, facts.STRANGER_GONE)]
    assert not broken("nobody_else_drives_the_car", record)
    record.car = [s._replace(vx_mps=5.0 + 2.0 * s.time_s) for s in record.car]
    assert "without throttle of ours" in broken("nobody_else_drives_the_car", record)


def test_a_slide_without_brake_is_found() -> None:
    record = a_record(mu=0.1, grade=-0.25)
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    assert "while the car slides" in broken("beyond_what_tyres_hold_it_brakes", record)


def test_autonomy_without_packets_is_found() -> None:
    record = a_record()
    record.packets = [p for p in record.packets if p.time_s < 2.0]
    assert "no packet for" in broken("autonomous_means_that_packets_leave", record)


def test_a_driver_who_does_not_send_is_found() -> None:
    record = a_record()
    record.drivers.append((1.0, "autonomy"))
    assert not broken("who_is_shown_to_command_sends", record)
    drop(record, facts.COMMAND, 2.0)
    assert "autonomy is shown" in broken("who_is_shown_to_command_sends", record)


def test_a_driver_who_does_not_send_while_the_stack_does_is_found() -> None:
    record = a_record()
    record.drivers.append((1.0, "gamepad"))
    record.facts += [Fact(0.1 * n, facts.COMMAND, who="gamepad") for n in range(10, 20)]
    assert "gamepad is shown" in broken("who_is_shown_to_command_sends", record)
    record.drivers.append((2.5, "autonomy"))
    assert not broken("who_is_shown_to_command_sends", record)


def test_memory_that_grows_is_found() -> None:
    record = a_record()
    record.kept = [(5.0, 1000), (10.0, 6000)]
    assert not broken("memory_does_not_grow", record)
    record.kept += [(12.0, 9000), (20.0, 1000)]
    assert "9000 objects" in broken("memory_does_not_grow", record)
    containers_n, values_n = 5, 4
    assert held_n([1.5, (2.5, [3]), {"a": (4,)}]) == containers_n + values_n


def test_a_dead_process_that_stalls_stays_dead() -> None:
    """Guarded seed 4000479: the stall ended before another guard was started."""
    events = (
        Event(0.7, "guard_dies", {"how": "is killed", "down_s": 0.8}),
        Event(0.8, "interface_stalls", {"for_s": 0.3}),
    )
    scene = Scene(composition="guarded", start_mps=5.0, legs=(Leg(0.0, 5.0),), events=events)
    record = run_scene(replace(scene, ends_s=2.0))
    assert record.intervals("interface") == [pytest.approx((0.7, 1.5))]


def test_a_stall_within_a_longer_one_does_not_end_it() -> None:
    events = tuple(
        Event(at_s, "car_stalls", {"for_s": for_s}) for at_s, for_s in ((0.7, 0.8), (0.8, 0.3))
    )
    record = run_scene(Scene(start_mps=5.0, legs=(Leg(0.0, 5.0),), events=events, ends_s=2.0))
    assert record.intervals("car") == [pytest.approx((0.7, 1.5))]


def test_who_was_not_told_of_an_emergency_stop_is_told_before_it_must_brake() -> None:
    """Processes seed 4000148: another platform process does not hear the safety stage yet."""
    record = a_record(composition="processes")
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    record.packets = [
        p._replace(throttle=0.0, brake=0.9) for p in record.packets if not 2.0 < p.time_s < 3.0
    ]
    assert "no packet for 1.0" in broken("an_emergency_stop_stands", record)
    killed = Fact(2.0, facts.KILLED, who="interface")
    record.facts += [killed, killed._replace(time_s=2.5, what=facts.STARTED)]
    assert "no packet for 1.0" in broken("an_emergency_stop_stands", record)
    record.facts += [
        Fact(2.5, facts.DEAF, who="interface"),
        Fact(3.0, facts.HEARS, who="interface"),
    ]
    assert not broken("an_emergency_stop_stands", record)


def test_a_new_platform_process_hears_when_its_topic_has_matched() -> None:
    dies = {"which": "platform", "how": "is killed", "down_s": 0.3, "matches_s": 0.5}
    scene = Scene(composition="processes", start_mps=5.0, legs=(Leg(0.0, 5.0),), ends_s=3.0)
    record = run_scene(replace(scene, events=(Event(1.0, "another_process_dies", dies),)))
    first_s, started_s = record.times(facts.DEAF)
    assert (first_s, started_s) == pytest.approx((0.0, 1.3))
    heard_s, heard_again_s = record.times(facts.HEARS)
    assert heard_s < 0.1
    assert 1.3 < heard_again_s < 1.9


def test_a_wheel_that_locks_unseen_is_not_held_against_a_stop() -> None:
    """Guarded seed 4000073: an emergency stop while no report arrives."""
    record = a_record()
    record.facts.append(Fact(1.0, facts.EMERGENCY))
    record.packets = [p._replace(throttle=0.0, brake=0.9) for p in record.packets]
    record.car = [s._replace(slip=1.0 if 1.5 < s.time_s < 2.5 else 0.0) for s in record.car]
    assert "slips by 1.00" in broken("a_stop_locks_no_wheel", record)
    record.facts = [f for f in record.facts if f.what != facts.STATE or not 0.5 < f.time_s < 3.0]
    assert not broken("a_stop_locks_no_wheel", record)


def test_a_first_packet_has_the_angle_before_or_that_of_the_car() -> None:
    """Seed 4000303: without packets the car turns its wheels back by itself."""
    record = a_record()
    record.packets = [
        p._replace(steer_rad=0.2) if p.time_s < 2.5 else p
        for p in record.packets
        if not 2.0 < p.time_s < 3.0
    ]
    assert not broken("no_packet_steers_a_step", record)  # the car's wheels are straight
    record.car = [s._replace(steer_rad=-0.1) for s in record.car]
    assert "one packet steers by 0.1" in broken("no_packet_steers_a_step", record)
    record.facts.append(Fact(2.8, facts.STARTED, who="interface"))
    assert "one packet steers by 0.1" in broken("no_packet_steers_a_step", record)
    record.facts = [f for f in record.facts if f.what != facts.STATE or not 2.0 < f.time_s < 3.5]
    assert "one packet steers by 0.1" in broken("no_packet_steers_a_step", record)  # no report


def test_a_first_packet_after_a_person_has_the_angle_of_the_car() -> None:
    """Single seed 5120288: switched over, and braked for an emergency stop 0.1 s later."""
    record = a_record()
    record.packets = [
        p._replace(steer_rad=0.2) if p.time_s < 2.0 else p
        for p in record.packets
        if not 2.0 <= p.time_s < 2.09
    ]
    assert "one packet steers by 0.2" in broken("no_packet_steers_a_step", record)
    record.shown.append((2.0, "DISENGAGED"))
    assert not broken("no_packet_steers_a_step", record)
    record.car = [s._replace(steer_rad=-0.1) for s in record.car]
    assert "one packet steers by 0.1" in broken("no_packet_steers_a_step", record)


DIES = {"single": "decider_dies", "guarded": "guard_dies"}


@pytest.mark.parametrize("composition", list(DIES))
def test_an_emergency_stop_in_a_bend_outlives_a_process_while_no_report_comes(
    composition: str,
) -> None:
    """The wheels went straight when the new process had waited for a report in vain."""
    values = {"down_s": 0.4, "hears_s": 0.05, "heard_s": 0.05}
    if composition == "guarded":
        values = {"how": "is killed", "down_s": 0.4}  # type: ignore[dict-item]
    scene = Scene(
        composition=composition,
        rig="driverless",
        start_mps=8.0,
        legs=(Leg(0.0, 8.0), Leg(1.0, 8.0, 2.0, 0.04)),
        events=(
            Event(4.0, "emergency_stop"),
            Event(4.1, "state_lost", {"for_s": 3.0}),
            Event(4.2, DIES[composition], values),
        ),
        heals_s=9.0,
        ends_s=6.0,
    )
    record = run_scene(scene)
    [first] = [
        (before.steer_rad, packet.steer_rad)
        for before, packet in pairwise(record.packets)
        if packet.time_s - before.time_s > 0.3 and packet.time_s > 4.0
    ]
    assert first == pytest.approx((0.118, 0.118), abs=0.005)
    assert not broken("no_packet_steers_a_step", record)
    assert not broken("an_emergency_stop_brakes_hard", record)
