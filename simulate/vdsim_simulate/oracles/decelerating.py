"""The deceleration that is reached: of a stop and of a command, with any load and on any slope."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from vdsim_simulate.oracles.asked import quiet, wishes
from vdsim_simulate.oracles.causes import NO_COMMAND, Cause, arbiter_acts, causes
from vdsim_simulate.oracles.motion import G_MPS2, SLIP_LIMIT, ahead_of, motion_of
from vdsim_simulate.oracles.promises import autonomous_at, undisturbed
from vdsim_simulate.oracles.stops import SLIPPED_S, arrive_all_the_time, unreported_mps2
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record
from vdsim_simulate.scene import Scene

EMERGENCY_MPS2 = 6.0
REACHED, BY_ARBITER = 0.88, 0.44
"""Share of a stop's deceleration that is reached; of the arbiter's stop on a slope at least half of
that (docs/teleop.md)."""
LEARNT_S = {"silence": 2.0, "door open": 2.0, "emergency": 1.6}
"""By cause: from the jerk's end on, with what the loop needs to notice what is missing."""
SOFT_MPS = 2.5
"""Below this, at these decelerations, a stop becomes softer."""
GRIPS = 0.75
SAME_MPS2, STEADY_S, AFTER_S = 0.15, 1.1, 1.1
OFF_MPS2, OFF = 0.35, 0.12
WINDOW_S = 0.4
"""A command of this long counts as steady; what is off from it."""
MAKES_UP_MPS2 = 0.6
"""Of MORAI's emulator, for what the pedals of level ground do not give (docs/morai.md)."""


@oracle
def a_stop_reaches_its_deceleration(record: Record) -> Iterator[Violation]:
    """A stop that has built up reaches its deceleration, with any load and on any slope."""
    motion, scene = motion_of(record), record.scene
    unseen = [cause for cause in causes(record) if cause.of == "no STATE"]
    for cause in causes(record):
        wanted_mps2 = _wanted_mps2(record, cause)
        if cause.of == "no STATE" or not autonomous_at(record, cause.begins_s - 0.15):
            continue
        learns_s = LEARNT_S[cause.name]
        from_s = cause.begins_s + learns_s
        by_arbiter = cause.of == NO_COMMAND and arbiter_acts(record, cause.begins_s)
        reached = BY_ARBITER if by_arbiter else REACHED
        for car in motion.between(from_s, cause.ends_s):
            if abs(car.vx_mps) < SOFT_MPS or not undisturbed(record, cause, car.time_s):
                break
            rise = motion.rise(car.time_s)
            lately = motion.between(car.time_s - SLIPPED_S, car.time_s)
            sideways = (abs(each.vx_mps * each.yaw_rate_radps) for each in lately)
            turns = max(sideways, default=0.0) / G_MPS2
            grips = math.sqrt(max((GRIPS * scene.least_mu) ** 2 - turns**2, 0.0))
            if wanted_mps2 / G_MPS2 > grips + min(rise, 0.0):
                break  # a bend takes its share of what the tyres hold
            if not arrive_all_the_time(record, cause.begins_s - 0.5, car.time_s):
                break
            if any(each.begins_s < car.time_s < each.ends_s + learns_s for each in unseen):
                continue  # what the brake lacks is learnt from reports
            decel_mps2 = motion.decel_mps2(car.time_s)
            slips = motion.most_slip(car.time_s, SLIPPED_S) > SLIP_LIMIT
            unreported = unreported_mps2(record, car.time_s, wanted_mps2)
            least_mps2 = min(reached * wanted_mps2, unreported)
            if decel_mps2 < least_mps2 and not slips:
                text = f"a stop for {wanted_mps2:g} m/s2 brakes with {decel_mps2:.2f} m/s2"
                yield Violation(car.time_s, f"{text} at {abs(car.vx_mps):.1f} m/s; {cause.of}")
                return


def _wanted_mps2(record: Record, cause: Cause) -> float:
    stop_mps2 = record.parameters.safety.stop_decel_mps2
    return EMERGENCY_MPS2 if cause.name == "emergency" else stop_mps2


def made_up_mps2(scene: Scene) -> float:
    """Return by how much the car's own controller may change what it is asked for."""
    return MAKES_UP_MPS2 if scene.platform == "morai" and scene.cmd_type != "pedals" else 0.0


@oracle
def the_acceleration_is_the_one_that_is_asked_for(record: Record) -> Iterator[Violation]:
    """Undisturbed, a car that moves has the acceleration of its level, less that of the slope."""
    motion, scene = motion_of(record), record.scene
    if scene.level != "vehicle" or not scene.holds or scene.kerb_m or scene.patches:
        return
    limits = record.parameters.safety
    times = [time_s for time_s, _ in record.asked]
    events_s = [event.at_s for event in scene.events]
    straight = all(not leg.curvature_1pm for leg in scene.legs)
    for wish in wishes(record):
        until_s = min([wish.until_s, *(at_s for at_s in events_s if at_s > wish.from_s)])
        if not quiet(record, wish.from_s, until_s) or not (straight or scene.grade == 0.0):
            continue
        for car in motion.between(wish.from_s + AFTER_S, until_s):
            asked = record.asked[
                bisect_left(times, car.time_s - STEADY_S) : bisect_right(times, car.time_s - 0.05)
            ]
            values = [mps2 for _, mps2 in asked]
            ahead = ahead_of(car.vx_mps)
            if not values or max(values) - min(values) > SAME_MPS2 or abs(car.vx_mps) < SOFT_MPS:
                continue
            # Wheels that a wrong command has turned may have led a straight drive across the slope.
            across = math.cos(motion.heading_rad(car.time_s))
            slope_mps2 = across * G_MPS2 * math.sin(math.atan(scene.grade))
            mean_mps2 = sum(values) / len(values)
            in_range_mps2 = min(max(mean_mps2, -limits.decel_max_mps2), limits.accel_max_mps2)
            # A stack of this level makes up for a load itself, as for a slope.
            flat_mps2 = in_range_mps2 / scene.laden
            wanted_mps2 = ahead * (flat_mps2 - slope_mps2)
            if abs(wanted_mps2) > GRIPS * scene.least_mu * G_MPS2:
                continue
            is_mps2 = -motion.decel_mps2(car.time_s, WINDOW_S)
            if motion.most_slip(car.time_s, SLIPPED_S) > SLIP_LIMIT:
                continue
            # A simulator that computes the pedals makes up for the load, and some of the slope.
            makes_up_mps2 = made_up_mps2(scene)
            if makes_up_mps2:
                makes_up_mps2 += abs(in_range_mps2 - flat_mps2)
            made_up = min(max(ahead * in_range_mps2 - wanted_mps2, -makes_up_mps2), makes_up_mps2)
            least_mps2, most_mps2 = sorted((wanted_mps2, wanted_mps2 + made_up))
            off_mps2 = OFF_MPS2 + OFF * abs(flat_mps2)
            if not least_mps2 - off_mps2 <= is_mps2 <= most_mps2 + off_mps2:
                text = f"{wanted_mps2:.2f} m/s2 are asked for; the car has {is_mps2:.2f} m/s2"
                yield Violation(car.time_s, f"{text} at {car.vx_mps:.1f} m/s")
                return
