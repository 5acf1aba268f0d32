"""One sentence per change: for notices, the trace and vdsim_explain."""

from enum import IntEnum

from vdsim_interface.values import Blinker, Change, Gear, Headlight

CHANNEL_WORDS = {
    "long_accel_mps2": ("acceleration", "m/s2"),
    "front_wheel_angle_rad": ("front wheel angle", "rad"),
    "rear_wheel_angle_rad": ("rear wheel angle", "rad"),
    "rear_steer": ("raw rear steer", ""),
    "velocity_mps": ("velocity", "m/s"),
    "curvature_1pm": ("curvature", "1/m"),
    "blinker": ("turn signal", ""),
    "headlight": ("headlight", ""),
    "raw": ("raw command", ""),
    "throttle": ("throttle", ""),
    "brake": ("brake", ""),
    "gear": ("gear", ""),
}

ENUMS: dict[str, type[IntEnum]] = {"gear": Gear, "blinker": Blinker, "headlight": Headlight}
"""Channels whose numbers have names."""


def change_sentence(change: Change) -> str:
    """Describe what was changed and why."""
    channel, unit = CHANNEL_WORDS.get(change.channel, (change.channel, ""))
    before, after = (
        _value_words(change.channel, number) for number in (change.before, change.after)
    )
    return f"{channel} {before} -> {after} {unit}".rstrip() + f": {change.kind.why}"


def _value_words(channel: str, number: float) -> str:
    names = ENUMS.get(channel)
    return f"{number:.4g}" if names is None else names(round(number)).name
