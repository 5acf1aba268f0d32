"""Stops: no drive in one, none weaker than what was under way, an emergency stop that stands."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.causes import (
    NO_COMMAND,
    Cause,
    arbiter_acts,
    broken,
    causes,
    emergencies,
    spans,
)
from vdsim_simulate.oracles.motion import G_MPS2, SLIP_LIMIT, Motion, ahead_of, motion_of
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Sent
from vdsim_simulate.scene import Scene

GRACE_S = 0.03
"""A period until the cause is seen, one of the vehicle, and a late timer."""
EASES_S = 0.3
"""A stop of the mux reaches its deceleration in this time."""
STOPPING_MPS = 1.5
"""Below this a stop may become softer, so that the car comes to rest without a jerk."""
BUILDS_UP_S = 1.0
UNLOCKS_S = 2.0
"""While nothing was sent the car's own brake may have locked the wheels: that ends first."""
WEAKER = 0.75
BY_MAP = 1.2
"""By what a stop exceeds the pedal map at most, where no wheel is believed (docs/hills.md)."""
_EMERGENCY_MPS2 = 6.0
_NONSENSE_MPS2 = 20.0
_RESTS_MPS = 0.05
HARDER, HARDER_MPS2 = 1.4, 0.5
"""What a stop may exceed its promise by, without reports above all."""
COMES_TO_REST_S = 3.0
"""For the delay, the build-up and the soft end of a stop."""
HEARD_S = 0.4
"""What the car does now may come of what reached it in this time."""
SOON_S = 0.05
UNREPORTED, BLIND_SHARE = 0.95, 1.2
"""Of what the pedals give to a car whose load and slope nobody reports; of what level ground needs,
what a braking there is at most (docs/morai.md)."""
SLIPPED_S = 0.7
"""Half a second that a brake takes to return after a slip, and what `decel_mps2` looks back."""
STRANGER_S = 1.05
"""So long after a stranger's last frame nothing is sent on a bus: a second, and a period."""
JUDGED_MPS, ROLLING_SLIP = 0.5, 0.03
"""Above this speed a wheel that slips less surely rolls."""
PERSON_S = 1.1
"""So long after a report of a person at the controls a silent interface brakes for nobody else."""
PATIENCE_PERIODS = 5.0
FAILSAFE_S, LATER = 0.1, 1.3
"""The plant's own fail-safe brakes after this time without a packet."""


def silence_s(record: Record) -> float:
    """Return after which time a process that decides counts as silent (docs/safety.md)."""
    parameters = record.parameters
    patience_s = max(parameters.safety.report_timeout_s, PATIENCE_PERIODS * parameters.period_s)
    return min(patience_s, parameters.command_timeout_s)


def sent_between(record: Record, from_s: float, to_s: float) -> list[Sent]:
    """Return the packets of an interval."""
    packets = record.packets
    first = bisect_left(packets, from_s, key=lambda packet: packet.time_s)
    return packets[first : bisect_right(packets, to_s, key=lambda packet: packet.time_s)]


@oracle
def no_drive_in_a_stop(record: Record) -> Iterator[Violation]:
    """While a stop must stand no packet has throttle."""
    for cause in causes(record):
        # Where a source falls silent, the mux stops the car by commands: on a rise the drive falls.
        falls_s = (
            EASES_S if cause.of == NO_COMMAND and arbiter_acts(record, cause.begins_s) else 0.0
        )
        before = math.inf
        for packet in sent_between(record, cause.begins_s + GRACE_S, cause.ends_s):
            falls = packet.throttle < before and packet.time_s < cause.begins_s + falls_s
            before = packet.throttle
            # A packet of the very moment that ends the cause is made of what has ended it.
            if packet.throttle > 0.0 and packet.time_s < cause.ends_s and not falls:
                if falls_s and not arrive_all_the_time(record, cause.begins_s, packet.time_s):
                    break  # the car's own fail-safe brakes harder than the arbiter asks for
                late_s = packet.time_s - cause.begins_s
                text = f"throttle {packet.throttle:.3f} although {cause.of} since {late_s:.2f} s"
                yield Violation(packet.time_s, text)


@oracle
def no_stop_brakes_less(record: Record) -> Iterator[Violation]:
    """A stop never brakes less than the car braked when its cause began."""
    motion = motion_of(record)
    every = list(causes(record))
    for cause in every:
        # Within another stop the car may brake harder than is asked for, as while it is blind.
        stops = any(
            other.begins_s < cause.begins_s - HEARD_S and other.ends_s > cause.begins_s - HEARD_S
            for other in every
        )
        most_mps2 = record.parameters.safety.stop_decel_mps2 if stops else math.inf
        yield from _weakened(record, motion, cause, most_mps2)


def _weakened(
    record: Record, motion: Motion, cause: Cause, most_mps2: float
) -> Iterator[Violation]:
    before = sent_between(record, cause.begins_s - 0.05, cause.begins_s)
    if not before or abs(motion.at(cause.begins_s).vx_mps) < STOPPING_MPS:
        return
    if not arrive_all_the_time(record, cause.begins_s - HEARD_S, cause.begins_s):
        return  # what brakes then is the car's own fail-safe
    brake = min(packet.brake for packet in before)
    # A brake that is let go gives less already than what the time before shows.
    decel = min(motion.decel_mps2(cause.begins_s, window) for window in (SOON_S, HEARD_S / 2.0))
    decel = min(decel, most_mps2)
    if brake <= 0.0 or decel <= 0.5:
        return
    for packet in sent_between(record, cause.begins_s, cause.ends_s):
        speed_mps = abs(motion.at(packet.time_s).vx_mps)
        if speed_mps < max(STOPPING_MPS, math.sqrt(decel)):
            return
        now_mps2 = motion.decel_mps2(packet.time_s)
        if not arrive_all_the_time(record, packet.time_s - HEARD_S, packet.time_s):
            return
        weaker = packet.brake < WEAKER * brake and now_mps2 < WEAKER * decel
        if weaker and motion.most_slip(packet.time_s) < SLIP_LIMIT:
            yield Violation(
                packet.time_s,
                f"the car braked with pedal {brake:.2f} and {decel:.1f} m/s2 when {cause.of}; "
                f"now with {packet.brake:.2f} and {now_mps2:.1f} m/s2 at {speed_mps:.1f} m/s",
            )
            return


@oracle
def an_emergency_stop_stands(record: Record) -> Iterator[Violation]:
    """From the emergency stop on the car is braked hard and then held, whoever asks for what."""
    motion = motion_of(record)
    stalls = [*record.intervals("interface"), *record.left_alone()]
    waits_s = record.parameters.safety.report_timeout_s  # of a new process, for a first report
    stalls += [(started_s, started_s + waits_s) for started_s in record.times(facts.STARTED)]
    # A new process that sends knows of no stop until it hears of it: the car's own brake acts.
    deaf = spans(record, facts.DEAF, facts.HEARS, "nothing is decided")
    stalls += [(each.begins_s, each.ends_s) for each in deaf]
    # Beside a stranger, and off the bus, nothing is sent; the car leaves a little later.
    silent = [each for each in broken(record) if each.kind in ("foreign", "controller")]
    stalls += [(each.begins_s, each.ends_s + STRANGER_S) for each in silent]
    for cause in emergencies(record):
        if any(0.0 <= cause.begins_s - t < PERSON_S for t in record.times(facts.KEYBOARD)):
            continue  # the stop is that of the person who has just taken MORAI's keyboard
        last_s = cause.begins_s
        for packet in sent_between(record, cause.begins_s, cause.ends_s):
            yield from _gap(motion, last_s, packet.time_s, stalls)
            last_s = packet.time_s
            speed_mps = abs(motion.at(packet.time_s).vx_mps)
            is_built_up = packet.time_s > cause.begins_s + BUILDS_UP_S
            lets_turn = motion.most_slip(packet.time_s) >= SLIP_LIMIT  # a wheel that has locked
            if is_built_up and speed_mps > STOPPING_MPS and packet.brake <= 0.0 and not lets_turn:
                text = f"no brake in an emergency stop at {speed_mps:.1f} m/s"
                yield Violation(packet.time_s, text)
        yield from _gap(motion, last_s, cause.ends_s, stalls)


@oracle
def an_emergency_stop_brakes_hard(record: Record) -> Iterator[Violation]:
    """An emergency stop reaches its deceleration, or the limit of the tyres."""
    motion, scene = motion_of(record), record.scene
    ends_s = [ended_s for _, ended_s in record.intervals("interface")]
    for cause in emergencies(record):
        built_s = motion.later_s(cause.begins_s, cause.begins_s + BUILDS_UP_S)
        for packet in sent_between(record, built_s, cause.ends_s):
            if any(0.0 <= packet.time_s - ended_s < UNLOCKS_S for ended_s in ends_s):
                continue  # the process runs again, and builds the stop up
            speed_mps = abs(motion.at(packet.time_s).vx_mps)
            if not arrive_all_the_time(record, packet.time_s - HEARD_S, packet.time_s):
                continue
            rise = motion.rise(packet.time_s)
            possible_mps2 = (0.8 * scene.least_mu + rise) * G_MPS2
            if scene.platform == "morai":  # nobody reports its wheels, nor the slope
                by_map_mps2 = BY_MAP * _EMERGENCY_MPS2 / scene.laden
                possible_mps2 = min(possible_mps2, by_map_mps2 + rise * G_MPS2)
            wanted_mps2 = WEAKER * min(_EMERGENCY_MPS2, possible_mps2)
            wanted_mps2 = min(wanted_mps2, unreported_mps2(record, packet.time_s, _EMERGENCY_MPS2))
            decel_mps2 = motion.decel_mps2(packet.time_s)
            if (
                speed_mps > STOPPING_MPS
                and decel_mps2 < wanted_mps2
                # The deceleration is that of a while, before which a wheel may have slipped.
                and motion.most_slip(packet.time_s, SLIPPED_S) < SLIP_LIMIT
            ):
                text = f"an emergency stop brakes with {decel_mps2:.1f} m/s2 at {speed_mps:.1f} m/s"
                yield Violation(packet.time_s, text)


def unreported_mps2(record: Record, time_s: float, asked_mps2: float) -> float:
    """Return what a braking reaches at least where nobody reports wheels and slope [m/s2].

    So on MORAI: the brake is hardly more than a car of the file's mass needs on level ground, and
    ends with the pedal map. A load divides what it gives, and a descent takes its share of gravity.
    """
    if record.scene.platform != "morai":
        return math.inf
    slope_mps2 = G_MPS2 * min(motion_of(record).rise(time_s), 0.0)
    brake_mps2 = min(BLIND_SHARE * asked_mps2, _EMERGENCY_MPS2)
    return UNREPORTED * (brake_mps2 / record.scene.laden + slope_mps2)


@oracle
def an_emergency_stop_ends_at_rest(record: Record) -> Iterator[Violation]:
    """An emergency stop brings the car to rest in the time that its deceleration takes."""
    motion, scene = motion_of(record), record.scene
    if not scene.holds:
        return
    for cause in emergencies(record):
        possible_mps2 = (grip_of(scene) + motion.rise(cause.begins_s)) * G_MPS2
        speed_mps = abs(motion.at(cause.begins_s).vx_mps)
        takes_s = speed_mps / (WEAKER * min(_EMERGENCY_MPS2, possible_mps2)) + COMES_TO_REST_S
        due_s = motion.later_s(cause.begins_s, cause.begins_s + takes_s)
        if rolls_from_s(record) > cause.begins_s and motion.at(cause.begins_s).slip > SLIP_LIMIT:
            continue
        if due_s < cause.ends_s and arrive_all_the_time(record, cause.begins_s, due_s):
            later = motion.between(due_s, cause.ends_s)
            moving = next((car for car in later if abs(car.vx_mps) > _RESTS_MPS), None)
            if moving is not None:
                text = f"{moving.time_s - cause.begins_s:.1f} s after the emergency stop the car"
                yield Violation(moving.time_s, f"{text} still moves at {moving.vx_mps:.2f} m/s")


def grip_of(scene: Scene) -> float:
    """Return the share of the weight that braking has; MORAI reports no wheels: they may lock."""
    return (0.6 if scene.platform == "morai" else 0.8) * scene.least_mu


def rolls_from_s(record: Record) -> float:
    """Return when the wheels were first reported as rolling: before, no wheel is believed.

    A car that brakes by itself from the start on may lock them before its first report.
    """
    reported_s = min(record.times(facts.STATE), default=math.inf)
    for car in motion_of(record).between(reported_s, math.inf):
        if abs(car.vx_mps) > JUDGED_MPS and car.slip < ROLLING_SLIP:
            return car.time_s
    return math.inf


def arrive_all_the_time(record: Record, from_s: float, to_s: float) -> bool:
    """Whether packets reach the car all the time between two times."""
    times = record.arrivals_s
    inside = [from_s, *times[bisect_left(times, from_s) : bisect_right(times, to_s)], to_s]
    most_s = max(0.5 * FAILSAFE_S, LATER * record.parameters.period_s)
    return all(b - a < most_s for a, b in pairwise(inside))


def _gap(
    motion: Motion, from_s: float, to_s: float, stalls: list[tuple[float, float]]
) -> Iterator[Violation]:
    excused_s, until_s = 0.0, from_s
    for begins_s, ends_s in sorted(stalls):
        excused_s += max(0.0, min(to_s, ends_s) - max(until_s, begins_s))
        until_s = max(until_s, ends_s)
    if to_s - from_s - excused_s > 0.1:
        speed_mps = motion.at(from_s + 0.1).vx_mps
        text = f"no packet for {to_s - from_s:.2f} s in an emergency stop, at {speed_mps:.1f} m/s"
        yield Violation(from_s + 0.1, text)


@oracle
def a_safe_stop_is_soft(record: Record) -> Iterator[Violation]:
    """A stop for silence brakes no harder than it promises, than was braked before, or is asked."""
    motion = motion_of(record)
    promised = record.parameters.safety.stop_decel_mps2
    others = [c for c in causes(record) if c.name != "silence"]
    for cause in causes(record):
        if cause.name != "silence" or not arrive_all_the_time(
            record, cause.begins_s - HEARD_S, cause.begins_s
        ):
            continue
        before_mps2 = motion.decel_mps2(cause.begins_s)
        # Nobody limits raw throttle: wheels that spin push on, and the stop makes up for that.
        spins = motion.most_slip(cause.begins_s + BUILDS_UP_S, BUILDS_UP_S) > SLIP_LIMIT
        if record.scene.is_raw and spins:
            continue
        # Without reports the slope is not known to have changed, nor what the brakes reach.
        rise = motion.rise(cause.begins_s)
        unseen = [c for c in causes(record) if c.of == "no STATE" and c.begins_s < cause.ends_s]
        is_blind = any(c.ends_s > cause.begins_s for c in unseen)
        blind_mps2 = G_MPS2 * max(rise, 0.0) if is_blind else 0.0
        most_mps2 = HARDER * max(promised, before_mps2) + HARDER_MPS2 + blind_mps2
        for car in motion.between(cause.begins_s + BUILDS_UP_S, cause.ends_s):
            if any(c.begins_s <= car.time_s <= c.ends_s for c in others):
                break
            if not arrive_all_the_time(record, car.time_s - HEARD_S, car.time_s):
                break
            now_mps2 = motion.decel_mps2(car.time_s)
            if abs(car.vx_mps) > STOPPING_MPS and now_mps2 > most_mps2:
                # A stack that commands may brake harder than the stop.
                ahead = ahead_of(car.vx_mps)
                asked_mps2 = _asked_mps2(record, cause.begins_s - HEARD_S, car.time_s, ahead)
                if now_mps2 <= HARDER * asked_mps2 + HARDER_MPS2 + blind_mps2:
                    continue
                text = f"{cause.of}: the car brakes with {now_mps2:.1f} m/s2 at {car.vx_mps:.1f}"
                yield Violation(car.time_s, f"{text} m/s; promised are {promised:g} m/s2")
                break


def _asked_mps2(record: Record, from_s: float, to_s: float, ahead: float) -> float:
    """Return the most by which stacks asked to brake in a time [m/s2], nonsense left out."""
    asked = record.asked[bisect_left(record.asked, (from_s,)) : bisect_right(record.asked, (to_s,))]
    efforts = (-ahead * mps2 for _, mps2 in asked if abs(mps2) < _NONSENSE_MPS2)
    return max(efforts, default=-math.inf) + ahead * G_MPS2 * record.scene.grade
