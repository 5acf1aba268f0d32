"""The wire: late and overtaken packets are not used, and the car's own watchdog acts in its time.

What the car does is read from its wheels. Where actuators take no time, wheels and pedals are those
of a packet from the tick on that has read it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.stops import FAILSAFE_S, GRACE_S, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, once

TICK_S = 0.005
READ_S = 2.5 * TICK_S
"""The next tick reads a packet, and its end is looked at; clocks drift."""
LATE_S = 0.2
"""Twice the time-out of reports: beyond it a lag is no report (docs/safety.md)."""
DRIFTS = 0.03
"""What a lag loses per second, as a clock may drift so fast."""
JITTER_S = 0.05
REMEMBERED_S = 9.0
"""The smallest offset of ten seconds counts."""
STANDS_RAD = 0.002
OPENS_S = 0.08
"""After a silence of a tenth of a second every packet opens a session."""
RESUMES_S = 0.5
PRESSED = 0.1
HOLDS_NM = 100.0
"""What is left of a brake that is let go."""


class Late(NamedTuple):
    """An interval in which every report that arrives is too late to be one."""

    begins_s: float
    ends_s: float
    lag_s: float


@once
def late_reports(record: Record) -> list[Late]:
    """Return when reports came too late, and had come in time before."""
    return list(_late_reports(record))


def _late_reports(record: Record) -> Iterator[Late]:
    silence_s = record.parameters.safety.link_lost_s - JITTER_S
    upsets = record.times(facts.CLOCK, facts.STARTED, facts.KILLED, facts.STRANGER)
    stalls = record.intervals("car")
    good_s = before_s = newest_s = -math.inf
    since_s, lag_s = math.nan, 0.0
    for time_s, sent_s in record.heard:
        if sent_s < newest_s:
            continue  # it was overtaken: it is discarded
        age_s = time_s - sent_s
        if time_s - before_s > silence_s:
            good_s = -math.inf  # a pause of the vehicle: the measurement begins again
        before_s, newest_s = time_s, sent_s
        is_known = time_s - good_s < REMEMBERED_S and not _upset(upsets, stalls, good_s, time_s)
        is_late = is_known and age_s - DRIFTS * (time_s - good_s) > LATE_S + JITTER_S
        if age_s < JITTER_S:
            good_s = time_s
        if is_late and math.isnan(since_s):
            since_s, lag_s = time_s, age_s
        elif not is_late and not math.isnan(since_s):
            yield Late(since_s, time_s, lag_s)
            since_s = math.nan
    if not math.isnan(since_s):
        yield Late(since_s, record.scene.ends_s, lag_s)


def _upset(
    upsets: Sequence[float], stalls: list[tuple[float, float]], from_s: float, to_s: float
) -> bool:
    if any(from_s - 1.0 < t < to_s for t in upsets):
        return True
    return any(a < to_s and b > from_s - 10.0 for a, b in stalls)


@oracle
def late_reports_are_no_reports(record: Record) -> Iterator[Violation]:
    """While reports arrive late nothing drives, for as long as they are late."""
    for late in late_reports(record):
        text = f"reports arrive {late.lag_s:.2f} s late since {late.begins_s:.2f} s"
        for packet in sent_between(record, late.begins_s + GRACE_S, late.ends_s):
            if packet.throttle > 0.0 and packet.time_s < late.ends_s:
                yield Violation(packet.time_s, f"throttle {packet.throttle:.3f} although {text}")
                break


@oracle
def an_overtaken_report_is_not_used(record: Record) -> Iterator[Violation]:
    """The time of the vehicle never goes back from one report that is used to the next."""
    if record.scene.platform != "vds1":
        return
    starts_s = record.times(facts.STARTED)
    for (before_s, before), (time_s, vehicle_s) in pairwise(record.used):
        begins = any(before_s < t <= time_s for t in starts_s)
        if vehicle_s < before and time_s - before_s < OPENS_S and not begins:
            text = f"a report is used that is {before - vehicle_s:.3f} s older than the one before"
            yield Violation(time_s, text)


def in_force(record: Record) -> Iterator[tuple[float, float, int, bool]]:
    """Return from when to when which packet counts at the car, and whether that is certain."""
    before_s, number, certain_s = -math.inf, -1, -math.inf
    changes: list[tuple[float, int, float]] = []
    for time_s, arrived in record.received:
        is_silent = time_s - before_s > OPENS_S
        # After a silence another packet opens a session; a copy of the last one does not.
        if arrived > number or (is_silent and arrived < number):
            if arrived < number:
                certain_s = time_s + RESUMES_S  # it may open a session, which a newer one ends
            number, before_s = arrived, time_s
            changes.append((time_s, number, certain_s))
        # A copy of a packet, and one that was overtaken, feed no watchdog.
    if not changes:
        return
    last_s = record.scene.ends_s
    times = [time_s for time_s, _, _ in changes]
    for (time_s, number, sure_s), until_s in zip(changes, [*times[1:], last_s], strict=True):
        yield time_s, until_s, number, time_s > sure_s


def _is_sharp(record: Record) -> bool:
    """Whether the car does at once what a packet says, and its packets can be told apart."""
    return record.scene.actuator == "ideal" and record.scene.platform == "vds1"


@oracle
def the_car_does_what_the_newest_packet_says(record: Record) -> Iterator[Violation]:
    """Wheels and pedals are those of the newest packet that has reached the car."""
    if not _is_sharp(record):
        return
    motion, stalls = motion_of(record), record.intervals("car")
    most_rad = record.parameters.vehicle.front_wheel_angle_max_rad
    for from_s, to_s, number, is_certain in in_force(record):
        begins_s, ends_s = from_s + READ_S, min(to_s, from_s + FAILSAFE_S - TICK_S)
        out = any(a < ends_s and b + RESUMES_S > begins_s for a, b in stalls)
        if begins_s >= ends_s or out or not is_certain:
            continue
        packet = record.packets[number]
        for car in motion.between(begins_s, ends_s):
            differs = abs(car.steer_rad - packet.steer_rad) > STANDS_RAD
            if differs and abs(packet.steer_rad) < most_rad - STANDS_RAD:
                text = f"the wheels are at {car.steer_rad:.3f} rad; the newest packet says"
                yield Violation(car.time_s, f"{text} {packet.steer_rad:.3f} rad")
                return
            brakes = car.brake_nm > HOLDS_NM
            if packet.throttle == 0.0 and car.throttle != 0.0:
                text = "the motor drives, and the newest packet has no throttle"
                yield Violation(car.time_s, text)
                return
            if brakes and packet.brake == 0.0 and not packet.hand_brake:
                text = "the wheels are braked, and the newest packet has no brake"
                yield Violation(car.time_s, text)
                return
            if not brakes and packet.brake > PRESSED:
                text = f"the wheels are not braked, and the newest packet brakes {packet.brake:.2f}"
                yield Violation(car.time_s, text)
                return
