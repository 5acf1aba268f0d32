"""CommandTrace -> its message; extras/explain/ros/trace_value.py reads it."""

from __future__ import annotations

import math

from vdsim_interface.pipeline.gate_text import to_text
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.ros.messages.conversions import (
    ToStamp,
    time_message,
)
from vdsim_interface.values import (
    LEVEL_OF,
    Applied,
    Change,
    Command,
    HighLevelCommand,
    VehicleCommand,
    WireCommand,
    notice_kinds,
)
from vdsim_msgs.msg import CommandStage
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg

BLOCKED = "commands are blocked: "
"""Begins the reason of the safe stage that is about no single channel."""
_NO_GEAR = 255
_UNKNOWN = dict.fromkeys(
    (
        "velocity_mps",
        "curvature_1pm",
        "accel_mps2",
        "front_wheel_angle_rad",
        "rear_wheel_angle_rad",
        "throttle",
        "brake",
    ),
    math.nan,
)


def command_stage(
    command: Command | None, gear: int = 0, stamp: ToStamp = time_message
) -> CommandStage:
    """A command of any level at one stage; None: it was not there."""
    stage = CommandStage(valid=command is not None, gear=gear, **_UNKNOWN)
    if command is None:
        return stage
    stage.stamp = stamp(command.stamp_s)
    if isinstance(command, HighLevelCommand):
        stage.velocity_mps, stage.curvature_1pm = command.velocity_mps, command.curvature_1pm
    elif isinstance(command, VehicleCommand):
        stage.accel_mps2 = command.long_accel_mps2
        stage.front_wheel_angle_rad = command.front_wheel_angle_rad
        stage.rear_wheel_angle_rad = command.rear_wheel_angle_rad
    else:
        stage.throttle, stage.brake = float(command.throttle), float(command.brake)
    return stage


def _applied_stage(applied: Applied | None, stamp_s: float, stamp: ToStamp) -> CommandStage:
    stage = CommandStage(valid=applied is not None, gear=_NO_GEAR, **_UNKNOWN)
    if applied is not None:
        stage.stamp = stamp(stamp_s)
        stage.accel_mps2 = applied.long_accel_mps2
        stage.front_wheel_angle_rad = applied.front_wheel_angle_rad
        stage.throttle, stage.brake = applied.throttle, applied.brake
    return stage


def _wire_stage(
    wire: WireCommand | None, stamp_s: float, gear: int, stamp: ToStamp
) -> CommandStage:
    stage = CommandStage(valid=wire is not None, gear=gear, **_UNKNOWN)
    if wire is not None:
        stage.stamp = stamp(stamp_s)
        stage.front_wheel_angle_rad = wire.front_wheel_angle_rad
        stage.accel_mps2 = wire.long_accel_mps2
        stage.throttle, stage.brake = wire.throttle, wire.brake
    return stage


def _reason(change: Change) -> str:
    return f"{change.channel} {change.before:g} -> {change.after:g} by {change.kind}"


def trace_message(
    trace: CommandTrace, command_id: int, stamp: ToStamp = time_message
) -> CommandTraceMsg:
    """One command at every stage; each reason is listed at the stage that it changed."""
    received = trace.received
    gear = int(trace.body.gear)
    safe = command_stage(trace.raw if trace.raw is not None else trace.safe, gear, stamp)
    filtered = command_stage(trace.filtered, stamp=stamp)
    wire = _wire_stage(trace.wire, trace.stamp_s, gear, stamp)
    stages = {notice_kinds.LOW_PASS: filtered, notice_kinds.PLATFORM_LIMIT: wire}
    for change in trace.changes:
        stages.get(change.kind, safe).reasons.append(_reason(change))
    if trace.blocked:
        safe.reasons.append(f"{BLOCKED}{trace.blocked}")
    return CommandTraceMsg(
        stamp=stamp(trace.stamp_s),
        level=LEVEL_OF[type(received)].value if received is not None else "none",
        command_id=command_id,
        mode=int(trace.mode),
        authority=int(trace.authority),
        received=command_stage(received, stamp=stamp),
        controlled=command_stage(trace.controlled, stamp=stamp),
        filtered=filtered,
        safe=safe,
        wire=wire,
        wire_sequence=trace.wire_sequence or 0,
        applied=_applied_stage(trace.applied, trace.applied_stamp_s, stamp),
        gate="" if trace.gate is None else to_text(trace.gate),
    )
