"""The one map of STATE: where each of its fields comes from. Pure.

Two readers follow it: `wire_state.state_of`, from the values of a tick, and `StateBlock`, from the
numeric core's buffer. Order, counts and positions are the protocol's own; a field that the protocol
has and the map lacks, or the other way round, fails at import.
"""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_plant.kernel import layout as at
from vdsim_protocol.vds1 import VERSIONS, LayoutError, MessageType
from vdsim_protocol.vds1.messages import HEADER_SIZE, LAYOUTS

_ITEM_SIZE = 8
_LAYOUTS = LAYOUTS[MessageType.STATE]
_WIRE_FIELDS = _LAYOUTS[max(VERSIONS)].fields


@dataclass(frozen=True, kw_only=True)
class StateField:
    """One field of STATE."""

    source: str
    """Attribute of SessionOutput, dotted."""
    core: tuple[int, ...] = ()
    """Places in the core's buffer, one a number; empty: computed from several numbers."""
    origin_axis: int | None = None
    """Axis of the world origin that is added: 0 east, 1 north, 2 up."""


def _one(source: str, core: int | None = None, *, origin_axis: int | None = None) -> StateField:
    places = () if core is None else (core,)
    return StateField(source=source, core=places, origin_axis=origin_axis)


def _wheels(source: str, first: int | None = None, *, stride: int = 1) -> StateField:
    places = () if first is None else tuple(first + stride * wheel for wheel in range(4))
    return StateField(source=source, core=places)


STATE_FIELDS = {
    "x_world_m": _one("motion.x_m", at.X, origin_axis=0),
    "y_world_m": _one("motion.y_m", at.Y, origin_axis=1),
    "z_world_m": _one("motion.z_m", origin_axis=2),
    "roll_rad": _one("motion.roll_rad", at.OBSERVED_ROLL),
    "pitch_rad": _one("motion.pitch_rad", at.OBSERVED_PITCH),
    "yaw_rad": _one("motion.yaw_rad", at.YAW),
    "vx_mps": _one("motion.vx_mps", at.VX),
    "vy_mps": _one("motion.vy_mps", at.VY),
    "vz_mps": _one("motion.vz_mps"),
    "roll_rate_radps": _one("motion.roll_rate_radps"),
    "pitch_rate_radps": _one("motion.pitch_rate_radps"),
    "yaw_rate_radps": _one("motion.yaw_rate_radps", at.YAW_RATE),
    "ax_body_mps2": _one("motion.ax_mps2", at.AX),
    "ay_body_mps2": _one("motion.ay_mps2", at.AY),
    "wheel_spin_radps": _wheels("motion.wheel_spin_radps", at.SPIN),
    "steering_tire_angle_applied_rad": _one("motion.steer_applied_rad", at.STEER),
    "wheel_radius_nominal_m": _one("motion.wheel_radius_m", at.RADIUS),
    "tire_fz_n": _wheels("motion.tire_fz_n", at.FZ),
    "rack_torque_nm": _one("motion.rack_torque_nm"),
    "slip_ratio": _wheels("motion.slip_ratio", at.SLIP_X),
    "slip_angle_rad": _wheels(
        "motion.slip_angle_rad", at.OBSERVED_WHEELS + 3, stride=at.OBSERVED_PER_WHEEL
    ),
    "susp_compression_m": _wheels("motion.suspension_compression_m"),
    # Measured by perfect sensors; a car with sensors has values of its own.
    "m_ax_mps2": _one("measured.ax_mps2", at.AX),
    "m_ay_mps2": _one("measured.ay_mps2", at.AY),
    "m_yaw_rate_radps": _one("measured.yaw_rate_radps", at.YAW_RATE),
    "m_steer_rad": _one("measured.steer_rad", at.STEER),
    "m_gnss_x_m": _one("measured.gnss_x_m", at.X, origin_axis=0),
    "m_gnss_y_m": _one("measured.gnss_y_m", at.Y, origin_axis=1),
    "tire_fx_n": _wheels("motion.tire_body_fx_n", at.BODY_FX),
    "tire_fy_n": _wheels("motion.tire_body_fy_n", at.BODY_FY),
    "throttle_applied": _one("motion.throttle_applied"),
    "brake_applied": _one("motion.brake_applied"),
}

POSITIONS = {field.name: (field.wire.offset - HEADER_SIZE) // _ITEM_SIZE for field in _WIRE_FIELDS}
"""Index of the first number of each field among the float64 numbers of STATE."""
COUNTS = {version: layout.size // _ITEM_SIZE for version, layout in _LAYOUTS.items()}
"""How many numbers the STATE of each protocol version has."""


def core_places() -> list[int]:
    """Place in the core's buffer of each number of STATE; that of x for the computed ones."""
    places: list[int] = []
    for field in _WIRE_FIELDS:
        places += STATE_FIELDS[field.name].core or (at.X,) * field.wire.count
    return places


def computed_numbers() -> dict[int, str]:
    """The numbers of STATE that have no place in the core's buffer, each with its field."""
    return {
        POSITIONS[field.name] + number: field.name
        for field in _WIRE_FIELDS
        if not STATE_FIELDS[field.name].core
        for number in range(field.wire.count)
    }


def _check() -> None:
    if list(STATE_FIELDS) != [field.name for field in _WIRE_FIELDS]:
        raise LayoutError("STATE_FIELDS: must name every field of STATE, in the order of the wire")
    for field in _WIRE_FIELDS:
        if len(STATE_FIELDS[field.name].core) not in (0, field.wire.count):
            raise LayoutError(f"STATE_FIELDS: {field.name} has {field.wire.count} numbers")


_check()
