"""Safety state machine: modes, engage handshake, interlocks and the ordered rules."""

from vdsim_interface.safety.modes import MODE_TABLE, ModeEvent
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.safety.rules import RULES
from vdsim_interface.safety.safety import Safety, SafetyOutput

__all__ = ["MODE_TABLE", "RULES", "ModeEvent", "Safety", "SafetyOutput", "SafetyParameters"]
