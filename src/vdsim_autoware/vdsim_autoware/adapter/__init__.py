"""Autoware's topics on the vehicle interface: enum tables, rules of commands, modes, health."""

from vdsim_autoware.adapter.adapter import Ask, AutowareAdapter, ModeDecision, Output
from vdsim_autoware.adapter.control import Control
from vdsim_autoware.adapter.parameters import AutowareParameters

__all__ = [
    "Ask",
    "AutowareAdapter",
    "AutowareParameters",
    "Control",
    "ModeDecision",
    "Output",
]
