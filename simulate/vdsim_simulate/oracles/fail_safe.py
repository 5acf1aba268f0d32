"""The car's own fail-safe: no drive, its brake, the wheels where they were, whoever else sends.

What it does is a sentence of docs/realtime-server.md; the cars of both wires keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vdsim_simulate.car import TICK_S
from vdsim_simulate.oracles.causes import broken
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.promptness import FAILSAFE_BRAKE
from vdsim_simulate.oracles.stops import FAILSAFE_S, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.oracles.wire import in_force
from vdsim_simulate.record import Record, Sample

REACTS_S = {"ideal": 2.5 * TICK_S, "passenger_car": 0.7}
"""The tick that notices it; and what actuators take until what is asked is there."""
OFF, OFF_RAD = 0.02, 0.01
"""What a lag leaves of a pedal and of an angle."""
COMMANDED_S = 0.2
"""A frame is in effect when the car has read it; meanwhile others may have left."""


class Alone(NamedTuple):
    """An interval in which no command drives the car, and what angles were commanded last."""

    begins_s: float
    ends_s: float
    angles_rad: tuple[float, ...]


def alone(record: Record) -> Iterator[Alone]:
    """Return when the car's fail-safe acts, from when the actuators have followed it on."""
    reacts_s = REACTS_S[record.scene.actuator]
    if record.scene.platform == "vds1":
        first_s = record.received[0][0] if record.received else record.scene.ends_s
        yield Alone(FAILSAFE_S + reacts_s, first_s, (0.0,))
        for from_s, to_s, number, is_certain in in_force(record):
            if is_certain:
                angle_rad = record.packets[number].steer_rad
                yield Alone(from_s + FAILSAFE_S + reacts_s, to_s, (angle_rad,))
        return
    strangers = [each for each in broken(record) if each.kind == "foreign"]
    for begins_s, ends_s in record.left_alone():
        if any(s.begins_s < ends_s and s.ends_s > begins_s - COMMANDED_S for s in strangers):
            continue  # the ECUs follow whoever sends a command's message
        sent = sent_between(record, begins_s - COMMANDED_S, begins_s)
        angles_rad = [packet.steer_rad for packet in sent]
        yield Alone(begins_s + reacts_s, ends_s, tuple(angles_rad))


@oracle
def the_fail_safe_brakes_and_holds_the_wheels(record: Record) -> Iterator[Violation]:
    """In the car's own fail-safe nothing drives, the brake is its own, the wheels stay."""
    motion, stalls = motion_of(record), record.intervals("car")
    takes_s = FAILSAFE_S + REACTS_S[record.scene.actuator]
    limit_rad = record.parameters.vehicle.front_wheel_angle_max_rad
    for each in alone(record):
        from_s = each.begins_s
        for begins_s, ends_s in stalls:  # a process that does not run notices nothing
            if begins_s < each.ends_s and ends_s > from_s - takes_s:
                from_s = max(from_s, ends_s + takes_s)
        for car in motion.between(from_s, each.ends_s):
            wrong = _wrong(car, each.angles_rad, limit_rad)
            if wrong:
                text = f"{wrong} {car.time_s - each.begins_s:.2f} s after the fail-safe began"
                yield Violation(car.time_s, f"{text}, at {car.vx_mps:.1f} m/s")
                return


def _wrong(car: Sample, angles_rad: tuple[float, ...], limit_rad: float) -> str:
    if abs(car.throttle) > OFF:
        return f"throttle {car.throttle:.2f}"
    if abs(car.brake - FAILSAFE_BRAKE) > OFF:
        return f"brake {car.brake:.2f}"
    if not angles_rad or max(map(abs, angles_rad)) > limit_rad - OFF_RAD:
        return ""  # nobody has commanded yet, or more than the car can steer
    if not min(angles_rad) - OFF_RAD < car.steer_rad < max(angles_rad) + OFF_RAD:
        return f"the wheels are at {car.steer_rad:.3f} rad, not at {angles_rad[-1]:.3f} rad,"
    return ""
