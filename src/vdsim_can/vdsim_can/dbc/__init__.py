"""Networks of DBC files: what they define, and how their frames are packed and unpacked."""

from vdsim_can.dbc.codec import Codec, PackingError, codec_of, raw_of
from vdsim_can.dbc.network import Message, Network, Signal
from vdsim_can.dbc.reading import DbcFile, parse_dbc, read_dbc

__all__ = [
    "Codec",
    "DbcFile",
    "Message",
    "Network",
    "PackingError",
    "Signal",
    "codec_of",
    "parse_dbc",
    "raw_of",
    "read_dbc",
]
