"""VDS1, the binary UDP protocol between a control stack and a vehicle-dynamics simulator."""

from vdsim_protocol.vds1.codec import (
    decode,
    encode_command,
    encode_state,
    make_decoder,
    newer_version,
    read_newer_state,
)
from vdsim_protocol.vds1.messages import (
    DEFAULT_CMD_PORT,
    DEFAULT_STATE_PORT,
    DEFAULT_VERSION,
    MAGIC,
    MAX_DATAGRAM_SIZE,
    VERSIONS,
    Body,
    Command,
    CommandValues,
    Gear,
    MessageType,
    PerWheel,
    State,
    datagram_size,
)
from vdsim_protocol.vds1.ownership import Source
from vdsim_protocol.vds1.packet import REASON_TEXT, Header, Packet, Reason, Reject
from vdsim_protocol.vds1.receiver import (
    Accepted,
    Receiver,
    ReceiverCounters,
    clamp_command,
)
from vdsim_protocol.vds1.sender import Sender
from vdsim_protocol.vds1.view import StateView, encode_state_values, view_state
from vdsim_protocol.wire import EncodeError, LayoutError

__all__ = [
    "DEFAULT_CMD_PORT",
    "DEFAULT_STATE_PORT",
    "DEFAULT_VERSION",
    "MAGIC",
    "MAX_DATAGRAM_SIZE",
    "REASON_TEXT",
    "VERSIONS",
    "Accepted",
    "Body",
    "Command",
    "CommandValues",
    "EncodeError",
    "Gear",
    "Header",
    "LayoutError",
    "MessageType",
    "Packet",
    "PerWheel",
    "Reason",
    "Receiver",
    "ReceiverCounters",
    "Reject",
    "Sender",
    "Source",
    "State",
    "StateView",
    "clamp_command",
    "datagram_size",
    "decode",
    "encode_command",
    "encode_state",
    "encode_state_values",
    "make_decoder",
    "newer_version",
    "read_newer_state",
    "view_state",
]
