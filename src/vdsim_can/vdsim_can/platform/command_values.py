"""PlatformCommand -> values by field, with the pedals that a car with pedals needs."""

from __future__ import annotations

from typing import NamedTuple

from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.platforms.raw import RawScaling, raw_pedals
from vdsim_interface.values import (
    Authority,
    Blinker,
    BodyCommand,
    Change,
    Gear,
    Headlight,
    PlatformCommand,
    notice_kinds,
    travel_direction,
)
from vdsim_interface.values.records import record

from vdsim_can.fields.encoding import Value

LEAD_S = 0.1
"""The commanded speed is the one that the acceleration leads to in this time."""


class Motion(NamedTuple):
    """What is wanted: pedals 0 to 1, acceleration [m/s2], front and rear wheel angle [rad].

    `effort_mps2`: what the pedals give in the travel direction on level ground.
    """

    throttle: float
    brake: float
    accel_mps2: float
    front_rad: float
    rear_rad: float
    effort_mps2: float
    changes: tuple[Change, ...] = ()


def motion_of(
    command: PlatformCommand,
    speed_mps: float,
    pedal_map: PedalMap,
    scaling: RawScaling,
    most_rad: tuple[float, float],
) -> Motion:
    """Return the motion of a command; its pedals are those of the map at the present speed."""
    sense = travel_direction(command.body.gear, speed_mps)
    if command.raw is not None:
        raw = raw_pedals(command.raw, scaling, *most_rad)
        effort = pedal_map.effort(raw.throttle, raw.brake, speed_mps)
        return Motion(
            throttle=raw.throttle,
            brake=raw.brake,
            accel_mps2=sense * effort,
            front_rad=raw.front_rad,
            rear_rad=raw.rear_rad,
            effort_mps2=effort,
            changes=raw.changes,
        )
    vehicle = command.vehicle
    asked = sense * vehicle.long_accel_mps2
    pedal = pedal_map.pedal(asked, speed_mps)
    if command.no_drive:
        pedal = min(pedal, 0.0)
    throttle, brake = max(pedal, 0.0), max(-pedal, 0.0)
    if command.past_map and pedal <= pedal_map.pedals[0]:
        brake = pedal_map.brake(-asked, speed_mps)
    effort = pedal_map.effort(throttle, brake, speed_mps)
    changes: tuple[Change, ...] = ()
    at_the_end = not pedal_map.pedals[0] < pedal < pedal_map.pedals[-1]
    if at_the_end and abs(effort - asked) > 1e-6 and not command.past_map:
        before, after = sense * asked, sense * effort
        changes = (Change(notice_kinds.PLATFORM_LIMIT, "long_accel_mps2", before, after),)
    if command.hold_mps2:
        brake = max(brake, pedal_map.brake(command.hold_mps2, speed_mps))
    accel_mps2 = min(asked, 0.0) * sense if command.no_drive else sense * asked
    front_rad, rear_rad = vehicle.front_wheel_angle_rad, vehicle.rear_wheel_angle_rad
    return record(Motion, (throttle, brake, accel_mps2, front_rad, rear_rad, effort, changes))


def in_gear(motion: Motion, commanded: Gear, gear: Gear, speed_mps: float) -> Motion:
    """Return a motion for a car that is in another gear than the commanded one.

    Where the directions differ, what drives in one gear brakes in the other: only the brake passes.
    """
    sense = travel_direction(commanded, speed_mps)
    if travel_direction(gear, speed_mps) == sense:
        return motion
    brakes_mps2 = max(-sense * motion.accel_mps2, 0.0)
    effort_mps2 = min(motion.effort_mps2, 0.0)
    return motion._replace(throttle=0.0, accel_mps2=sense * brakes_mps2, effort_mps2=effort_mps2)


def body_values(body: BodyCommand) -> dict[str, Value]:
    """Return the fields of the body by name."""
    blinker, headlight = body.blinker, body.headlight
    return {
        "gear": body.gear.name,
        "blinker": blinker.name,
        "blinker_left": _switch(blinker in (Blinker.LEFT, Blinker.HAZARD)),
        "blinker_right": _switch(blinker in (Blinker.RIGHT, Blinker.HAZARD)),
        "headlight": headlight.name,
        "low_beam": _switch(headlight is not Headlight.OFF),
        "high_beam": _switch(headlight is Headlight.HIGH),
        "wiper": body.wiper.name,
        "hand_brake": _switch(body.hand_brake),
        "horn": _switch(body.horn),
    }


def motion_values(motion: Motion, speed_mps: float, authority: Authority) -> dict[str, Value]:
    """Return the fields of the motion by name; they are neutral where the command is none."""
    commands = authority is not Authority.SILENT
    return {
        "long_accel_mps2": motion.accel_mps2,
        "throttle": motion.throttle,
        "brake": motion.brake,
        "front_wheel_angle_rad": motion.front_rad,
        "rear_wheel_angle_rad": motion.rear_rad,
        "velocity_mps": speed_mps + LEAD_S * motion.accel_mps2,
        "motion_valid": _switch(commands),
        "autonomous": _switch(authority is Authority.COMMAND),
    }


def _switch(on: bool) -> str:
    return "ON" if on else "OFF"
