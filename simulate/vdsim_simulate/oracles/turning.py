"""Where the wheels are in each kind of stop (docs/safety.md), and how a bend is driven.

A stop for missing commands, for missing reports, or of a vehicle side whose safety stage is silent
holds the wheels. So does a car that is held after autonomy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import quiet, wishes
from vdsim_simulate.oracles.causes import NO_COMMAND, arbiter_acts, causes
from vdsim_simulate.oracles.motion import G_MPS2, SLIP_LIMIT, motion_of
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.steering import largest_rad
from vdsim_simulate.oracles.stops import arrive_all_the_time, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Sent

HOLDS_S, HOLDS_RAD = 0.1, 0.01
"""A stop holds the angle of the period in which it begins; a correction by the yaw rate fades."""
RAW_HOLDS_S = 0.4
"""Of raw counts it holds the angle that was reported last, and turns back to it."""
BEFORE_S = 1.0
ACTS = (
    *(facts.DISENGAGE, facts.SWITCH_ON, facts.ENGAGE, facts.EMERGENCY, facts.GIVE_BACK),
    *(facts.KILLED, facts.STARTED, facts.STALLED, facts.RUNS_AGAIN, facts.CLOCK, facts.MEMORY),
)
"""What ends a stop, or forgets what it holds."""
NOTICED_S = 0.2
"""So late, at the latest, the vehicle side stops by itself (docs/safety.md)."""
BENDS_S = 3.0
"""Times of the correction by the yaw rate, after the rate of the wheels."""
BENDS_1PM, BENDS_MPS, BENDS_MPS2 = 0.004, 2.2, 3.5
OFF = 0.08
"""Of the curvature."""


class Held(NamedTuple):
    """An interval in which the wheels stay, and why."""

    begins_s: float
    ends_s: float
    of: str


def held(record: Record) -> Iterator[Held]:
    """Return when a stop or a hold keeps the wheels."""
    acts = record.times(*ACTS)
    holds_s = RAW_HOLDS_S if record.scene.is_raw else HOLDS_S
    for cause in causes(record):
        if cause.name != "silence" or not autonomous_at(record, cause.begins_s):
            continue
        if cause.of == NO_COMMAND and arbiter_acts(record, cause.ends_s):
            continue  # the arbiter stops the car by commands of its own
        from_s = cause.begins_s + holds_s
        if not any(cause.begins_s - BEFORE_S < act_s < from_s for act_s in acts):
            until_s = min([cause.ends_s, *(act_s for act_s in acts if act_s > from_s)])
            if from_s < until_s:
                yield Held(from_s, until_s, cause.of)
    if record.scene.composition == "processes":
        senders = record.intervals("interface")
        for begins_s, ends_s in record.intervals("safety"):
            if not any(a < ends_s and b > begins_s - BEFORE_S for a, b in senders):
                yield Held(begins_s + NOTICED_S, ends_s, "the safety stage is silent")


@oracle
def a_stop_keeps_the_wheels(record: Record) -> Iterator[Violation]:
    """In a stop for missing commands or reports, or for a silent safety side, the wheels stay."""
    if record.scene.composition == "two_computers" or record.scene.car_file:
        return
    for each in held(record):
        packets = sent_between(record, each.begins_s, each.ends_s)
        before = sent_between(record, each.begins_s - 2.0 * HOLDS_S, each.begins_s)[-1:]
        for packet in packets:
            turned_rad = abs(packet.steer_rad - (before or packets)[0].steer_rad)
            if turned_rad > HOLDS_RAD and packet.time_s < each.ends_s:
                if _is_too_fast_for(record, (before or packets)[0], packet):
                    continue
                if not arrive_all_the_time(record, each.begins_s, packet.time_s):
                    break  # wheels that no packet reaches do not follow, which ends autonomy
                lasts_s = packet.time_s - each.begins_s
                text = f"the wheels turn by {turned_rad:.3f} rad in a stop of {lasts_s:.1f} s"
                yield Violation(packet.time_s, f"{text}: {each.of}")
                return


def _is_too_fast_for(record: Record, before: Sent, packet: Sent) -> bool:
    """Whether a car that became faster is steered less, by the limit of lateral acceleration."""
    cars = motion_of(record).between(before.time_s - BEFORE_S, packet.time_s)
    most_rad = largest_rad(record, max((abs(car.vx_mps) for car in cars), default=0.0))
    angle_rad, before_rad = packet.steer_rad, before.steer_rad
    straightens = angle_rad * before_rad > 0.0 and abs(angle_rad) < abs(before_rad)
    return straightens and abs(before_rad) > most_rad <= abs(angle_rad)


@oracle
def a_bend_has_the_curvature_that_is_asked(record: Record) -> Iterator[Violation]:
    """Undisturbed, the path of a steady bend has its curvature, forward and in reverse."""
    motion, scene = motion_of(record), record.scene
    if scene.level != "high_level" or not scene.holds or scene.kerb_m:
        return
    events_s = [event.at_s for event in scene.events]
    for wish in wishes(record):
        curvature_1pm, from_s = wish.leg.curvature_1pm, wish.from_s + BENDS_S
        until_s = min([wish.until_s, *(at_s for at_s in events_s if at_s > wish.from_s)])
        if abs(curvature_1pm) < BENDS_1PM or from_s > until_s:
            continue
        if not quiet(record, wish.from_s, until_s):
            continue
        cars = motion.between(wish.from_s, until_s)
        steady_s = math.inf
        for car in cars:
            lateral_mps2 = car.vx_mps**2 * abs(curvature_1pm)
            grips = lateral_mps2 < min(BENDS_MPS2, 0.4 * scene.least_mu * G_MPS2)
            is_fast = car.vx_mps * wish.leg.speed_mps > 0.0 and abs(car.vx_mps) > BENDS_MPS
            changes = abs(abs(car.vx_mps) - abs(wish.leg.speed_mps)) > 0.2
            steady_s = min(steady_s, car.time_s) if is_fast and grips and not changes else math.inf
            if car.time_s < max(from_s, steady_s + BENDS_S):
                continue
            is_1pm = car.yaw_rate_radps / car.vx_mps
            slips = motion.most_slip(car.time_s) > SLIP_LIMIT
            if abs(is_1pm / curvature_1pm - 1.0) > OFF and not slips:
                text = f"{curvature_1pm:g} 1/m is asked for since {car.time_s - wish.from_s:.1f} s"
                yield Violation(car.time_s, f"{text}; the path has {is_1pm:.4f} 1/m")
                return
