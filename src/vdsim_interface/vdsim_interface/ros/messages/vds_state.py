"""A VDS1 STATE packet -> the VdsState message, field by field of the protocol's own table."""

from __future__ import annotations

from dataclasses import fields

from vdsim_interface.ros.messages.conversions import ToStamp, time_message
from vdsim_interface.values import VehicleReport
from vdsim_msgs.msg import VdsState
from vdsim_protocol import vds1

_FIELDS = tuple(field.name for field in fields(vds1.State))


def vds_state_message(
    report: VehicleReport, frame: str, stamp: ToStamp = time_message
) -> VdsState | None:
    """The message; None for a platform whose packets are not VDS1."""
    packet = report.details
    if not isinstance(packet, vds1.Packet):
        return None
    message = VdsState()
    message.header.stamp = stamp(report.stamp_s)
    message.header.frame_id = frame
    header, body = packet.header, packet.body
    message.protocol_version, message.sequence = header.version, header.seq
    message.vehicle_id, message.time_s = header.vehicle_id, header.timestamp_s
    for name in _FIELDS:
        setattr(message, name, getattr(body, name))
    return message
