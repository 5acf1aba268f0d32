"""What of the campaign needs a real boundary, and which: the rest also runs on virtual time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vdsim_campaign.cells import Cell

NOT_VIRTUAL: Mapping[str, str] = MappingProxyType(
    {
        "nothing": "the disk of the recorder",
        "remove_folder": "the disk of the recorder",
        "parameter_flood": "the services of rclpy",
        "second_shell": "the guard's Unix socket",
        "foreign_requests": "DDS",
    }
)
"""By injector."""
NOT_SAID: Mapping[str, str] = MappingProxyType(
    {"second_publisher": "the node counts publishers by discovery"}
)
"""Faults whose reason alone needs one."""


def is_virtual(cell: Cell) -> bool:
    """Whether the simulator has what the fault needs."""
    return cell.fault.inject not in NOT_VIRTUAL
