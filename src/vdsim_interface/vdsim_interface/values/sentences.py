"""One sentence per change: for notices, the trace and vdsim_explain."""

from enum import IntEnum

from vdsim_interface.values import Blinker, Change, Gear, Headlight, notice_kinds

CHANNEL_WORDS = {
    "long_accel_mps2": ("acceleration", "m/s2"),
    "front_wheel_angle_rad": ("front wheel angle", "rad"),
    "rear_wheel_angle_rad": ("rear wheel angle", "rad"),
    "rear_steer": ("raw rear steer", ""),
    "blinker": ("turn signal", ""),
}

ENUMS: dict[str, type[IntEnum]] = {"gear": Gear, "blinker": Blinker, "headlight": Headlight}
"""Channels whose numbers have names."""
_HELD = {notice_kinds.GEAR_STOP: Gear.PARK, notice_kinds.HAND_BRAKE_STOP: True}
"""What a hold at rest sets; whatever comes after it is its end."""


def change_sentence(change: Change) -> str:
    """Describe what was changed and why."""
    channel, unit = CHANNEL_WORDS.get(change.channel, (change.channel, ""))
    before, after = (_value_words(change.channel, v) for v in (change.before, change.after))
    values = f"{before} -> {after}" if before != after else f"held at {after}"
    ends = change.after != _HELD.get(change.kind, change.after)
    why = "a request to drive ends the hold at rest" if ends else change.kind.why
    return f"{channel} {values} {unit}".rstrip() + f": {why}"


def _value_words(channel: str, number: float) -> str:
    return names(round(number)).name if (names := ENUMS.get(channel)) else f"{number:.4g}"
