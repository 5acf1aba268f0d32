"""VdsState.msg, the STATE packet as a ROS message, from the packet table."""

from __future__ import annotations

from vdsim_protocol.vds1.messages import VERSIONS, State
from vdsim_protocol.wire import Field, fields_of

from generate.wire_types import TYPE_NAMES

_COMMENT_COLUMN = 41
_HEAD = f"""\
# A whole VDS1 STATE packet, generated from the packet table by ./ws generate. World frame ENU
# (x east, y north, z up), body frame ISO 8855 (x forward, y left, z up), wheels in the order
# FL, FR, RL, RR. A value that the sender's protocol version does not carry is NaN.

std_msgs/Header header                   # stamp: receive time; frame_id: the world frame
uint16 protocol_version                  # of the packet, {min(VERSIONS)} to {max(VERSIONS)}
uint32 sequence                          # of the packet
uint32 vehicle_id                        # 0 below protocol version 4
float64 time_s                           # [s] the sender's clock: simulation time
"""


def vds_state_msg() -> str:
    """The whole file."""
    return "\n".join([_HEAD, *map(_line, fields_of(State))]) + "\n"


def _line(field: Field) -> str:
    wire = field.wire
    count = f"[{wire.count}]" if wire.count > 1 else ""
    declaration = f"{TYPE_NAMES[wire.format]}{count} {field.name}"
    since = f" (from version {wire.since})" if wire.since > 1 else ""
    return f"{declaration:<{_COMMENT_COLUMN - 1}} # [{wire.unit}] {wire.meaning}{since}"
