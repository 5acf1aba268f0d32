"""Sensors of platform `vds1`: the whole STATE packet, and its tyres."""

import math
from dataclasses import fields
from operator import attrgetter

from vdsim_interface.sensors.declaration import ANY_FIELD, WORLD_FRAME, Fields, Sensor
from vdsim_interface.values import VehicleReport
from vdsim_protocol import vds1

PACKET_TOPIC = "vds_state"
_NAMES = tuple(field.name for field in fields(vds1.State))
_UNKNOWN = (math.nan,) * 4
_VALUES = attrgetter(*_NAMES)


def whole_packet(report: VehicleReport) -> Fields | None:
    """Return the fields of VdsState, which are those of the protocol's own table."""
    packet = report.details
    if not isinstance(packet, vds1.Packet):
        return None
    version, _, sequence, vehicle_id, time_s = packet.header
    return {
        "protocol_version": version,
        "sequence": sequence,
        "vehicle_id": vehicle_id,
        "time_s": time_s,
        **dict(zip(_NAMES, _VALUES(packet.body), strict=True)),
    }


def tyres(report: VehicleReport) -> Fields | None:
    """Return loads (every version), slip and compression (from 2) and forces (from 3)."""
    packet = report.details
    if not isinstance(packet, vds1.Packet):
        return None
    state: vds1.State = packet.body
    return {
        "longitudinal_force_n": state.tire_fx_n,
        "lateral_force_n": state.tire_fy_n,
        "vertical_force_n": state.tire_fz_n,
        "slip_ratio": state.slip_ratio,
        "slip_angle_rad": state.slip_angle_rad,
        "cornering_stiffness_nprad": _UNKNOWN,
        "compression_m": state.susp_compression_m,
    }


SENSORS = (
    Sensor(
        name="vds_state",
        message="vdsim_msgs/msg/VdsState",
        read=whole_packet,
        frame=WORLD_FRAME,
        topic=PACKET_TOPIC,
        may_be_nan=ANY_FIELD,
    ),
    Sensor(name="tyres", message="vdsim_msgs/msg/TyreStates", read=tyres, may_be_nan=ANY_FIELD),
)
