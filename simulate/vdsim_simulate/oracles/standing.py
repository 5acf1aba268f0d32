"""Standing: the car is held, and what leaves on the wire is in range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

ROLLS_BACK_M = 0.05


@oracle
def the_car_does_not_roll_back(record: Record) -> Iterator[Violation]:
    """Where tyres can hold it, a car that is only asked to drive forward never rolls back."""
    if not record.scene.holds:
        return
    furthest_m = -math.inf
    for car in record.car:
        furthest_m = max(furthest_m, car.x_m)
        # In a bend of half a circle the car would come back along x.
        if car.vx_mps < 0.0 and furthest_m - car.x_m > ROLLS_BACK_M and _straight(record):
            text = f"the car has rolled back by {furthest_m - car.x_m:.2f} m"
            yield Violation(car.time_s, text)
            return


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
            if is_shown and packet.throttle > 0.0:
                speed_mps = motion.at(packet.time_s).vx_mps
                text = f"throttle {packet.throttle:.3f} at {speed_mps:.1f} m/s"
                yield Violation(packet.time_s, f"{text} while {mode} is shown")
                return


SHOWN_S = 0.15
"""The mode is looked at ten times a second."""
