"""Log lines of a launch, on the screen and in files."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TextIO

from ._upstream_names import refuse_names

__all__ = ["LaunchConfig", "get_logger", "launch_config", "log_base", "log_folder_name"]


def log_base(environment: Mapping[str, str]) -> Path:
    """Return ROS_LOG_DIR, else ROS_HOME/log, else ~/.ros/log; an empty variable counts as unset."""
    if environment.get("ROS_LOG_DIR"):
        return Path(environment["ROS_LOG_DIR"]).expanduser()
    if environment.get("ROS_HOME"):
        return Path(environment["ROS_HOME"]).expanduser() / "log"
    return Path("~/.ros/log").expanduser()


def log_folder_name(when: datetime) -> str:
    """Return a unique name: time, host and process id."""
    return f"{when:%Y-%m-%d-%H-%M-%S-%f}-{socket.gethostname()}-{os.getpid()}"


def make_log_folder(environment: Mapping[str, str], when: datetime) -> Path:
    """Create the folder of a launch that starts at ``when`` and return it."""
    folder = log_base(environment) / log_folder_name(when)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class LaunchConfig:
    """Writes to the screen (stdout) and to files in a folder that is created on first use."""

    def __init__(self) -> None:
        self.__level = logging.INFO
        self.__log_dir: Path | None = None
        self.__files: dict[str, TextIO] = {}
        self.__screen_is_gone = False

    @property
    def level(self) -> int:
        """Return the lowest severity that is written."""
        return self.__level

    @level.setter
    def level(self, level: int) -> None:
        self.__level = level

    @property
    def log_dir(self) -> str:
        """Return the log folder of this launch."""
        if self.__log_dir is None:
            self.__log_dir = make_log_folder(os.environ, datetime.now())
        return str(self.__log_dir)

    @log_dir.setter
    def log_dir(self, log_dir: str | None) -> None:
        self.reset()
        if log_dir is not None:
            self.__log_dir = Path(log_dir).expanduser()
            self.__log_dir.mkdir(parents=True, exist_ok=True)

    def get_log_file_path(self, file_name: str = "launch.log") -> str:
        """Return the path of a log file of this launch."""
        return str(Path(self.log_dir) / file_name)

    def reset(self) -> None:
        """Close the files; later output is written to a new folder."""
        for file in self.__files.values():
            file.close()
        self.__files.clear()
        self.__log_dir = None

    def write_screen(self, line: str) -> None:
        """Write a line to the screen; a screen that is closed must not stop the launch."""
        if self.__screen_is_gone:
            return
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except (OSError, ValueError):  # a closed pipe, a closed terminal (EIO), a closed stdout
            self.__screen_is_gone = True
            _discard_stdout()

    def write_file(self, file_name: str, line: str) -> None:
        """Append a line to a log file of this launch."""
        file = self.__files.get(file_name)
        if file is None:
            file = Path(self.get_log_file_path(file_name)).open("a", buffering=1)  # noqa: SIM115
            self.__files[file_name] = file
        file.write(line + "\n")

    def write_main_log(self, line: str) -> None:
        """Append a line to launch.log, with the time (unix, s)."""
        self.write_file("launch.log", f"{time.time():.7f} {line}")


def _discard_stdout() -> None:
    """Redirect stdout to /dev/null, or Python's last flush would fail and change the exit code."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


launch_config = LaunchConfig()


class _LaunchHandler(logging.Handler):
    """Writes records to the screen and to launch.log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        if record.levelno < launch_config.level:
            return
        line = f"[{record.levelname}] [{record.name}]: {record.getMessage()}"
        launch_config.write_screen(line)
        launch_config.write_main_log(line)


# Separate from the tree of `logging`: process names must not collide with the user's loggers.
_root = logging.RootLogger(logging.DEBUG)
_root.addHandler(_LaunchHandler())
_manager = logging.Manager(_root)


def get_logger(name: str | None = None) -> logging.Logger:
    """Return the logger of that name; its lines read ``[INFO] [name]: text``."""
    return _manager.getLogger(name or "launch")


__getattr__ = refuse_names(
    __name__,
    ("LaunchLogger", "get_output_loggers", "handlers", "with_per_logger_formatting"),
    "launch",
)
