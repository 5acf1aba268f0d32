"""How soon: a packet is of the state of its own period, and the car's own brake begins in time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.car import TICK_S
from vdsim_simulate.oracles.causes import emergencies
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.stops import FAILSAFE_S, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

FAILSAFE_BRAKE = 0.3
"""Of the plant server, as are the time-out and the share that a lagging actuator reaches."""
PEDAL_S = {"ideal": 0.0, "passenger_car": 0.15}
"""Delay, lag and rate of the brake: so long after it was asked for, it is there."""
REACHED = 0.7
TURNS_S = 2.5 * TICK_S


@oracle
def the_fail_safe_begins_in_time(record: Record) -> Iterator[Violation]:
    """A car that receives no packet for its time-out brakes with the next tick."""
    motion, scene = motion_of(record), record.scene
    if scene.platform != "vds1":
        return
    stalls = record.intervals("car")
    for before_s, next_s in pairwise([*record.arrivals_s, scene.ends_s]):
        due_s = before_s + FAILSAFE_S + TURNS_S + PEDAL_S[scene.actuator]
        if due_s > next_s or any(a < due_s and b > before_s - 1.0 for a, b in stalls):
            continue
        car = motion.at(due_s)
        drives = scene.actuator == "ideal" and car.throttle > 0.0
        if drives or car.brake < REACHED * FAILSAFE_BRAKE:
            text = f"brake {car.brake:.2f}, throttle {car.throttle:.2f} in effect"
            yield Violation(due_s, f"{text} {due_s - before_s:.2f} s after the last packet")
            return


@oracle
def the_next_packet_obeys(record: Record) -> Iterator[Violation]:
    """In one process, the packet after a person's act is of the new state: no drive any more."""
    if record.scene.composition not in ("single", "two_computers"):
        return
    acts = [(time_s, "a person took over") for time_s in record.times(*TAKES)]
    acts += [(cause.begins_s, "the emergency stop") for cause in emergencies(record)]
    for act_s, what in sorted(acts):
        for packet in sent_between(record, act_s, act_s + FAILSAFE_S)[:2]:
            if packet.time_s > act_s and packet.throttle > 0.0:
                text = f"throttle {packet.throttle:.3f} {packet.time_s - act_s:.3f} s after"
                yield Violation(packet.time_s, f"{text} {what}")
                return


TAKES = (facts.DISENGAGE, facts.SWITCH_ON)
