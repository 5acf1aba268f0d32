"""The AutoHYU bridge's core: its contract's torque map, brake cubic, rules and state mapping."""

from vdsim_interface.autohyu.bridge import AutohyuBridge, BridgeOutput
from vdsim_interface.autohyu.parameters import AutohyuParameters
from vdsim_interface.autohyu.torque_map import TorqueMap, TorqueMapError, load_torque_map

__all__ = [
    "AutohyuBridge",
    "AutohyuParameters",
    "BridgeOutput",
    "TorqueMap",
    "TorqueMapError",
    "load_torque_map",
]
