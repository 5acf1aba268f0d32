"""Command lines that work where they are printed: `ros2` alone is not on the path of each shell."""

from __future__ import annotations

import re

STARTER = "VDSIM_WS"
"""The variable in which ./ws tells a process that it starts how its user calls ./ws."""
_ROS2 = re.compile(r"(?<![\w./-])(?<!ws )ros2 (?=[a-z]+ )")


def typed(text: str, starter: str) -> str:
    """Return a text whose `ros2 ...` commands begin with ./ws; with an empty starter as it is."""
    return _ROS2.sub(lambda found: f"{starter} {found.group()}", text) if starter else text
