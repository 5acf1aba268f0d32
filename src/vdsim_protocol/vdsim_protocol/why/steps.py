"""The way of a command, step by step: what changed it, since when, by which bound. Pure.

requested -> filtered -> limited -> gate -> sent -> applied
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

ACCEL, FRONT, REAR = "long_accel_mps2", "front_wheel_angle_rad", "rear_wheel_angle_rad"
_STEER_RATE = ("safety.steer_rate_max_radps", "safety.lateral_jerk_max_mps3")
BOUNDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("range", ACCEL): ("safety.accel_max_mps2", "safety.decel_max_mps2"),
    ("range", FRONT): ("vehicle.front_wheel_angle_max_rad",),
    ("range", REAR): ("vehicle.rear_wheel_angle_max_rad",),
    ("lateral_accel", FRONT): ("safety.lateral_accel_max_mps2",),
    ("lateral_accel", REAR): ("safety.lateral_accel_max_mps2",),
    ("rate", ACCEL): ("safety.jerk_max_mps3", "safety.brake_jerk_max_mps3"),
    ("rate", FRONT): _STEER_RATE,
    ("rate", REAR): _STEER_RATE,
    ("steer_lead", FRONT): ("safety.steer_lead_max_rad",),
    ("steer_lead", REAR): ("safety.steer_lead_max_rad",),
    ("high_frequency", ACCEL): ("safety.oscillation_cutoff_hz",),
    ("high_frequency", FRONT): ("safety.oscillation_cutoff_hz",),
    ("high_frequency", REAR): ("safety.oscillation_cutoff_hz",),
    ("standstill_hold", ACCEL): ("safety.standstill_hold_mps2",),
    ("link_timeout", ACCEL): ("safety.report_timeout_s",),
}
"""The parameters that bound what a rule lets pass of a channel."""
_STEP_OF = {"low_pass": "filtered", "platform_limit": "sent"}
_REASON = re.compile(r"(?P<channel>.+) (?P<before>\S+) -> (?P<after>\S+) by (?P<rule>\S+)$")
_UNITS = (
    ("velocity_mps", "speed", "m/s"),
    ("curvature_1pm", "curvature", "1/m"),
    ("accel_mps2", "acceleration", "m/s2"),
    ("wheel_angle_rad", "wheel angle", "rad"),
    ("throttle", "throttle", ""),
    ("brake", "brake", ""),
)
_WORDS = {
    ACCEL: "acceleration [m/s2]",
    FRONT: "front wheel angle [rad]",
    REAR: "rear wheel angle [rad]",
}


class Stage(NamedTuple):
    """A command at one stage of its way; None: it has no such quantity there."""

    velocity_mps: float | None = None
    curvature_1pm: float | None = None
    accel_mps2: float | None = None
    wheel_angle_rad: float | None = None
    throttle: float | None = None
    brake: float | None = None
    gear: str = ""


class Way(NamedTuple):
    """Of command_trace: a command's stages, in their order, and why it was changed."""

    stages: tuple[tuple[str, Stage], ...]
    reasons: tuple[str, ...]
    blocked: str


class Changed(NamedTuple):
    """A rule has changed a value; `since_s`: for how long it has acted, None: not known."""

    text: str
    rule: str
    since_s: float | None
    bounds: tuple[str, ...]

    @property
    def line(self) -> str:
        """For a person."""
        since = "" if self.since_s is None else f", for {self.since_s:.1f} s"
        return f"{self.text} by the rule {self.rule}{since}"


class Step(NamedTuple):
    """One step: its values in words, and what was changed to make them."""

    name: str
    text: str
    changes: tuple[Changed, ...]


def steps(way: Way, since_s: Mapping[str, float]) -> tuple[Step, ...]:
    """Every step of a way. `since_s`: for how long each rule has acted."""
    stages = dict(way.stages)
    changes: dict[str, list[Changed]] = {}
    for reason in way.reasons:
        if (match := _REASON.match(reason)) is None:
            continue
        channel, before, after, rule = match.groups()
        name = "gate" if rule.startswith("gate_") else _STEP_OF.get(rule, "limited")
        values = f"{before} -> {after}" if before != after else f"held at {after}"
        text = f"{_WORDS.get(channel, channel.replace('_', ' '))} {values}"
        changed = Changed(text, rule, since_s.get(rule), BOUNDS.get((rule, channel), ()))
        changes.setdefault(name, []).append(changed)
    return tuple(
        Step(name, _text(stages.get(name)), tuple(changes.get(name, ())))
        for name in ("requested", "filtered", "limited", "gate", "sent", "applied")
        if name in stages or name in changes
    )


def _text(stage: Stage | None) -> str:
    if stage is None:
        return ""
    parts = [
        f"{word} {value:.3g} {unit}".rstrip()
        for name, word, unit in _UNITS
        if (value := getattr(stage, name)) is not None
    ]
    return ", ".join(parts) or "nothing"
