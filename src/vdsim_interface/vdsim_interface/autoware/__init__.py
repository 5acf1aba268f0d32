"""Autoware's topics on the vehicle interface: enum tables, rules of commands, modes, health."""

from vdsim_interface.autoware.adapter import Ask, AutowareAdapter, ModeDecision, Output
from vdsim_interface.autoware.control import Control
from vdsim_interface.autoware.parameters import AutowareParameters

__all__ = [
    "Ask",
    "AutowareAdapter",
    "AutowareParameters",
    "Control",
    "ModeDecision",
    "Output",
]
