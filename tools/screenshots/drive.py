"""A drive under the launch of the README: commands of a circle, and the path that is planned."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry, Path as PlannedPath
from rclpy.executors import SingleThreadedExecutor
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

from vdsim_msgs.msg import HighLevelControlCommand

NAMESPACE = "vehicle"
SPEED_MPS, CURVATURE_1PM = 6.0, 0.03
_AHEAD_M, _STEP_M = 25.0, 1.0


class Driven(NamedTuple):
    """`url`: of the page."""

    url: str


@contextlib.contextmanager
def drive(folder: Path) -> Iterator[Driven]:
    """Drive until the end of the block."""
    command_port, state_port, http_port = free_ports(3)
    launch = Launched(
        folder, "vdsim", plant_port=command_port, state_port=state_port,
        dashboard=f"127.0.0.1:{http_port}",
    )  # fmt: skip
    try:
        launch.wait(lambda: f":{http_port}" in launch.output, "the page's address")
        with _stack():
            yield Driven(f"http://127.0.0.1:{http_port}/")
    finally:
        launch.end()
