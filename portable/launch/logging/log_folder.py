"""Where the logs of a launch go."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path


def log_base(environment: Mapping[str, str]) -> Path:
    """Return ROS_LOG_DIR, else ROS_HOME/log, else ~/.ros/log; an empty variable counts as unset."""
    if environment.get("ROS_LOG_DIR"):
        return Path(environment["ROS_LOG_DIR"]).expanduser()
    if environment.get("ROS_HOME"):
        return Path(environment["ROS_HOME"]).expanduser() / "log"
    return Path("~/.ros/log").expanduser()


def log_folder_name(when: datetime) -> str:
    """Return a name that no other launch has: time, host and process id."""
    return f"{when:%Y-%m-%d-%H-%M-%S-%f}-{socket.gethostname()}-{os.getpid()}"


def make_log_folder(environment: Mapping[str, str], when: datetime) -> Path:
    """Make the folder of a launch that starts at ``when`` and return it."""
    folder = log_base(environment) / log_folder_name(when)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
