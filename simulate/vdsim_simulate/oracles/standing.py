"""Standing: the car is held, and what leaves on the wire is in range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_plant.parameters import load_vehicle

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import DRIVES, wishes
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.table import Violation, above_raw, oracle
from vdsim_simulate.record import Record

ROLLS_BACK_M, TRIES_M = 0.05, 0.3
"""The second one over the tries of a start, where no report says the slope (docs/hills.md)."""
SELDOM_HZ, SELDOM_M = 50.0, 0.05
"""A car that reports less often comes to rest between two reports (docs/hills.md)."""
PLACED_S = 0.5
"""A car that is placed on a slope rolls until its brake has built up; the interface has not sent
anything by then."""
STOPPED_MPS = 0.02
SPUN_RAD = 0.5
"""A car that was driven straight on has been turned by the road."""
TYRE_M = 0.4
"""A wheel nearer to a kerb than this may touch it."""
BOUNCES_S = 0.2
"""In this time a brake has built up that holds the car, a passenger car's too."""


@oracle
@above_raw
def the_car_does_not_roll_back(record: Record) -> Iterator[Violation]:
    """Where tyres can hold it, a car never rolls against the direction that is asked for."""
    scene = record.scene
    if not scene.holds or not _straight(record) or record.times(facts.LOADED):
        return  # in a bend of half a circle the car would come back along x
    most_m = TRIES_M if scene.platform == "morai" else ROLLS_BACK_M
    if scene.state_rate_hz < SELDOM_HZ:
        most_m += SELDOM_M
    motion, turns = motion_of(record), list(_turns(record))
    if len(turns) > 1 and any(event.name in DRIVES for event in scene.events):
        return
    for (from_s, ahead), (until_s, _) in pairwise([*turns, (scene.ends_s + 1.0, 0.0)]):
        furthest_m, furthest_s, has_stopped = -math.inf, from_s, False
        for car in motion.between(from_s, until_s):
            if abs(motion.heading_rad(car.time_s)) > SPUN_RAD:
                return  # on locked wheels and two frictions; it drives on across x, or back
            # What drove the other way stops first.
            has_stopped = has_stopped or ahead * car.vx_mps > -STOPPED_MPS
            if not has_stopped:
                continue
            if ahead * car.x_m > furthest_m:
                furthest_m, furthest_s = ahead * car.x_m, car.time_s
            rolled_m = furthest_m - ahead * car.x_m
            if ahead * car.vx_mps >= 0.0 or rolled_m <= most_m:
                continue
            if rolled_m > most_m + _bounces_m(record, furthest_s):
                yield Violation(car.time_s, f"the car has rolled back by {rolled_m:.2f} m")
                return


def _bounces_m(record: Record, turned_s: float) -> float:
    """Return how far a kerb may push a car back that turned at this time.

    What the tyre took up it gives back; no brake ends that before it has built up.
    """
    kerb_m, motion = record.scene.kerb_m, motion_of(record)
    body, x_m = load_vehicle(record.scene.car).body, motion.at(turned_s).x_m
    axles_m = (x_m + body.cg_to_front_axle_m, x_m - body.cg_to_rear_axle_m)
    if not kerb_m or not any(abs(axle_m - kerb_m) < TYRE_M for axle_m in axles_m):
        return 0.0
    before = motion.between(turned_s - BOUNCES_S, turned_s)
    return BOUNCES_S * max((abs(car.vx_mps) for car in before), default=0.0)


def _turns(record: Record) -> Iterator[tuple[float, float]]:
    """Yield from when on the stack asks for which direction: 1 forward, -1 in reverse."""
    before, sent = 1.0, record.packets
    yield min(PLACED_S, sent[0].time_s if sent else PLACED_S), before
    for wish in wishes(record):
        if wish.leg.speed_mps * before < 0.0:
            before = -before
            yield wish.from_s, before


def _straight(record: Record) -> bool:
    return all(abs(leg.curvature_1pm) == 0.0 for leg in record.scene.legs)


@oracle
def packets_are_in_range(record: Record) -> Iterator[Violation]:
    """Every packet is finite, with pedals from 0 to 1 and an angle that the car can steer."""
    most_rad = record.parameters.vehicle.front_wheel_angle_max_rad + 1e-4
    for packet in record.packets:
        fits = 0.0 <= packet.throttle <= 1.0 and 0.0 <= packet.brake <= 1.0
        if not fits or not abs(packet.steer_rad) <= most_rad:
            yield Violation(packet.time_s, f"a packet is out of range: {packet}")


@oracle
def shown_is_what_is_done(record: Record) -> Iterator[Violation]:
    """While the interface shows a mode that does not drive, no packet has throttle."""
    motion, changes = motion_of(record), [*record.shown, (record.scene.ends_s, "")]
    for (since_s, mode), (until_s, _) in pairwise(changes):
        if mode == "AUTONOMOUS":
            continue
        for packet in record.packets:
            is_shown = since_s + SHOWN_S < packet.time_s < until_s - SHOWN_S
            if is_shown and packet.throttle > 0.0 and not _has_engaged(record, packet.time_s):
                speed_mps = motion.at(packet.time_s).vx_mps
                text = f"throttle {packet.throttle:.3f} at {speed_mps:.1f} m/s"
                yield Violation(packet.time_s, f"{text} while {mode} is shown")
                return


def _has_engaged(record: Record, time_s: float) -> bool:
    """Whether somebody has just engaged: a drive that ends at once may never be looked at."""
    return any(0.0 <= time_s - t < SHOWN_S for t in record.times(facts.ENGAGED))


SHOWN_S = 0.15
"""The mode is looked at ten times a second."""
