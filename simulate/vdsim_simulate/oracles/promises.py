"""The times and bounds that the safety case states, row by row, on the wire and on the car."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import behind
from vdsim_simulate.oracles.causes import Cause, arbiter_acts, causes, spans
from vdsim_simulate.oracles.motion import G_MPS2, Motion, motion_of
from vdsim_simulate.oracles.stops import (
    COMES_TO_REST_S,
    FAILSAFE_S,
    GRACE_S,
    HEARD_S,
    STOPPING_MPS,
    UNLOCKS_S,
    WEAKER,
    arrive_all_the_time,
    grip_of,
    rolls_from_s,
    sent_between,
    silence_s,
)
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

SHOWN_S = 0.15
"""The mode is looked at ten times a second."""
BEGINS_TO_BRAKE_S = 0.6
"""From full drive to the first brake, at the shipped jerk."""
LEVEL = 0.05
"""On a steeper rise the slope alone may brake as much as a stop promises."""
RESTS_MPS, ROLLS_MPS = 0.05, 0.35
OWN_BRAKE_MPS2 = 0.8
BRAKES_AFTER_S = 0.8
LOCKED, LOCKED_S = 0.6, 0.4
SPINS_UP_S = 1.0
"""A wheel that locked while nobody saw it rolls again within this time, on ice too."""
DRIVES_MPS2 = 0.4
BRAKES_FULLY = 0.3


def autonomous_at(record: Record, time_s: float) -> bool:
    """Whether AUTONOMOUS was shown then."""
    shown = [mode for since_s, mode in record.shown if since_s <= time_s]
    return bool(shown) and shown[-1] == "AUTONOMOUS"


def undisturbed(record: Record, cause: Cause, until_s: float) -> bool:
    """Whether nobody took over, killed or stalled anything while a cause stands."""
    acts = (facts.DISENGAGE, facts.SWITCH_ON)
    names = (*acts, facts.KILLED, facts.STALLED, facts.MEMORY, facts.CLOCK)
    from_s = cause.begins_s - 1.0
    return not any(from_s <= t <= until_s for t in record.times(*names))


@oracle
def a_stop_begins_to_brake_in_time(record: Record) -> Iterator[Violation]:
    """A stop has begun to brake when the jerk allows it (G1, G3, G6, emergency)."""
    motion = motion_of(record)
    for cause in causes(record):
        if motion.rise(cause.begins_s) > LEVEL:
            continue
        due_s = cause.begins_s + BEGINS_TO_BRAKE_S
        if due_s > cause.ends_s or not autonomous_at(record, cause.begins_s - SHOWN_S):
            continue
        if not undisturbed(record, cause, due_s) or not _moves(motion, cause.begins_s, due_s):
            continue
        late = sent_between(record, due_s, min(due_s + 0.1, cause.ends_s))
        for packet in late:
            if packet.brake <= 0.0 and motion.decel_mps2(packet.time_s) < OWN_BRAKE_MPS2:
                text = f"no brake {packet.time_s - cause.begins_s:.2f} s after {cause.of}"
                yield Violation(packet.time_s, text)


def _moves(motion: Motion, from_s: float, to_s: float) -> bool:
    return all(abs(car.vx_mps) > STOPPING_MPS for car in motion.between(from_s, to_s))


@oracle
def a_safe_stop_ends_at_rest(record: Record) -> Iterator[Violation]:
    """A stop for silence or a door ends at rest within what its deceleration needs (G1, G6)."""
    motion, scene = motion_of(record), record.scene
    if not scene.holds:
        return
    for cause in causes(record):
        possible = (grip_of(scene) + min(motion.rise(cause.begins_s), 0.0)) * G_MPS2
        decel = WEAKER * min(record.parameters.safety.stop_decel_mps2, possible)
        if cause.of == "no STATE" or not autonomous_at(record, cause.begins_s - SHOWN_S):
            continue
        speed_mps = abs(motion.at(cause.begins_s).vx_mps)
        due_s = cause.begins_s + speed_mps / decel + COMES_TO_REST_S
        if due_s > cause.ends_s or not undisturbed(record, cause, cause.ends_s):
            continue
        if not arrive_all_the_time(record, cause.begins_s, due_s):
            continue
        car = next((s for s in motion.between(due_s, cause.ends_s) if abs(s.vx_mps) > 0.05), None)
        if car is not None:
            text = f"{car.time_s - cause.begins_s:.1f} s after {cause.of} the car still moves"
            yield Violation(car.time_s, f"{text} at {car.vx_mps:.2f} m/s")


@oracle
def a_lost_link_ends_autonomy(record: Record) -> Iterator[Violation]:
    """Without STATE the interface stops to show AUTONOMOUS in its time (G4)."""
    lost_s = record.parameters.safety.link_lost_s - record.parameters.safety.report_timeout_s
    for cause in causes(record):
        due_s = cause.begins_s + lost_s + 3.0 * SHOWN_S
        silent = [t for t in record.times(facts.STALLED, facts.KILLED) if t > cause.begins_s - 5.0]
        if cause.of != "no STATE" or due_s > cause.ends_s or silent:
            continue
        if autonomous_at(record, due_s):
            yield Violation(due_s, f"AUTONOMOUS is shown {lost_s:.2f} s after STATE was lost")


@oracle
def silence_at_rest_ends_autonomy(record: Record) -> Iterator[Violation]:
    """A car that stands without commands does not stay AUTONOMOUS (G8)."""
    motion, wait_s = motion_of(record), record.parameters.safety.command_lost_s
    dead = [each for who in ("interface", "safety", "shell") for each in record.intervals(who)]
    for cause in causes(record):
        if cause.of != "no command" or arbiter_acts(record, cause.ends_s):
            continue
        rests_s = next(
            (s.time_s for s in motion.between(cause.begins_s, cause.ends_s) if _rests(s.vx_mps)),
            math.inf,
        )
        due_s = max(rests_s, cause.begins_s) + wait_s + 1.0
        if any(a < due_s < b + 1.0 for a, b in dead):
            continue  # what a process that does not run has shown stays
        if due_s < cause.ends_s and autonomous_at(record, due_s):
            if not all(_rests(s.vx_mps) for s in motion.between(rests_s, due_s)):
                continue
            text = f"AUTONOMOUS is shown {wait_s + 1.0:.1f} s after the car stood without commands"
            yield Violation(due_s, text)


def _rests(speed_mps: float) -> bool:
    return abs(speed_mps) < RESTS_MPS


@oracle
def no_hand_brake_at_speed(record: Record) -> Iterator[Violation]:
    """No packet sets the hand brake, or a gear against the motion, while the car rolls (G10)."""
    motion = motion_of(record)
    for before, packet in pairwise(record.packets):
        speed_mps = motion.at(packet.time_s).vx_mps
        if packet.hand_brake and not before.hand_brake and abs(speed_mps) > ROLLS_MPS:
            yield Violation(packet.time_s, f"the hand brake is set at {speed_mps:.2f} m/s")
        if packet.gear != before.gear and packet.gear * speed_mps < -ROLLS_MPS:
            yield Violation(packet.time_s, f"gear {packet.gear:+d} at {speed_mps:.2f} m/s")


@oracle
def a_silent_decider_is_a_stop(record: Record) -> Iterator[Violation]:
    """When the safety stage does not run, nothing drives after the time for its reports (G13).

    Nor is AUTONOMOUS shown.
    """
    if record.scene.composition != "processes":
        return
    timeout_s = silence_s(record)
    for began_s, ended_s in record.intervals("safety"):
        for packet in sent_between(record, began_s + timeout_s + GRACE_S, ended_s):
            if packet.throttle > 0.0:
                text = f"throttle {packet.throttle:.3f} although the safety stage does not run"
                yield Violation(packet.time_s, f"{text} since {packet.time_s - began_s:.2f} s")
        due_s = began_s + timeout_s + 3.0 * SHOWN_S
        stands = any(a < due_s and b > began_s for a, b in record.intervals("interface"))
        if due_s < ended_s and not stands and autonomous_at(record, due_s):
            text = f"AUTONOMOUS is shown {due_s - began_s:.2f} s after the safety stage"
            yield Violation(due_s, f"{text} has fallen silent")


@oracle
def the_car_brakes_without_packets(record: Record) -> Iterator[Violation]:
    """A car that receives no packet brakes by itself (G14)."""
    motion, scene = motion_of(record), record.scene
    if scene.least_mu < 0.5 or abs(scene.grade) > 0.1:
        return
    stalls = record.intervals("car")
    for before_s, next_s in pairwise([*record.arrivals_s, scene.ends_s]):
        from_s = before_s + BRAKES_AFTER_S
        if from_s > next_s or any(a < next_s and b > before_s for a, b in stalls):
            continue
        for car in motion.between(from_s, next_s):
            if abs(car.vx_mps) > STOPPING_MPS and motion.decel_mps2(car.time_s) < OWN_BRAKE_MPS2:
                text = f"no packet since {car.time_s - before_s:.2f} s, and the car does not brake"
                yield Violation(car.time_s, f"{text} at {car.vx_mps:.1f} m/s")
                return


@oracle
def a_stop_locks_no_wheel(record: Record) -> Iterator[Violation]:
    """In a stop no wheel stays locked on a road of one friction that holds the car (G16)."""
    motion, scene = motion_of(record), record.scene
    if scene.patches or scene.mu_left is not None or not scene.holds:
        return  # where tyres do not hold the car the brake stays on, whatever the wheels do
    if scene.platform == "morai":
        return  # its status has no wheels
    late_s = min(record.times(facts.CLOCK), default=math.inf)
    every = causes(record)
    blind = [(each.begins_s, each.ends_s + SPINS_UP_S) for each in every if each.of == "no STATE"]
    blind += [(begins_s, ends_s + SPINS_UP_S) for begins_s, ends_s in behind(record)]
    blind.append((0.0, rolls_from_s(record) + SPINS_UP_S))
    # Where no packet arrives the car's own brake may lock the wheels.
    for before_s, next_s in pairwise([0.0, *record.arrivals_s]):
        if next_s - before_s > FAILSAFE_S:
            blind.append((before_s, next_s + SPINS_UP_S))
    for cause in every:
        if cause.of == "no STATE" or late_s < cause.ends_s:
            continue  # without reports of the wheels, or with late ones, nothing can know
        since_s, spins = math.inf, False
        for car in motion.between(cause.begins_s, cause.ends_s):
            spins = car.slip > LOCKED and (spins or car.throttle != 0.0)
            is_seen = not any(begins_s <= car.time_s <= ends_s for begins_s, ends_s in blind)
            locked = is_seen and not spins and car.slip > LOCKED and abs(car.vx_mps) > 2.0
            since_s = min(since_s, car.time_s) if locked else math.inf
            if car.time_s - since_s > LOCKED_S and _packets_brake(record, car.time_s):
                yield Violation(car.time_s, f"a wheel slips by {car.slip:.2f} for {LOCKED_S} s")
                return


def _packets_brake(record: Record, time_s: float) -> bool:
    if not arrive_all_the_time(record, time_s - HEARD_S, time_s):
        return False
    return any(p.brake > 0.0 for p in sent_between(record, time_s - HEARD_S, time_s))


@oracle
def nobody_else_drives_the_car(record: Record) -> Iterator[Violation]:
    """While a stranger sends, the car accelerates only when our packets say so (G15)."""
    motion = motion_of(record)
    for cause in spans(record, facts.STRANGER, facts.STRANGER_GONE, "a stranger sends"):
        for car in motion.between(cause.begins_s + HEARD_S, cause.ends_s):
            if not arrive_all_the_time(record, car.time_s - HEARD_S, car.time_s):
                continue
            ours = sent_between(record, car.time_s - HEARD_S, car.time_s)
            gains_mps2 = -motion.decel_mps2(car.time_s)
            slope_mps2 = max(0.0, -motion.rise(car.time_s)) * G_MPS2
            gains = gains_mps2 > slope_mps2 + DRIVES_MPS2 and abs(car.vx_mps) > 0.5
            if gains and all(packet.throttle == 0.0 for packet in ours):
                text = f"the car gains {gains_mps2:.1f} m/s2 without throttle of ours"
                yield Violation(car.time_s, text)
                return


@oracle
def beyond_what_tyres_hold_it_brakes(record: Record) -> Iterator[Violation]:
    """Where tyres cannot hold the car, an emergency stop keeps the brake on for as long."""
    if record.scene.holds:
        return
    motion, out = motion_of(record), record.intervals("interface")
    for cause in causes(record):
        if cause.name != facts.EMERGENCY:
            continue
        for packet in sent_between(record, cause.begins_s + 1.0, cause.ends_s):
            if any(0.0 <= packet.time_s - ended_s < UNLOCKS_S for _, ended_s in out):
                continue
            slides = abs(motion.at(packet.time_s).vx_mps) > 0.3
            if slides and packet.brake < BRAKES_FULLY and motion.most_slip(packet.time_s) < 0.05:
                yield Violation(packet.time_s, f"brake {packet.brake:.2f} while the car slides")
