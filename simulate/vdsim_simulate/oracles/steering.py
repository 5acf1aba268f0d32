"""Steering on the wire: the rate of the parameters holds for what is sent, packet by packet."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import LATE_S, SHOWN_S, behind
from vdsim_simulate.oracles.causes import arbiter_acts, causes, emergencies
from vdsim_simulate.oracles.motion import SLIP_LIMIT, motion_of
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import FAILSAFE_S, arrive_all_the_time
from vdsim_simulate.oracles.table import Violation, above_raw, oracle
from vdsim_simulate.oracles.wire import late_reports
from vdsim_simulate.record import Record, Wanted
from vdsim_simulate.wiring.shipped import can_car

SLACK = 1.05
ROUNDING_RAD = 1e-4
LATE_MPS = 0.5
"""The limit falls with the speed: that of the report, which is a little older, may count."""
WINDOW_S = 0.1
BEGINS = "-> AUTONOMOUS"
TURNS_S, TURNS_MPS, TURNS_1PM = 1.5, 2.0, 0.005
"""So long after a curvature was asked for, a car that is this fast turns to its side."""
GIVEN_S = 0.05
"""Without packets for so long, and without autonomy, a person has had the wheel."""
FOLLOWS_S, COMMANDS_N = 1.5, 50
"""So long a command stands; the rate and the lead over the measured angle let it come late."""
TRIMS, FOLLOWS_RAD = 0.3, 0.02
"""A correction by the yaw rate is a quarter of the angle at most."""
OTHERS = ("two_stacks", "planner_talks_nonsense")
"""Who else steers, or asks for what is no angle; until control is given back the stack waits."""
REPORTED_S = 0.1
"""So old may a report be when it arrives."""


def limit_radps(record: Record, speed_mps: float, angle_rad: float) -> float:
    """Return the configured steer rate at a speed and a wheel angle: by its table, and by jerk."""
    return min(_by_table(record, speed_mps), _by_jerk(record, speed_mps, angle_rad))


def _by_jerk(record: Record, speed_mps: float, angle_rad: float) -> float:
    """Return the rate at which v^2 times the rate of the curvature is the largest lateral jerk."""
    car = record.parameters.vehicle
    length_m = car.wheelbase_m + car.understeer_gradient_rad_s2pm * speed_mps**2
    jerk_mps3 = record.parameters.safety.lateral_jerk_max_mps3
    return jerk_mps3 * length_m * math.cos(angle_rad) ** 2 / max(speed_mps, 1e-3) ** 2


def _by_table(record: Record, speed_mps: float) -> float:
    speeds = record.parameters.safety.steer_rate_speeds_mps
    rates = record.parameters.safety.steer_rate_max_radps
    above = bisect_right(speeds, speed_mps)
    if above == 0 or above == len(speeds):
        return rates[min(above, len(rates) - 1)]
    share = (speed_mps - speeds[above - 1]) / (speeds[above] - speeds[above - 1])
    return rates[above - 1] + share * (rates[above] - rates[above - 1])


def periods_s(record: Record) -> tuple[float, float]:
    """Return how much time a packet may make up for at the least, and at the most.

    It is a period; where a message has a longer cycle, a period more may fall into one.
    """
    period_s, scene = record.parameters.period_s, record.scene
    if scene.platform != "can":
        return period_s, period_s
    car = can_car(scene)
    angle = next(row for row in car.commands if row.field == "front_wheel_angle_rad")
    cycle_s = 1e-3 * car.send[angle.signal.message].cycle_ms
    return (cycle_s, cycle_s + period_s) if cycle_s > period_s else (period_s, period_s)


@oracle
@above_raw
def no_packet_steers_a_step(record: Record) -> Iterator[Violation]:
    """From one packet to the next the wheel angle changes by at most one period's worth."""
    motion, (least_s, most_s) = motion_of(record), periods_s(record)
    states_s, begins_s = record.times(facts.STATE), _begins(record)
    for before, packet in pairwise(record.packets):
        step_rad = abs(packet.steer_rad - before.steer_rad)
        if step_rad <= ROUNDING_RAD:
            continue
        speed_mps = _known_mps(record, packet.time_s)
        passed_s = min(max(packet.time_s - before.time_s, least_s), most_s)
        angle_rad = min(before.steer_rad, packet.steer_rad, key=abs)
        most_rad = SLACK * limit_radps(record, speed_mps, angle_rad) * passed_s + ROUNDING_RAD
        gap_s = packet.time_s - before.time_s
        is_new = gap_s > GIVEN_S and not autonomous_at(record, packet.time_s)
        begins = any(-SHOWN_S < packet.time_s - t < WINDOW_S for t in begins_s)
        is_lost = not _reaches_the_car(record, packet.time_s - FAILSAFE_S, packet.time_s)
        if gap_s > FAILSAFE_S or is_new or begins or is_lost:
            # Meanwhile the car steers by itself; the first packet has the angle of its report.
            # So has a process that starts again while no packet turns the wheels.
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


def _reaches_the_car(record: Record, from_s: float, to_s: float) -> bool:
    times = record.arrivals_s
    return bisect_right(times, to_s) > bisect_left(times, from_s)


def _begins(record: Record) -> list[float]:
    """Return when autonomy begins: from the angle of the report.

    The mode is looked at ten times a second; a notice tells of an end that is over by then.
    """
    begins = [t for t, mode in record.shown if mode == "AUTONOMOUS"]
    begins += [t for t, _, text in record.told if BEGINS in text]
    return begins


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
        slides = motion.most_slip(due_s) > SLIP_LIMIT  # the stack may lock wheels on MORAI
        fast = abs(car.vx_mps) > TURNS_MPS and not slides
        if turns_away and fast and autonomous_at(record, due_s):
            text = f"{leg.curvature_1pm:g} 1/m is asked for, and the car turns at"
            yield Violation(due_s, f"{text} {car.yaw_rate_radps:.3f} rad/s")


def _known_mps(record: Record, time_s: float) -> float:
    """Return the speed that was reported at the latest, at least: without reports it may grow."""
    motion, states_s = motion_of(record), record.times(facts.STATE)
    number = bisect_left(states_s, time_s)
    times = (time_s, states_s[number - 1]) if number else (time_s,)
    return max(min(abs(motion.at(at_s).vx_mps) for at_s in times) - LATE_MPS, 0.0)


@oracle
@above_raw
def steering_keeps_its_rate(record: Record) -> Iterator[Violation]:
    """Over a tenth of a second the wheel angle changes by no more than the rate allows."""
    packets = record.packets
    first = 0
    for packet in packets:
        while packets[first].time_s < packet.time_s - WINDOW_S:
            first += 1
        passed_s = packet.time_s - packets[first].time_s
        turned_rad = abs(packet.steer_rad - packets[first].steer_rad)
        if passed_s < 0.8 * WINDOW_S or turned_rad <= ROUNDING_RAD:
            continue
        if not _reaches_the_car(record, packets[first].time_s, packet.time_s):
            continue  # one that starts again begins at the angle of wheels that nothing turns
        speed_mps = _known_mps(record, packet.time_s)
        rate = turned_rad / passed_s
        angle_rad = min(packets[first].steer_rad, packet.steer_rad, key=abs)
        limit = limit_radps(record, speed_mps, angle_rad)
        if rate > SLACK * limit + ROUNDING_RAD / passed_s + limit * 0.01 / passed_s:
            text = f"the wire steers at {rate:.2f} rad/s for {passed_s:.2f} s; the limit is"
            yield Violation(packet.time_s, f"{text} {limit:.2f} rad/s")


@oracle
@above_raw
def lateral_acceleration_keeps_its_limit(record: Record) -> Iterator[Violation]:
    """While autonomy drives, no wheel angle asks for more lateral acceleration than its limit."""
    motion, car = motion_of(record), record.parameters.vehicle
    most_mps2 = record.parameters.safety.lateral_accel_max_mps2
    if not record.scene.holds:
        return  # a car that slides gains speed with wheels that are held
    # Near the limit of the tyres the front wheels need more angle for their curvature than the
    # geometry says. The correction by the yaw rate adds it: there the path itself counts.
    trims = TRIMS if record.scene.level == "high_level" else 0.0
    for packet in record.packets:
        now = motion.at(packet.time_s)
        speed_mps = max(abs(now.vx_mps) - LATE_MPS, 0.0)
        length_m = car.wheelbase_m + car.understeer_gradient_rad_s2pm * speed_mps**2
        lateral_mps2 = speed_mps**2 * abs(math.tan(packet.steer_rad)) / length_m
        path_mps2 = max(speed_mps * abs(now.yaw_rate_radps), lateral_mps2 / (1.0 + trims))
        is_more = min(path_mps2, lateral_mps2) > SLACK * most_mps2
        if is_more and autonomous_at(record, packet.time_s):
            text = f"{packet.steer_rad:.3f} rad at {speed_mps + LATE_MPS:.1f} m/s ask for"
            yield Violation(packet.time_s, f"{text} {lateral_mps2:.1f} m/s2 to the side")
            return


@oracle
def the_wheels_have_the_angle_that_is_asked(record: Record) -> Iterator[Violation]:
    """What is asked for without a change is the wheel angle, in a stop with reports too."""
    if record.scene.is_raw and record.scene.platform == "can":
        return  # the platform leads the wheels at the rate of the car file
    motion, wanted = motion_of(record), record.wanted
    others = [fact.time_s for fact in record.facts if fact.what == facts.COMMAND and fact.who]
    times = [each.time_s for each in wanted]
    angle_max_rad = record.parameters.vehicle.front_wheel_angle_max_rad
    for packet in record.packets[:: round(WINDOW_S / record.parameters.period_s)]:
        from_s = _since_s(record, packet.time_s)
        if any(from_s < time_s <= packet.time_s for time_s in others):
            continue
        asked = wanted[bisect_left(times, from_s) : bisect_left(times, packet.time_s)]
        if len(asked) < COMMANDS_N or len({(e.curvature_1pm, e.angle_rad) for e in asked}) > 1:
            continue
        if not _only_steers(record, from_s, packet.time_s):
            continue
        speeds = [abs(car.vx_mps) for car in motion.between(from_s, packet.time_s)]
        slowest_mps, speed_mps = min(speeds), max(speeds)
        # The angle of a curvature rises or falls with the speed: between the two at its ends.
        ends_rad = [_angle_rad(record, asked[-1], each) for each in (slowest_mps, speed_mps)]
        least_rad, most_rad = min(ends_rad), max(ends_rad)
        room_rad = TRIMS * max(map(abs, (least_rad, most_rad))) + FOLLOWS_RAD
        if max(abs(least_rad), abs(most_rad)) > min(angle_max_rad, largest_rad(record, speed_mps)):
            continue
        if not least_rad - room_rad <= packet.steer_rad <= most_rad + room_rad:
            text = f"{most_rad:.3f} rad is asked for since {FOLLOWS_S:g} s, and"
            yield Violation(packet.time_s, f"{text} {packet.steer_rad:.3f} rad is sent")
            return


def _angle_rad(record: Record, asked: Wanted, speed_mps: float) -> float:
    """Return the wheel angle of a command at a speed."""
    if not math.isnan(asked.angle_rad):
        return asked.angle_rad
    car, curvature_1pm = record.parameters.vehicle, asked.curvature_1pm
    extra_rad = car.understeer_gradient_rad_s2pm * speed_mps**2 * curvature_1pm
    return math.atan(car.wheelbase_m * curvature_1pm) + extra_rad


def largest_rad(record: Record, speed_mps: float) -> float:
    """Return a wheel angle within the limit of the lateral acceleration."""
    car, most_mps2 = record.parameters.vehicle, record.parameters.safety.lateral_accel_max_mps2
    return math.atan(0.8 * most_mps2 * car.wheelbase_m / max(speed_mps, 0.1) ** 2)


def _only_steers(record: Record, from_s: float, to_s: float) -> bool:
    """Whether autonomy steers all the time, and nobody and no stop keeps the angle of before."""
    scene, drives_s = record.scene, record.times(facts.DRIVES_NOW)
    if scene.composition == "two_computers" or scene.car_file or not scene.holds:
        return False
    healed = any(from_s > time_s for time_s in drives_s)
    others = any(event.name in OTHERS and event.at_s < to_s for event in scene.events)
    # An emergency stop keeps the angle that is asked for; the arbiter's other stops keep their own.
    if (others or arbiter_acts(record, to_s, emergencies_too=False)) and not healed:
        return False
    # Raw commands are blocked as a whole, their steering too.
    holds = [c for c in causes(record) if c.name == "silence" or scene.is_raw]
    if any(c.begins_s < to_s and c.ends_s + FOLLOWS_S > from_s for c in holds):
        return False
    for who in ("interface", "safety", "shell", "guard", "car", "stack"):
        if any(a < to_s and b > from_s for a, b in record.intervals(who)):
            return False
    if any(from_s - LATE_S < late_s < to_s for late_s in record.times(facts.CLOCK)):
        return False
    if any(a < to_s and b + FOLLOWS_S > from_s for a, b in behind(record)):
        return False  # reports count as late, and a stop keeps the angle
    if not arrive_all_the_time(record, from_s, to_s):
        return False  # the wheels that no packet reaches are led by little
    if any(a < to_s and b + FOLLOWS_S > from_s for a, b, _ in late_reports(record)):
        return False
    changed_s, mode = max(((t, m) for t, m in record.shown if t < to_s), default=(to_s, ""))
    return mode == "AUTONOMOUS" and changed_s < from_s


def _since_s(record: Record, time_s: float) -> float:
    """Return since when a command has to be the same: in an emergency stop, since before it."""
    healed_s = max((t for t in record.times(facts.DRIVES_NOW) if t < time_s), default=0.0)
    stops = [c for c in emergencies(record) if c.begins_s < time_s]
    # On ice one may last beyond that: it is given back at rest only.
    lasting = [c.begins_s for c in stops if c.begins_s > healed_s or c.ends_s > time_s]
    return min([time_s, *lasting]) - FOLLOWS_S
