"""CommandTrace of its message, to explain it."""

from __future__ import annotations

import math
import re

from vdsim_interface.extras.explain.gate_record import from_text
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.ros.messages.conversions import ToSeconds, seconds_of
from vdsim_interface.ros.messages.trace import BLOCKED
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import (
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
)
from vdsim_msgs.msg import CommandStage
from vdsim_msgs.msg import CommandTrace as CommandTraceMsg

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
        changes=tuple(_change(reason) for reason in reasons if not reason.startswith(BLOCKED)),
        blocked=next((r.removeprefix(BLOCKED) for r in reasons if r.startswith(BLOCKED)), ""),
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
