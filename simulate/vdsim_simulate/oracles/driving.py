"""The drive that is asked for, where nothing else has a hand in it: speed, stop, start, jolt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import Wish, one_even_road, quiet, wishes
from vdsim_simulate.oracles.causes import causes
from vdsim_simulate.oracles.decelerating import made_up_mps2
from vdsim_simulate.oracles.motion import (
    G_MPS2,
    SLIP_LIMIT,
    ahead_of,
    motion_of,
    spins_unseen,
)
from vdsim_simulate.oracles.people.engaging import can_set_out
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import FAILSAFE_S, unreported_mps2
from vdsim_simulate.oracles.table import Violation, above_raw, oracle
from vdsim_simulate.record import Record
from vdsim_simulate.scene import Scene

OVERSHOOTS_MPS = 0.3
"""docs/hills.md."""
TAKES_OVER_S = 0.6
"""So long what was done before goes on: a brake is released by its jerk, a pedal lags."""
SETTLES_S, STEADY_MPS, STEADY = 4.0, 0.05, 0.02
STARTS_S, STARTED_MPS = 5.0, 0.3
"""Half a second for a gear, 1.5 s for a stack that compensates the slope, and two pedals."""
RESTS_S, RESTS_MPS = 3.0, 0.05
LAST_SHARE, MAPS_OFF = 0.3, 0.06
"""Of its braking, a stack's last share (stack.py); how far a pedal map may be off."""
WEAKER, LEAST_MPS2 = 0.75, 0.5
GRIPS = 0.5
JOLTS_MPS3, JOLTS_G = 15.0, 1.2
JOLT_S = 0.1
BODY_FRAME_S = 0.11
"""A frame of gear and hand brake is as old as its period, the pedals' is newer."""
PEDAL, MOVES_MPS = 0.01, 1.0
SPUN_S = 2.0
"""So long ago the wheels have spun that slow down still when standstill is asked for."""
LOOKS_S = 0.15
"""The mode is looked at ten times a second."""


@oracle
def the_speed_is_the_one_that_is_asked_for(record: Record) -> Iterator[Violation]:
    """Undisturbed, the speed overshoots by 0.3 m/s at most, and then it is the one asked for."""
    scene = record.scene
    if scene.level != "high_level" or not one_even_road(record) or not can_set_out(scene):
        return
    if scene.platform == "morai":
        return  # the pedals are the simulator's, by a controller that nobody knows
    for wish in wishes(record):
        for window_s in _quiet_part(record, wish):
            yield from _off_speed(record, wish, window_s)


def _quiet_part(record: Record, wish: Wish) -> Iterator[float]:
    """Yield until when a leg is undisturbed, where it is from its begin on."""
    until_s = wish.until_s
    begins = [event.at_s for event in record.scene.events if event.at_s > wish.from_s]
    until_s = min([until_s, *begins])
    if until_s > wish.from_s + TAKES_OVER_S and quiet(record, wish.from_s, until_s):
        yield until_s


def _off_speed(record: Record, wish: Wish, until_s: float) -> Iterator[Violation]:
    motion, scene, safety = motion_of(record), record.scene, record.parameters.safety
    ends_brake_s = safety.decel_max_mps2 / safety.jerk_max_mps3  # it may last so long
    takes_s = max(TAKES_OVER_S, ends_brake_s)
    asked_mps, begins_s = wish.leg.speed_mps, wish.from_s + takes_s
    first = [car.vx_mps for car in motion.between(wish.from_s, begins_s)]
    least_mps = min(asked_mps, *first) - OVERSHOOTS_MPS
    most_mps = max(asked_mps, *first) + OVERSHOOTS_MPS
    change_mps = abs(asked_mps - first[0])
    slopes = record.parameters.controller
    faster = abs(asked_mps) > abs(first[0])
    speeding_mps2 = min(slopes.accel_max_mps2, safety.accel_max_mps2)
    slope_mps2 = speeding_mps2 if faster else slopes.decel_max_mps2
    grips = scene.least_mu >= GRIPS
    starts_s = STARTS_S if asked_mps * first[0] <= 0.0 else 0.0
    settled_s = wish.from_s + change_mps / slope_mps2 + SETTLES_S + starts_s
    settled_s += takes_s - TAKES_OVER_S
    for car in motion.between(begins_s, until_s):
        if not least_mps <= car.vx_mps <= most_mps:
            text = f"{asked_mps:g} m/s is asked for since {car.time_s - wish.from_s:.1f} s, from"
            yield Violation(car.time_s, f"{text} {first[0]:.2f} m/s; it is {car.vx_mps:.2f} m/s")
            return
        off_mps = abs(car.vx_mps - asked_mps)
        most_off_mps = max(STEADY_MPS, STEADY * abs(asked_mps))
        if grips and car.time_s > settled_s and off_mps > most_off_mps and asked_mps:
            text = f"{car.time_s - wish.from_s:.1f} s after {asked_mps:g} m/s was asked for, it is"
            yield Violation(car.time_s, f"{text} {car.vx_mps:.3f} m/s")
            return


@oracle
@above_raw
def a_stop_that_is_asked_for_ends_at_rest(record: Record) -> Iterator[Violation]:
    """Undisturbed, a car that is asked to stand comes to rest in the time it takes, and stays."""
    motion, scene = motion_of(record), record.scene
    if not scene.holds:
        return
    for wish in wishes(record):
        if wish.leg.speed_mps or _creeps(scene, wish):
            continue
        if spins_unseen(record, wish.from_s - SPUN_S, wish.from_s, 0.0):
            continue
        for until_s in _quiet_part(record, wish):
            speed_mps = motion.at(wish.from_s).vx_mps
            possible_mps2 = (0.8 * scene.least_mu + motion.rise(wish.from_s)) * G_MPS2
            slows_mps2 = record.parameters.controller.decel_max_mps2
            decel_mps2 = slows_mps2 if scene.level == "high_level" else wish.leg.decel_mps2
            unreported = unreported_mps2(record, wish.from_s, decel_mps2)
            possible_mps2 = min(possible_mps2, unreported)
            if possible_mps2 < LEAST_MPS2:
                continue
            takes_s = abs(speed_mps) / (WEAKER * min(decel_mps2, possible_mps2)) + RESTS_S
            for car in motion.between(wish.from_s + takes_s, until_s):
                if abs(car.vx_mps) > RESTS_MPS:
                    text = f"{car.time_s - wish.from_s:.1f} s after standstill was asked for at"
                    text = f"{text} {speed_mps:.2f} m/s the car moves at {car.vx_mps:.2f} m/s"
                    yield Violation(car.time_s, text)
                    return


def _creeps(scene: Scene, wish: Wish) -> bool:
    """Whether a stack of accelerations brakes at last by less than it is wrong about the slope.

    It makes up for the slope of a car with the mass that it assumes, and does not look whether
    that slows the car, nor whether a simulator makes up for the slope, too.
    """
    wrong = abs(1.0 / scene.laden - 1.0) + MAPS_OFF
    least_mps2 = LAST_SHARE * wish.leg.decel_mps2
    slope_mps2 = abs(scene.grade) * G_MPS2
    off_mps2 = wrong * slope_mps2 + min(made_up_mps2(scene), slope_mps2)
    return scene.level != "high_level" and least_mps2 < off_mps2


@oracle
@above_raw
def a_start_is_made_in_time(record: Record) -> Iterator[Violation]:
    """Undisturbed, a car that stands and is asked to drive does so within five seconds."""
    motion, scene = motion_of(record), record.scene
    if not scene.holds or not can_set_out(scene) or scene.least_mu < GRIPS or scene.kerb_m:
        return
    for wish in wishes(record):
        asked_mps = wish.leg.speed_mps
        if not asked_mps or abs(motion.at(wish.from_s).vx_mps) > RESTS_MPS:
            continue
        for until_s in _quiet_part(record, wish):
            due_s = wish.from_s + STARTS_S
            speed_mps = ahead_of(asked_mps) * motion.at(due_s).vx_mps
            if due_s < until_s and speed_mps < STARTED_MPS:
                text = f"{STARTS_S:g} s after {asked_mps:g} m/s was asked for at rest the car"
                yield Violation(due_s, f"{text} drives at {speed_mps:.2f} m/s")
                return


@oracle
def it_stops_and_starts_without_a_jolt(record: Record) -> Iterator[Violation]:
    """Undisturbed, the jerk where the car comes to rest or leaves it keeps its bound."""
    motion, scene = motion_of(record), record.scene
    if scene.level != "high_level" or not one_even_road(record) or scene.least_mu < GRIPS:
        return
    most_mps3 = JOLTS_MPS3
    if abs(scene.grade) > 0.1:
        sine = math.sin(math.atan(abs(scene.grade)))
        most_mps3 = max(JOLTS_MPS3, JOLTS_G * G_MPS2 * sine / JOLT_S)
    most_mps3 += made_up_mps2(scene) / JOLT_S  # that much of a slope is learnt wrong
    if scene.platform == "morai":  # nobody reports the slope, and the hold ends at once
        most_mps3 += G_MPS2 * abs(scene.grade) / JOLT_S
    for wish in wishes(record):
        for until_s in _quiet_part(record, wish):
            for car in motion.between(wish.from_s + JOLT_S, until_s - 2.0 * JOLT_S):
                before, after = motion.at(car.time_s - JOLT_S), motion.at(car.time_s + JOLT_S)
                if not _leaves_rest(before.vx_mps, car.vx_mps, after.vx_mps):
                    continue
                change_mps = after.vx_mps - 2.0 * car.vx_mps + before.vx_mps
                jerk_mps3 = abs(change_mps) / JOLT_S**2
                if jerk_mps3 > most_mps3 and motion.most_slip(after.time_s) < SLIP_LIMIT:
                    text = f"a jerk of {jerk_mps3:.1f} m/s3 at rest; the bound is"
                    yield Violation(car.time_s, f"{text} {most_mps3:.1f} m/s3")
                    return


def _leaves_rest(before_mps: float, now_mps: float, after_mps: float) -> bool:
    """Whether the car stands at one end of two tenths of a second, and moves at the other."""
    stands = [abs(speed_mps) < 0.01 for speed_mps in (before_mps, after_mps)]
    return any(stands) and not all(stands) and abs(now_mps) < 0.5


@oracle
@above_raw
def no_drive_without_a_gear(record: Record) -> Iterator[Violation]:
    """No packet has throttle with the hand brake set, or in a gear that does not drive."""
    # On a bus, gear and pedals are frames of their own, each with its period.
    lasts_s = BODY_FRAME_S if record.scene.platform == "can" else 0.0
    held_s = idle_s = drives_s = math.inf
    for packet in record.packets:
        held_s = min(held_s, packet.time_s) if packet.hand_brake else math.inf
        idle_s = min(idle_s, packet.time_s) if packet.gear == 0 else math.inf
        if packet.throttle <= 0.0:
            drives_s = math.inf
            continue
        drives_s = min(drives_s, packet.time_s)
        held, idle = (packet.time_s - max(s, drives_s) >= lasts_s for s in (held_s, idle_s))
        if held or idle:
            what = "with the hand brake set" if held else "in no gear that drives"
            yield Violation(packet.time_s, f"throttle {packet.throttle:.3f} {what}")
            return


@oracle
@above_raw
def no_two_pedals_in_motion(record: Record) -> Iterator[Violation]:
    """A car that moves is driven or braked: only a start has both pedals."""
    motion = motion_of(record)
    if not record.scene.holds:
        return  # there a car slides while it starts
    for packet in record.packets:
        both = min(packet.throttle, packet.brake)
        if both > PEDAL and abs(motion.at(packet.time_s).vx_mps) > MOVES_MPS:
            text = f"throttle {packet.throttle:.3f} and brake {packet.brake:.3f} at"
            yield Violation(packet.time_s, f"{text} {motion.at(packet.time_s).vx_mps:.1f} m/s")
            return


@oracle
def shifts_keep_their_time(record: Record) -> Iterator[Violation]:
    """While autonomy drives, two changes of the gear are as far apart as the parameter says."""
    least_s = record.parameters.safety.shift_time_s - 2.0 * record.parameters.period_s
    jumps_s = min(record.times(facts.CLOCK, facts.KILLED), default=math.inf)
    shifted_s = -math.inf
    blind = [(c.begins_s, c.ends_s) for c in causes(record) if c.of == "no STATE"]
    blind += record.intervals("car")
    blind += [(t, t + LOOKS_S) for t in record.times(facts.LOADED)]  # the gear is the scenario's
    for before, packet in pairwise(record.packets):
        if packet.gear == before.gear or packet.time_s > jumps_s:
            continue
        if packet.time_s - before.time_s > FAILSAFE_S:
            continue  # nobody drove until now: the gear is the car's own
        # Without reports the gear is again the one that was reported last.
        unseen = any(a < packet.time_s and b > shifted_s for a, b in blind)
        soon = packet.time_s - shifted_s < least_s
        later_s = packet.time_s + LOOKS_S
        drives = autonomous_at(record, shifted_s) and autonomous_at(record, later_s)
        if soon and not unseen and drives:
            text = f"gear {packet.gear:+d} {packet.time_s - shifted_s:.2f} s after another shift"
            yield Violation(packet.time_s, text)
            return
        shifted_s = packet.time_s
