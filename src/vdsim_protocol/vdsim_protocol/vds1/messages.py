"""VDS1 tables: the header, CMD (`Command`) and STATE (`State`). These annotations are the protocol.

Frames: world = ENU (x east, y north, z up); body = ISO 8855 (x forward, y left, z up).
Wheels are always in the order FL, FR, RL, RR. A field that the sender's version does not carry
is NaN after decoding.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, NamedTuple, TypeAlias

from vdsim_protocol.wire import Field, Layout, LayoutError, Wire, layout_of

MAGIC = 0x56445331
"""The first word of every packet: "VDS1" read as a big-endian number, sent little-endian."""
DEFAULT_VERSION = 3
VERSIONS = (1, 2, 3, 4, 5)
FIRST_VERSION_WITH_VEHICLE_ID = 4
HEADER_SIZE = 24
CRC_SIZE = 4
MAX_DATAGRAM_SIZE = 512
DEFAULT_CMD_PORT = 7001
DEFAULT_STATE_PORT = 7002

NAN = math.nan
PerWheel: TypeAlias = tuple[float, float, float, float]
"""One value per wheel: FL, FR, RL, RR."""
NOT_CARRIED: PerWheel = (NAN, NAN, NAN, NAN)


class MessageType(enum.IntEnum):
    """The header's msg_type."""

    CMD = 1
    STATE = 2


class Gear(enum.IntEnum):
    """The gear of a CMD packet."""

    REVERSE = -1
    NEUTRAL = 0
    DRIVE = 1


@dataclass(frozen=True)
class HeaderTable:
    """The first 24 bytes of every packet."""

    magic: Annotated[int, Wire(0, "I", meaning='0x56445331, "VDS1"')]
    version: Annotated[int, Wire(4, "H", meaning=f"protocol version, 1 to {VERSIONS[-1]}")]
    msg_type: Annotated[int, Wire(6, "H", meaning="what follows", codes=MessageType)]
    seq: Annotated[int, Wire(8, "I", meaning="incremented by one per packet of a stream; wraps")]
    vehicle_id: Annotated[int, Wire(12, "I", meaning="which vehicle; 0 before version 4")]
    timestamp_s: Annotated[
        float,
        Wire(
            16,
            "d",
            "s",
            "CMD: the sender's monotonic clock; STATE: sim time",
            wire_name="timestamp",
        ),
    ]


@dataclass(frozen=True, slots=True)
class Command:
    """CMD, control to plant: steering, pedals, gear and hand brake."""

    steering_tire_angle_rad: Annotated[
        float,
        Wire(
            24, "d", "rad", "front tyre angle, + = left (ISO 8855)", wire_name="steering_tire_angle"
        ),
    ]
    throttle: Annotated[float, Wire(32, "d", "1", "accelerator pedal, 0 to 1")]
    brake: Annotated[float, Wire(40, "d", "1", "brake pedal, 0 to 1")]
    gear: Annotated[int, Wire(48, "i", "-", "selected gear", codes=Gear)]
    handbrake: Annotated[bool, Wire(52, "?", "-", "0 or 1", pad_after=3)]
    aux_accel_target_mps2: Annotated[
        float,
        Wire(56, "d", "m/s^2", "advisory; NaN when unused", wire_name="aux_accel_target"),
    ] = NAN
    aux_speed_target_mps: Annotated[
        float,
        Wire(64, "d", "m/s", "advisory; NaN when unused", wire_name="aux_speed_target"),
    ] = NAN


class CommandValues(NamedTuple):
    """The fields of Command, for a sender on a hot path: made in half the time (0.6 us)."""

    steering_tire_angle_rad: float
    throttle: float
    brake: float
    gear: int
    handbrake: bool
    aux_accel_target_mps2: float = NAN
    aux_speed_target_mps: float = NAN


@dataclass(frozen=True, slots=True)
class State:
    """STATE, plant to control: the motion of the vehicle and the state of its tyres."""

    x_world_m: Annotated[float, Wire(24, "d", "m", "ENU east", wire_name="x_world")]
    y_world_m: Annotated[float, Wire(32, "d", "m", "ENU north", wire_name="y_world")]
    z_world_m: Annotated[float, Wire(40, "d", "m", "ENU up", wire_name="z_world")]
    roll_rad: Annotated[float, Wire(48, "d", "rad", "ZYX angles", wire_name="roll")]
    pitch_rad: Annotated[float, Wire(56, "d", "rad", "ZYX angles", wire_name="pitch")]
    yaw_rad: Annotated[float, Wire(64, "d", "rad", "in (-pi, pi], 0 = east", wire_name="yaw")]
    vx_mps: Annotated[float, Wire(72, "d", "m/s", "body, forward", wire_name="vx")]
    vy_mps: Annotated[float, Wire(80, "d", "m/s", "body, left", wire_name="vy")]
    vz_mps: Annotated[float, Wire(88, "d", "m/s", "body, up", wire_name="vz")]
    roll_rate_radps: Annotated[float, Wire(96, "d", "rad/s", "body", wire_name="roll_rate")]
    pitch_rate_radps: Annotated[float, Wire(104, "d", "rad/s", "body", wire_name="pitch_rate")]
    yaw_rate_radps: Annotated[float, Wire(112, "d", "rad/s", "body", wire_name="yaw_rate")]
    ax_body_mps2: Annotated[float, Wire(120, "d", "m/s^2", "body, forward", wire_name="ax_body")]
    ay_body_mps2: Annotated[float, Wire(128, "d", "m/s^2", "body, left", wire_name="ay_body")]
    wheel_spin_radps: Annotated[
        PerWheel, Wire(136, "d", "rad/s", "+ = rolling forward", count=4, wire_name="wheel_spin")
    ]
    steering_tire_angle_applied_rad: Annotated[
        float,
        Wire(
            168, "d", "rad", "front tyre angle in effect", wire_name="steering_tire_angle_applied"
        ),
    ]
    wheel_radius_nominal_m: Annotated[
        float, Wire(176, "d", "m", "speed = spin x radius", wire_name="wheel_radius_nominal")
    ]
    tire_fz_n: Annotated[
        PerWheel, Wire(184, "d", "N", "wheel load; 0 if not modelled", count=4, wire_name="tire_Fz")
    ]
    rack_torque_nm: Annotated[
        float, Wire(216, "d", "N m", "steering aligning torque", since=2, wire_name="rack_torque")
    ] = NAN
    slip_ratio: Annotated[PerWheel, Wire(224, "d", "1", "kappa", count=4, since=2)] = NOT_CARRIED
    slip_angle_rad: Annotated[
        PerWheel, Wire(256, "d", "rad", "alpha", count=4, since=2, wire_name="slip_angle")
    ] = NOT_CARRIED
    susp_compression_m: Annotated[
        PerWheel,
        Wire(288, "d", "m", "+ = compressed", count=4, since=2, wire_name="susp_compression"),
    ] = NOT_CARRIED
    m_ax_mps2: Annotated[
        float, Wire(320, "d", "m/s^2", "measured ax", since=2, wire_name="m_ax")
    ] = NAN
    m_ay_mps2: Annotated[
        float, Wire(328, "d", "m/s^2", "measured ay", since=2, wire_name="m_ay")
    ] = NAN
    m_yaw_rate_radps: Annotated[
        float, Wire(336, "d", "rad/s", "measured yaw rate", since=2, wire_name="m_yaw_rate")
    ] = NAN
    m_steer_rad: Annotated[
        float, Wire(344, "d", "rad", "measured front tyre angle", since=2, wire_name="m_steer")
    ] = NAN
    m_gnss_x_m: Annotated[
        float, Wire(352, "d", "m", "measured ENU east", since=2, wire_name="m_gnss_x")
    ] = NAN
    m_gnss_y_m: Annotated[
        float, Wire(360, "d", "m", "measured ENU north", since=2, wire_name="m_gnss_y")
    ] = NAN
    tire_fx_n: Annotated[
        PerWheel, Wire(368, "d", "N", "body frame, forward", count=4, since=3, wire_name="tire_Fx")
    ] = NOT_CARRIED
    tire_fy_n: Annotated[
        PerWheel, Wire(400, "d", "N", "body frame, left", count=4, since=3, wire_name="tire_Fy")
    ] = NOT_CARRIED
    throttle_applied: Annotated[float, Wire(432, "d", "1", "pedal in effect, 0 to 1", since=5)] = (
        NAN
    )
    brake_applied: Annotated[float, Wire(440, "d", "1", "pedal in effect, 0 to 1", since=5)] = NAN


Body: TypeAlias = Command | State

COMMAND_SIZE = 76
STATE_SIZES: Mapping[int, int] = {1: 220, 2: 372, 3: 436, 4: 436, 5: 452}
"""Documented size of the whole STATE datagram by version."""

HEADER_LAYOUT = layout_of(HeaderTable, start=0, end=HEADER_SIZE)
HEADER_FIELDS: tuple[Field, ...] = HEADER_LAYOUT.fields


def _layouts(table: type, sizes: Mapping[int, int]) -> dict[int, Layout]:
    return {
        version: layout_of(table, start=HEADER_SIZE, end=size - CRC_SIZE, version=version)
        for version, size in sizes.items()
    }


LAYOUTS: Mapping[MessageType, Mapping[int, Layout]] = {
    MessageType.CMD: _layouts(Command, dict.fromkeys(VERSIONS, COMMAND_SIZE)),
    MessageType.STATE: _layouts(State, STATE_SIZES),
}
"""The payload of every message type and version; all checked when this module is imported."""
if len(LAYOUTS[MessageType.STATE][VERSIONS[-1]].fields) != len(fields(State)):
    raise LayoutError("State: a field is newer than the last version of VERSIONS and STATE_SIZES")
BODY_TYPES: Mapping[MessageType, type[Body]] = {
    MessageType.CMD: Command,
    MessageType.STATE: State,
}


def datagram_size(message: MessageType, version: int) -> int:
    """Bytes of the whole datagram, CRC included."""
    return LAYOUTS[message][version].end + CRC_SIZE
