"""The limits of the safety stage on the wire: jerk, the lead of the wheels, who may send at all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import quiet, wishes
from vdsim_simulate.oracles.causes import causes
from vdsim_simulate.oracles.motion import G_MPS2, ahead_of, motion_of
from vdsim_simulate.oracles.promises import autonomous_at, undisturbed
from vdsim_simulate.oracles.stops import HEARD_S, arrive_all_the_time
from vdsim_simulate.oracles.table import Violation, above_raw, oracle
from vdsim_simulate.record import Record, Sample

WINDOW_S = 0.1
MOVES_MPS = 2.0
JERKS, JERK_MPS2 = 1.25, 0.4
"""The pedal map is a table; a gear or a tyre adds to it."""
SETTLES_S = 1.0
LEADS_RAD = 0.02
MEASURED_S = 0.06
"""A report is as old as the vehicle's period and the way, on a bus its cycle."""
GROWS_S = (0.2, 0.4, 0.6)
BEFORE_S = 0.15
GROWS_MPS2 = 0.9
"""The deceleration at the begin is not known better: of a drive that is let go, and of drag."""
ASKS = (
    *(facts.ASKS_TO_ENGAGE, facts.ENGAGE, facts.EMERGENCY, facts.JOY, facts.STARTED),
    *(facts.KILLED, facts.MEMORY),
)


RELEASED_FROM = 0.04
"""Wheels that slip so much may have their drive or brake taken away at once (docs/hills.md)."""


@oracle
@above_raw
def acceleration_rises_with_its_jerk(record: Record) -> Iterator[Violation]:
    """Undisturbed, drive and brake of a moving car rise no faster than the limits of jerk."""
    motion, scene = motion_of(record), record.scene
    if scene.kerb_m or scene.patches or not scene.holds:
        return
    safety, events_s = record.parameters.safety, [event.at_s for event in scene.events]
    for wish in wishes(record):
        until_s = min([wish.until_s, *(at_s for at_s in events_s if at_s > wish.from_s)])
        if not quiet(record, wish.from_s, until_s):
            continue
        cars = motion.between(wish.from_s, until_s)[::4]
        for car in cars:
            before = motion.at(car.time_s - WINDOW_S)
            passed_s = car.time_s - before.time_s
            if min(abs(before.vx_mps), abs(car.vx_mps)) < MOVES_MPS or passed_s <= 0.0:
                continue
            rises = ahead_of(car.vx_mps) * (car.accel_mps2 - before.accel_mps2)
            if rises < 0.0 and before.throttle:
                continue  # the drive may end at once
            jerk_mps3 = safety.jerk_max_mps3 if rises > 0.0 else safety.brake_jerk_max_mps3
            most_mps2 = JERKS * jerk_mps3 * passed_s + JERK_MPS2
            most_mps2 += abs(_of_a_bend_mps2(record, before) - _of_a_bend_mps2(record, car))
            if abs(rises) > most_mps2 and motion.most_slip(car.time_s) < RELEASED_FROM:
                text = f"the acceleration changes by {rises:.1f} m/s2 in {passed_s:.2f} s at"
                yield Violation(car.time_s, f"{text} {car.vx_mps:.1f} m/s")
                return


def _of_a_bend_mps2(record: Record, car: Sample) -> float:
    """Return by how much the steered wheels slow the car at most."""
    wheelbase_m = record.parameters.vehicle.wheelbase_m
    return car.vx_mps**2 * math.tan(car.steer_rad) ** 2 / wheelbase_m


@oracle
def a_safe_stop_grows_with_its_jerk(record: Record) -> Iterator[Violation]:
    """A stop for silence or a door brakes harder by no more than its jerk allows."""
    motion, safety = motion_of(record), record.parameters.safety
    every = causes(record)
    # Uphill a drive that ends lets the slope brake; downhill a demand of level ground begins it.
    slope_mps2 = G_MPS2 * abs(record.scene.grade)
    if record.scene.actuator != "ideal":
        return  # a brake that lags goes on to grow as it was asked to before
    for cause in every:
        others = any(
            other is not cause and other.begins_s < cause.begins_s + GROWS_S[-1]
            and other.ends_s > cause.begins_s - SETTLES_S
            for other in every
        )  # fmt: skip
        if others or cause.name == facts.EMERGENCY:
            continue
        if not autonomous_at(record, cause.begins_s - BEFORE_S):
            continue
        before_mps2 = max(
            motion.decel_mps2(cause.begins_s), motion.decel_mps2(cause.begins_s, WINDOW_S), 0.0
        )
        for after_s in GROWS_S:
            at_s = cause.begins_s + after_s
            if at_s > cause.ends_s or not undisturbed(record, cause, at_s):
                break
            if not arrive_all_the_time(record, cause.begins_s - HEARD_S, at_s):
                break
            if _asks_for_another_speed(record, cause.begins_s - SETTLES_S, at_s):
                break
            car, most_mps2 = motion.at(at_s), before_mps2 + safety.stop_jerk_mps3 * after_s
            asked_mps2 = _asked_mps2(record, cause.begins_s, at_s, ahead_of(car.vx_mps))
            now_mps2 = motion.decel_mps2(at_s, WINDOW_S)
            bound_mps2 = max(most_mps2, asked_mps2) + GROWS_MPS2 + slope_mps2
            if abs(car.vx_mps) < MOVES_MPS or now_mps2 <= bound_mps2:
                continue
            text = f"{after_s:g} s after {cause.of} the car brakes with {now_mps2:.1f} m/s2, before"
            yield Violation(at_s, f"{text} with {before_mps2:.1f} m/s2")
            return


def _asks_for_another_speed(record: Record, from_s: float, to_s: float) -> bool:
    """Whether a stack asks for another speed: then the controller may ask for any brake."""
    if record.scene.level != "high_level":
        return False
    return any(from_s < wish.from_s < to_s for wish in wishes(record))


def _asked_mps2(record: Record, from_s: float, to_s: float, ahead: float) -> float:
    """Return the most by which a stack asked to brake [m/s2], the slope left out.

    A pedal may ask for all that the brake gives: no map of the car is known here.
    """
    begins_s = from_s - SETTLES_S
    if any(wish.brake > 0.0 for wish in record.wanted if begins_s < wish.time_s < to_s):
        return math.inf
    asked = [mps2 for time_s, mps2 in record.asked if begins_s < time_s < to_s]
    slope = G_MPS2 * record.scene.grade
    return max((ahead * (slope - mps2) for mps2 in asked), default=0.0)


@oracle
@above_raw
def the_wheels_are_not_led_too_far(record: Record) -> Iterator[Violation]:
    """While autonomy drives, the angle sent is near the measured one."""
    motion, times_s = motion_of(record), record.times(facts.STATE)
    upsets = record.times(facts.STALLED, facts.RUNS_AGAIN, facts.STATE_CUT, facts.CLOCK)
    most_rad = record.parameters.safety.steer_lead_max_rad + LEADS_RAD
    if record.scene.composition != "single":
        return  # between processes a command is a period older than the angle
    for packet in record.packets[::2]:
        since_s = packet.time_s - MEASURED_S
        measured = [car.steer_rad for car in motion.between(since_s, packet.time_s)]
        if not measured or min(abs(packet.steer_rad - rad) for rad in measured) <= most_rad:
            continue
        if not any(since_s < t <= packet.time_s for t in times_s):
            continue
        if any(packet.time_s - SETTLES_S < t <= packet.time_s for t in upsets):
            continue
        if autonomous_at(record, packet.time_s):
            text = f"{packet.steer_rad:.3f} rad are sent; the wheels are at {measured[-1]:.3f} rad"
            yield Violation(packet.time_s, text)
            return


@oracle
def nothing_is_sent_before_anybody_asks(record: Record) -> Iterator[Violation]:
    """With a driver aboard nothing is sent before somebody asks, or stops the car."""
    if record.scene.rig != "driver" or record.scene.auto_engage:
        return
    first_s = min(record.times(*ASKS), default=record.scene.ends_s)
    times = [frame.time_s for frame in record.frames[:1]]
    times += [packet.time_s for packet in record.packets[:1]]
    for time_s in times:
        if time_s < first_s:
            yield Violation(time_s, "something is sent, and nobody has asked for anything yet")
            return
