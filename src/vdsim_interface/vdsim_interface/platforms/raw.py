"""Integrator's units of RawControlCommand -> pedal shares and wheel angles, by parameters."""

from dataclasses import dataclass

from vdsim_interface.parameters.fields import Parameters, real
from vdsim_interface.values import RawCommand


@dataclass(frozen=True)
class RawScaling(Parameters):
    """What the integers of a raw command mean; a base for platforms' own parameters."""

    raw_throttle_full: float = real(
        1000.0, "raw throttle that means full pedal", above=0, at_most=4294967295
    )
    raw_brake_full: float = real(
        1000.0, "raw brake that means full pedal", above=0, at_most=4294967295
    )
    raw_steer_per_rad: float = real(
        1000.0, "raw steer units per rad of road-wheel angle", above=0, at_most=4294967295
    )


@dataclass(frozen=True)
class Pedals:
    """Pedal shares in [0, 1] and road-wheel angles in rad."""

    throttle: float
    brake: float
    front_rad: float
    rear_rad: float


def raw_pedals(
    command: RawCommand, scaling: RawScaling, front_max: float, rear_max: float
) -> Pedals:
    """Scale a raw command and keep it in what the vehicle has."""
    front = command.front_steer / scaling.raw_steer_per_rad
    rear = command.rear_steer / scaling.raw_steer_per_rad
    return Pedals(
        min(max(command.throttle / scaling.raw_throttle_full, 0.0), 1.0),
        min(max(command.brake / scaling.raw_brake_full, 0.0), 1.0),
        min(max(front, -front_max), front_max),
        min(max(rear, -rear_max), rear_max),
    )
