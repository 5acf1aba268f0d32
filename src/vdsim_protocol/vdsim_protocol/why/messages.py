"""Messages of a vehicle interface -> values, by their fields, without their package. Pure."""

from __future__ import annotations

import math
from typing import Any

from vdsim_protocol.why.evidence import MODE_NAMES, Control, ModeEnd, Rule, Source
from vdsim_protocol.why.heard import Body, InControl, Status
from vdsim_protocol.why.steps import Stage, Way

_LEVELS = ("", "high_level", "vehicle", "raw")
_BLOCKED = "commands are blocked: "
"""Begins the reason of a trace's safe stage that is about the whole command."""
_GEARS = ("DRIVE", "REVERSE", "PARK", "LOW", "NEUTRAL")
_BLINKERS = ("OFF", "LEFT", "RIGHT", "HAZARD")
_HEADLIGHTS = ("OFF", "ON", "HIGH")
_WIPERS = ("OFF", "LOW", "HIGH", "CLEAN")
"""By number, as in VehicleStateReport."""
_DROPS = ("non_finite_command", "wrong_level")
"""Rules that drop a command and change none."""
_CONTROLS = {each.value: each for each in Control}


def status_of(message: Any) -> Status:
    """Of safety_status; ages count from its stamp."""
    age_s = float(message.command_age_s)
    return Status(
        mode=_word(MODE_NAMES, message.mode),
        disengaged=_end(message.last_disengage_reason, message.last_disengage_stamp, message.stamp),
        refused=_end(message.last_refusal_reason, message.last_refusal_stamp, message.stamp),
        command_age_s=age_s if math.isfinite(age_s) else None,
        is_command_stale=bool(message.command_timed_out),
        is_link_well=bool(message.vehicle_link_ok),
        link_reason=message.vehicle_link_reason,
        active=tuple(Rule(each.rule, each.reason) for each in message.interventions if each.active),
        dropped={
            Rule(each.rule, each.reason): each.count
            for each in message.interventions
            if each.rule in _DROPS
        },
    )


def in_control_of(message: Any) -> InControl:
    """Of control_source."""
    return InControl(
        control=_CONTROLS.get(message.state, Control.NONE),
        source=message.source,
        reason=message.reason,
        sources=tuple(
            Source(each.name, float(each.age_s), _word(_LEVELS, each.level))
            for each in message.sources
        ),
        locks=tuple(message.active_locks),
    )


def body_of(message: Any) -> Body:
    """Of state_report."""
    return Body(
        gear=_word(_GEARS, message.gear),
        has_hand_brake=bool(message.hand_brake),
        blinker=_word(_BLINKERS, message.blinker),
        headlight=_word(_HEADLIGHTS, message.headlight),
        wiper=_word(_WIPERS, message.wiper),
        has_horn=bool(message.horn),
    )


def way_of(message: Any) -> Way:
    """Of command_trace."""
    stages = (
        ("requested", message.received),
        ("filtered", message.filtered),
        ("limited", message.safe),
        ("sent", message.wire),
        ("applied", message.applied),
    )
    every = [
        reason
        for stage in (message.controlled, message.filtered, message.safe, message.wire)
        for reason in stage.reasons
    ]
    blocked = next((each for each in every if each.startswith(_BLOCKED)), "")
    return Way(
        stages=tuple((name, _stage(stage)) for name, stage in stages),
        reasons=tuple(each for each in every if each is not blocked),
        blocked=blocked.removeprefix(_BLOCKED),
    )


def _stage(message: Any) -> Stage:
    if not message.valid:
        return Stage()
    return Stage(
        velocity_mps=_known(message.velocity_mps),
        curvature_1pm=_known(message.curvature_1pm),
        accel_mps2=_known(message.accel_mps2),
        wheel_angle_rad=_known(message.front_wheel_angle_rad),
        throttle=_known(message.throttle),
        brake=_known(message.brake),
        gear=_word(_GEARS, message.gear),
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _end(reason: str, stamp: Any, now: Any) -> ModeEnd:
    if not reason:
        return ModeEnd()
    age_s = (now.sec - stamp.sec) + 1e-9 * (now.nanosec - stamp.nanosec)
    return ModeEnd(reason, max(0.0, age_s))


def _word(words: tuple[str, ...], value: int) -> str:
    return words[value] if value < len(words) else ""
