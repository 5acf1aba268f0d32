"""The way of a command, step by step: what changed it, since when, by which bound. Pure.

requested -> filtered -> limited -> gate -> sent -> applied
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

BOUNDS: Mapping[str, tuple[str, ...]] = {
    "range": ("safety.accel_max_mps2", "safety.decel_max_mps2"),
    "lateral_accel": ("safety.lateral_accel_max_mps2",),
    "rate": ("safety.jerk_max_mps3", "safety.brake_jerk_max_mps3", "safety.lateral_jerk_max_mps3"),
    "steer_lead": ("safety.steer_lead_max_rad",),
    "high_frequency": ("safety.oscillation_cutoff_hz",),
    "standstill_hold": ("safety.standstill_hold_mps2",),
    "link_timeout": ("safety.report_timeout_s",),
}
"""The parameters that bound what a rule lets pass."""
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
    "long_accel_mps2": "acceleration [m/s2]",
    "front_wheel_angle_rad": "front wheel angle [rad]",
    "rear_wheel_angle_rad": "rear wheel angle [rad]",
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
        rule = match["rule"]
        name = "gate" if rule.startswith("gate_") else _STEP_OF.get(rule, "limited")
        channel = _WORDS.get(match["channel"], match["channel"].replace("_", " "))
        text = f"{channel} {match['before']} -> {match['after']}"
        changed = Changed(text, rule, since_s.get(rule), BOUNDS.get(rule, ()))
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
