"""Networks of DBC files: what they define, and how their frames are packed and unpacked."""

from vdsim_can.dbc.network import Message, Network, Signal

__all__ = ["Message", "Network", "Signal"]
