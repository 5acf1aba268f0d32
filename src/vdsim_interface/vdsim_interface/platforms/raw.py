"""RawControlCommand in the integrator's units -> pedal shares and wheel angles."""

from dataclasses import dataclass
from typing import NamedTuple

from vdsim_interface.parameters.fields import Parameters, real
from vdsim_interface.values import Change, RawCommand, notice_kinds
from vdsim_interface.values.records import record

Values = tuple[float, float, float, float]


@dataclass(frozen=True)
class RawScaling(Parameters):
    """Scale of the integers of a raw command; a base for platforms' own parameters."""

    raw_throttle_full: float = real(
        1000.0, "raw throttle that means full pedal", at_least=1, at_most=4294967295
    )
    raw_brake_full: float = real(
        1000.0, "raw brake that means full pedal", at_least=1, at_most=4294967295
    )
    raw_steer_per_rad: float = real(
        1000.0, "raw steer units per rad of road-wheel angle", at_least=1, at_most=4294967295
    )


class Pedals(NamedTuple):
    """Pedal shares in [0, 1], road-wheel angles in rad, and which values were limited."""

    throttle: float
    brake: float
    front_rad: float
    rear_rad: float
    changes: tuple[Change, ...] = ()


CHANNELS = ("throttle", "brake", "front_wheel_angle_rad", "rear_wheel_angle_rad")


def raw_pedals(
    command: RawCommand, scaling: RawScaling, front_max: float, rear_max: float
) -> Pedals:
    """Scale a raw command and limit it to the range of the vehicle."""
    throttle = command.throttle / scaling.raw_throttle_full
    brake = command.brake / scaling.raw_brake_full
    front = command.front_steer / scaling.raw_steer_per_rad
    rear = command.rear_steer / scaling.raw_steer_per_rad
    in_range = 0.0 <= throttle <= 1.0 and 0.0 <= brake <= 1.0
    if in_range and abs(front) <= front_max and abs(rear) <= rear_max:
        return record(Pedals, (throttle, brake, front, rear, ()))
    limited = (
        min(max(throttle, 0.0), 1.0),
        min(max(brake, 0.0), 1.0),
        min(max(front, -front_max), front_max),
        min(max(rear, -rear_max), rear_max),
    )
    return Pedals(*limited, _changes((throttle, brake, front, rear), limited))


def _changes(scaled: Values, limited: Values) -> tuple[Change, ...]:
    return tuple(
        Change(notice_kinds.PLATFORM_LIMIT, channel, before, after)
        for channel, before, after in zip(CHANNELS, scaled, limited, strict=True)
        if before != after
    )
