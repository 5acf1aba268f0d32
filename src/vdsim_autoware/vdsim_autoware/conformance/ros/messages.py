"""Autoware's messages <-> plain numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    GearCommand,
    GearReport,
    HazardLightsCommand,
    HazardLightsReport,
    SteeringReport,
    TurnIndicatorsCommand,
    TurnIndicatorsReport,
    VelocityReport,
)
from builtin_interfaces.msg import Time

from vdsim_autoware.conformance import interface as names

COMMANDS: Mapping[str, Any] = {
    names.CONTROL: Control,
    names.GEAR: GearCommand,
    names.TURN: TurnIndicatorsCommand,
    names.HAZARD: HazardLightsCommand,
    names.MANUAL_CONTROL: Control,
    names.MANUAL_GEAR: GearCommand,
}
CONTROLS = (names.CONTROL, names.MANUAL_CONTROL)
STATUSES: Mapping[str, Any] = {
    names.VELOCITY_STATUS: VelocityReport,
    names.STEERING_STATUS: SteeringReport,
    names.GEAR_STATUS: GearReport,
    names.TURN_STATUS: TurnIndicatorsReport,
    names.HAZARD_STATUS: HazardLightsReport,
    names.MODE_STATUS: ControlModeReport,
}
_FIELDS = {
    names.VELOCITY_STATUS: ("longitudinal_velocity", "lateral_velocity", "heading_rate"),
    names.STEERING_STATUS: ("steering_tire_angle",),
    names.MODE_STATUS: ("mode",),
}


def to_time(nanoseconds: int) -> Time:
    """Return a stamp."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return Time(sec=seconds, nanosec=rest)


def command(topic: str, values: tuple[float, ...], stamp: Time) -> Any:
    """Return the message of a command."""
    if topic not in CONTROLS:
        return COMMANDS[topic](stamp=stamp, command=int(values[0]))
    message = Control(stamp=stamp, control_time=stamp)
    message.lateral.stamp = message.longitudinal.stamp = stamp
    message.lateral.control_time = message.longitudinal.control_time = stamp
    message.longitudinal.velocity, message.longitudinal.acceleration = values[0], values[1]
    message.longitudinal.is_defined_acceleration = True
    message.lateral.steering_tire_angle = values[2]
    return message


def status(topic: str, message: Any) -> tuple[tuple[float, ...], int]:
    """Return the numbers of a status and its stamp [ns]."""
    fields = _FIELDS.get(topic, ("report",))
    stamp = message.header.stamp if hasattr(message, "header") else message.stamp
    values = tuple(float(getattr(message, name)) for name in fields)
    return values, stamp.sec * 10**9 + stamp.nanosec
