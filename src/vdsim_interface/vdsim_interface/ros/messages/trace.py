"""CommandTrace <-> its message."""

from __future__ import annotations

import math
import re

from vdsim_interface.pipeline.trace.gate_record import from_text, to_text
from vdsim_interface.pipeline.trace.trace import CommandTrace
from vdsim_interface.ros.messages.conversions import (
    ToSeconds,
    ToStamp,
    seconds_of,
    time_message,
)
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import (
    LEVEL_OF,
    Applied,
    Authority,
    BodyCommand,
    Change,
    Command,
    Gear,
    HighLevelCommand,
    Mode,
    RawCommand,
    VehicleCommand,
    WireCommand,
    notice_kinds,
)
from vdsim_msgs.msg import CommandStage
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg

_BLOCKED = "commands are blocked: "
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
        safe.reasons.append(f"{_BLOCKED}{trace.blocked}")
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


# ---- and back, to explain a trace ---------------------------------------------------

_REASON = re.compile(r"(?P<channel>.+) (?P<before>\S+) -> (?P<after>\S+) by (?P<kind>\S+)$")


def trace_value(message: CommandTraceMsg, seconds: ToSeconds = seconds_of) -> CommandTrace:
    """The trace of a message. The message holds only the gear of the body."""
    safe = _vehicle(message.safe, seconds) or VehicleCommand(-math.inf)
    has_raw = message.safe.valid and not math.isnan(message.safe.throttle)
    applied, wire = message.applied, message.wire
    reasons = (*message.filtered.reasons, *message.safe.reasons, *wire.reasons)
    return CommandTrace(
        stamp_s=seconds(message.stamp),
        mode=Mode(message.mode),
        authority=Authority(message.authority),
        received=_received(message, seconds),
        controlled=_vehicle(message.controlled, seconds),
        filtered=_vehicle(message.filtered, seconds),
        safe=safe,
        raw=_raw(message.safe, seconds) if has_raw else None,
        body=BodyCommand(Gear(message.safe.gear)),
        wire=WireCommand(wire.front_wheel_angle_rad, wire.throttle, wire.brake, wire.accel_mps2)
        if wire.valid
        else None,
        wire_sequence=message.wire_sequence if wire.valid else None,
        applied=Applied(
            applied.front_wheel_angle_rad, applied.accel_mps2, applied.throttle, applied.brake
        )
        if applied.valid
        else None,
        applied_stamp_s=seconds(applied.stamp) if applied.valid else -math.inf,
        changes=tuple(_change(reason) for reason in reasons if not reason.startswith(_BLOCKED)),
        blocked=next((r.removeprefix(_BLOCKED) for r in reasons if r.startswith(_BLOCKED)), ""),
        gate=from_text(message.gate) if message.gate else None,
    )


def _received(message: CommandTraceMsg, seconds: ToSeconds) -> Command | None:
    stage = message.received
    if not stage.valid:
        return None
    if message.level == "high_level":
        return HighLevelCommand(seconds(stage.stamp), stage.velocity_mps, stage.curvature_1pm)
    return _raw(stage, seconds) if message.level == "raw" else _vehicle(stage, seconds)


def _vehicle(stage: CommandStage, seconds: ToSeconds) -> VehicleCommand | None:
    if not stage.valid or math.isnan(stage.accel_mps2):
        return None
    return VehicleCommand(
        seconds(stage.stamp),
        stage.accel_mps2,
        stage.front_wheel_angle_rad,
        stage.rear_wheel_angle_rad,
    )


def _raw(stage: CommandStage, seconds: ToSeconds) -> RawCommand:
    # The message carries no raw steering: a raw trace is read for its pedals.
    return RawCommand(seconds(stage.stamp), int(stage.throttle), int(stage.brake))


def _change(reason: str) -> Change:
    """Raises ValueError for a text that `_reasons` did not write."""
    match = _REASON.match(reason)
    if match is None:
        raise ValueError(f"not a reason of a command trace: {reason}")
    before, after = float(match["before"]), float(match["after"])
    return Change(kind_named(match["kind"]), match["channel"], before, after)
