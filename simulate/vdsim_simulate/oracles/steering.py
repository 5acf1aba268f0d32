"""Steering on the wire: the rate of the parameters holds for what is sent, packet by packet."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import FAILSAFE_S
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record
from vdsim_simulate.wiring.shipped import can_car

SLACK = 1.05
ROUNDING_RAD = 1e-4
LATE_MPS = 0.5
"""The limit falls with the speed: that of the report, which is a little older, may count."""
WINDOW_S = 0.1
TURNS_S, TURNS_MPS, TURNS_1PM = 1.5, 2.0, 0.005
"""So long after a curvature was asked for, a car that is this fast turns to its side."""
GIVEN_S = 0.05
"""Without packets for so long, and without autonomy, a person has had the wheel."""
REPORTED_S = 0.1
"""So old may a report be when it arrives."""


def limit_radps(record: Record, speed_mps: float) -> float:
    """Return the configured steer rate at a speed."""
    speeds = record.parameters.safety.steer_rate_speeds_mps
    rates = record.parameters.safety.steer_rate_max_radps
    above = bisect_right(speeds, speed_mps)
    if above == 0 or above == len(speeds):
        return rates[min(above, len(rates) - 1)]
    share = (speed_mps - speeds[above - 1]) / (speeds[above] - speeds[above - 1])
    return rates[above - 1] + share * (rates[above] - rates[above - 1])


def periods_s(record: Record) -> tuple[float, float]:
    """Return how much time a packet may make up for at the least, and at the most.

    It is a period; where a car file has a longer cycle, a period more may fall into one.
    """
    period_s, scene = record.parameters.period_s, record.scene
    if not scene.car_file:
        return period_s, period_s
    car = can_car(scene)
    angle = next(row for row in car.commands if row.field == "front_wheel_angle_rad")
    cycle_s = 1e-3 * car.send[angle.signal.message].cycle_ms
    return (cycle_s, cycle_s + period_s) if cycle_s > period_s else (period_s, period_s)


@oracle
def no_packet_steers_a_step(record: Record) -> Iterator[Violation]:
    """From one packet to the next the wheel angle changes by at most one period's worth."""
    motion, (least_s, most_s) = motion_of(record), periods_s(record)
    states_s = record.times(facts.STATE)
    for before, packet in pairwise(record.packets):
        speed_mps = max(abs(motion.at(packet.time_s).vx_mps) - LATE_MPS, 0.0)
        passed_s = min(max(packet.time_s - before.time_s, least_s), most_s)
        most_rad = SLACK * limit_radps(record, speed_mps) * passed_s + ROUNDING_RAD
        step_rad = abs(packet.steer_rad - before.steer_rad)
        gap_s = packet.time_s - before.time_s
        if gap_s > FAILSAFE_S or (gap_s > GIVEN_S and not autonomous_at(record, packet.time_s)):
            # Meanwhile the car steers by itself; the first packet has the angle of its report.
            # A new process that has waited for one in vain holds the angle of the one before.
            reported_s = max((t for t in states_s if t <= packet.time_s), default=packet.time_s)
            since_s = reported_s - REPORTED_S
            own_rad = [car.steer_rad for car in motion.between(since_s, packet.time_s)]
            step_rad = min(abs(packet.steer_rad - own) for own in (before.steer_rad, *own_rad))
        if step_rad > most_rad:
            yield Violation(
                packet.time_s,
                f"one packet steers by {step_rad:.4f} rad, {packet.time_s - before.time_s:.3f} s "
                f"after the one before; the limit is {most_rad:.4f} rad",
            )


@oracle
def the_car_turns_to_the_side_that_is_asked(record: Record) -> Iterator[Violation]:
    """Until something happens the car turns to the side that the stack asks for."""
    motion, scene = motion_of(record), record.scene
    if not scene.holds:
        return  # tyres that slide down a road give no side force
    happens_s = min((event.at_s for event in scene.events), default=scene.heals_s)
    for leg, following in zip(scene.legs, (*scene.legs[1:], None), strict=True):
        due_s = leg.at_s + TURNS_S
        until_s = happens_s if following is None else min(happens_s, following.at_s)
        if abs(leg.curvature_1pm) < TURNS_1PM or due_s > min(until_s, scene.ends_s):
            continue
        car = motion.at(due_s)
        turns_away = car.yaw_rate_radps * leg.curvature_1pm * car.vx_mps < 0.0
        if turns_away and abs(car.vx_mps) > TURNS_MPS and autonomous_at(record, due_s):
            text = f"{leg.curvature_1pm:g} 1/m is asked for, and the car turns at"
            yield Violation(due_s, f"{text} {car.yaw_rate_radps:.3f} rad/s")


@oracle
def steering_keeps_its_rate(record: Record) -> Iterator[Violation]:
    """Over a tenth of a second the wheel angle changes by no more than the rate allows."""
    motion, packets = motion_of(record), record.packets
    first = 0
    for packet in packets:
        while packets[first].time_s < packet.time_s - WINDOW_S:
            first += 1
        passed_s = packet.time_s - packets[first].time_s
        if passed_s < 0.8 * WINDOW_S:
            continue
        speed_mps = max(abs(motion.at(packet.time_s).vx_mps) - LATE_MPS, 0.0)
        rate = abs(packet.steer_rad - packets[first].steer_rad) / passed_s
        limit = limit_radps(record, speed_mps)
        if rate > SLACK * limit + ROUNDING_RAD / passed_s + limit * 0.01 / passed_s:
            text = f"the wire steers at {rate:.2f} rad/s for {passed_s:.2f} s; the limit is"
            yield Violation(packet.time_s, f"{text} {limit:.2f} rad/s")
