"""What a log may hold: the channels by name, their units, and other names that they have.

Frames: ISO 8855 at the centre of gravity; wheels FL, FR, RL, RR. A command is what was sent, exact;
everything else is measured and has noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WHEELS = ("fl", "fr", "rl", "rr")


MOST_ANGLE_RAD = 1.6  # of a road wheel
MOST_TURNS_RAD = 20.0  # of a steering wheel, to each side


@dataclass(frozen=True)
class Channel:
    """One column of a log."""

    name: str
    unit: str
    meaning: str
    aliases: tuple[str, ...] = ()
    low: float = -1e6
    high: float = 1e6
    """What a value may be: further away it is not in this unit."""


def _per_wheel(stem: str, unit: str, meaning: str, *aliases: str) -> tuple[Channel, ...]:
    return tuple(
        Channel(f"{stem}_{w}", unit, f"{meaning}, {w.upper()}", tuple(f"{a}_{w}" for a in aliases))
        for w in WHEELS
    )


def _angle(name: str, meaning: str, *aliases: str) -> Channel:
    most = MOST_TURNS_RAD if "wheel" in name else MOST_ANGLE_RAD
    return Channel(name, "rad", meaning, aliases, -most, most)


COMMANDS = (
    _angle("command_steer_rad", "road wheel angle that was commanded, left positive"),
    _angle("command_steering_wheel_rad", "the same at the steering wheel"),
    Channel("command_throttle", "0 to 1", "throttle that was commanded", low=0.0, high=1.0),
    Channel("command_brake", "0 to 1", "brake that was commanded", low=0.0, high=1.0),
    Channel("command_gear", "-1, 0, 1", "gear; forward where it is missing"),
)
MEASURED = (
    Channel("vx_mps", "m/s", "speed along the car", low=-150.0, high=150.0),
    Channel("vy_mps", "m/s", "speed across the car, left positive"),
    Channel("yaw_rate_radps", "rad/s", "yaw rate, left positive", ("measured_yaw_rate_radps",)),
    Channel("ax_mps2", "m/s2", "acceleration along", ("measured_ax_mps2",)),
    Channel("ay_mps2", "m/s2", "acceleration across", ("measured_ay_mps2",)),
    _angle("steer_rad", "road wheel angle", "measured_steer_rad"),
    _angle("steering_wheel_rad", "angle of the steering wheel"),
    *_per_wheel("wheel_spin_radps", "rad/s", "speed of a wheel"),
    *_per_wheel("wheel_torque_nm", "N m", "drive torque less brake torque at a wheel"),
    *_per_wheel("wheel_force_n", "N", "force of a tyre along its wheel", "tire_fx_n"),
)
BANK = Channel(
    "bank_mps2", "m/s2", "what gravity pulls to the left on a banked road", low=-5.0, high=5.0
)
HEADING = Channel(
    "heading_rad", "rad", "heading, left positive; may wrap: shows the yaw rate's offset"
)
TIME = Channel("time_s", "s", "time, rising")
CHANNELS: Mapping[str, Channel] = {
    channel.name: channel for channel in (TIME, *COMMANDS, *MEASURED, HEADING, BANK)
}
KNOWN_COLUMNS = {name for channel in CHANNELS.values() for name in (channel.name, *channel.aliases)}
COMMAND_NAMES = tuple(channel.name for channel in COMMANDS)
MEASURED_NAMES = tuple(channel.name for channel in MEASURED)
SPINS = tuple(f"wheel_spin_radps_{w}" for w in WHEELS)
TORQUES = tuple(f"wheel_torque_nm_{w}" for w in WHEELS)
FORCES = tuple(f"wheel_force_n_{w}" for w in WHEELS)


def columns_of(header: list[str]) -> dict[str, int]:
    """Return channel -> column; where a measured value stands beside the truth it is taken."""
    places = {name.strip(): index for index, name in enumerate(header)}
    found = {}
    for channel in CHANNELS.values():
        for name in (*channel.aliases, channel.name):
            if name in places:
                found[channel.name] = places[name]
                break
    return found
