"""AuxiliaryCommand message -> value."""

from __future__ import annotations

from typing import Any

from vdsim_interface.ros import topics
from vdsim_interface.values import AuxiliaryCommand
from vdsim_msgs.msg import AuxiliaryCommand as AuxiliaryCommandMsg


def auxiliary_command(
    message: AuxiliaryCommandMsg, now: float, logger: Any
) -> AuxiliaryCommand | None:
    """The command; None, and a line in the log, when names and values do not match."""
    names, values = len(message.names), len(message.values)
    if names != values:
        logger.error(f"{topics.AUXILIARY_COMMAND} dropped: {names} names and {values} values")
        return None
    return AuxiliaryCommand(now, tuple(zip(message.names, message.values, strict=True)))
