"""The AutoHYU bridge's core: torque map, brake polynomial, fail-safe rules, vehicle state."""

from vdsim_interface.extras.autohyu.bridge import AutohyuBridge, BridgeOutput
from vdsim_interface.extras.autohyu.parameters import AutohyuParameters
from vdsim_interface.extras.autohyu.torque_map import (
    SHIPPED_MAP,
    TorqueMap,
    chosen_torque_map,
    load_torque_map,
)
from vdsim_interface.extras.autohyu.torque_points import TorqueMapError

__all__ = [
    "SHIPPED_MAP",
    "AutohyuBridge",
    "AutohyuParameters",
    "BridgeOutput",
    "TorqueMap",
    "TorqueMapError",
    "chosen_torque_map",
    "load_torque_map",
]
