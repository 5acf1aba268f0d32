"""The AutoHYU bridge's core: torque map, brake polynomial, fail-safe rules, vehicle state."""

from vdsim_interface.autohyu.bridge import AutohyuBridge, BridgeOutput
from vdsim_interface.autohyu.parameters import AutohyuParameters
from vdsim_interface.autohyu.torque_map import TorqueMap, load_torque_map
from vdsim_interface.autohyu.torque_points import TorqueMapError

__all__ = [
    "AutohyuBridge",
    "AutohyuParameters",
    "BridgeOutput",
    "TorqueMap",
    "TorqueMapError",
    "load_torque_map",
]
