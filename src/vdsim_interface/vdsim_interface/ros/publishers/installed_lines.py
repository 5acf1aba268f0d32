"""Lines of /diagnostics that installed parts add, as entry points.

    [project.entry-points."vdsim_interface.diagnostics"]
    graph = "my_package.health:GraphHealth"

The object is made with the node and the topics that it uses; its `line()` is called at about 1 Hz.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Protocol

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

GROUP = "vdsim_interface.diagnostics"


class InstalledLine(Protocol):
    """What looks at a node and reports in one line."""

    def line(self) -> DiagnosticStatus:
        """Look, and return what was found."""


def installed_lines(node: Node, topics: Sequence[str]) -> tuple[InstalledLine, ...]:
    """One of each that is installed, by name."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(entry.load()(node, topics) for entry in found)
