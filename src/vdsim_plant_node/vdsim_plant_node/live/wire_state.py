"""Between the plant's values and the wire's: Command to PedalInput, output to State. Pure."""

from __future__ import annotations

import math
from operator import attrgetter

from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant.session import SessionOutput

from vdsim_plant_node.live.state_fields import STATE_FIELDS
from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_protocol import vds1

_TURN = 2.0 * math.pi
_PEDAL_LIMITS = (
    ("steer_rad", -0.5 * math.pi, 0.5 * math.pi),
    ("throttle", 0.0, 1.0),
    ("brake", 0.0, 1.0),
)


def pedals_of(command: vds1.Command, max_steer_rad: float) -> PedalInput:
    """The pedals of a command, the tyre angle within the vehicle's."""
    steer_rad = min(max(command.steering_tire_angle_rad, -max_steer_rad), max_steer_rad)
    return PedalInput(
        steer_rad=steer_rad,
        throttle=command.throttle,
        brake=command.brake,
        gear=int(command.gear),
        handbrake=bool(command.handbrake),
    )


def checked_pedals(pedals: PedalInput) -> PedalInput:
    """The pedals when every value is finite and within its range, else a ParameterError."""
    for name, low, high in _PEDAL_LIMITS:
        value = getattr(pedals, name)
        if not low <= value <= high:
            raise ParameterError(name, f"={value}: must be within {low:g}..{high:g}")
    if pedals.torques is not None:
        raise ParameterError("torques", "are for a session of your own: no packet carries them")
    if pedals.gear not in (-1, 0, 1):
        raise ParameterError("gear", f"={pedals.gear}: must be -1, 0 or 1")
    return pedals


def command_of(pedals: PedalInput) -> vds1.Command:
    """The command that asks for these pedals."""
    return vds1.Command(
        steering_tire_angle_rad=pedals.steer_rad,
        throttle=pedals.throttle,
        brake=pedals.brake,
        gear=vds1.Gear(pedals.gear),
        handbrake=pedals.handbrake,
    )


def normalized_angle(angle_rad: float) -> float:
    """The same angle within (-pi, pi]."""
    wrapped = math.remainder(angle_rad, _TURN)
    return math.pi if wrapped == -math.pi else wrapped


_sources = attrgetter(*(field.source for field in STATE_FIELDS.values()))
_FROM_ORIGIN = [
    (index, field.origin_axis)
    for index, field in enumerate(STATE_FIELDS.values())
    if field.origin_axis is not None
]
_YAW = list(STATE_FIELDS).index("yaw_rad")


def state_of(output: SessionOutput, origin: WorldOrigin) -> vds1.State:
    """The STATE content: world positions from the origin on, tyre forces in the body frame."""
    values = list(_sources(output))
    shift = (origin.x_m, origin.y_m, origin.z_m)
    for index, axis in _FROM_ORIGIN:
        values[index] += shift[axis]
    values[_YAW] = normalized_angle(values[_YAW])
    # The table has State's own order, checked at import. By name this takes 8.7 us, not 6.5.
    return vds1.State(*values)
