"""The AutoHYU bridge's values -> ROS messages; both sides have the same field names."""

from __future__ import annotations

import math
from collections.abc import Mapping

from builtin_interfaces.msg import Time
from vdsim_protocol.link import LinkSnapshot

from autohyu_msgs.msg import WGS84, Reference, VehicleState
from vdsim_interface.extras.autohyu import vehicle_state
from vdsim_interface.extras.autohyu.parameters import ReferenceParameters
from vdsim_interface.extras.autohyu.topics import PROJECTION
from vdsim_interface.ros.messages.conversions import ToStamp, time_message
from vdsim_interface.ros.messages.status import link_message as interface_link_message
from vdsim_msgs.msg import LinkStatus

POLICY = "brake; vehicle_state is published with operation_mode 2"


def reference_message(reference: ReferenceParameters) -> Reference:
    """Convert the position of the world's origin."""
    origin = WGS84(
        latitude=reference.ref_lat_deg,
        longitude=reference.ref_lon_deg,
        altitude=reference.ref_alt_m,
    )
    return Reference(projection=PROJECTION, wgs84=origin)


def vehicle_state_message(
    values: vehicle_state.VehicleState,
    reference: Reference,
    frame_id: str,
    to_stamp: ToStamp = time_message,
) -> VehicleState:
    """Convert localisation and bus data; both headers carry the time of receipt."""
    message = VehicleState(reference=reference, **values.state)
    message.header.stamp = to_stamp(values.stamp_s)
    message.header.frame_id = frame_id
    latitude, longitude, altitude = values.gnss
    message.gnss = WGS84(latitude=latitude, longitude=longitude, altitude=altitude)
    message.vehicle_can.header = message.header
    for name, value in values.can.items():
        setattr(message.vehicle_can, name, value)
    return message


def link_message(
    link: LinkSnapshot,
    sent_rate_hz: float,
    peer: str,
    timeout_s: float,
    stamp: Time,
    round_trip: Mapping[str, float],
) -> LinkStatus:
    """Convert the statistics of STATE."""
    statistics = {
        "accepted": float(link.accepted),
        "lost": float(link.lost),
        "loss_ratio": link.loss_ratio,
        "reordered": float(link.reordered),
        "duplicates": float(link.duplicates),
        "rate_hz": link.rate_hz,
        "sent_rate_hz": sent_rate_hz,
        "age_s": math.inf if link.age_s is None else link.age_s,
        "jitter_s": link.jitter_s,
        **round_trip,
        **{f"rejected_{reason.value}": float(n) for reason, n in link.rejected.items()},
    }
    return interface_link_message(statistics, peer, timeout_s, POLICY, stamp)
