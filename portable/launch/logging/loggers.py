"""Loggers of the launch itself, in the format of ROS."""

from __future__ import annotations

import logging

from .launch_config import launch_config


class _LaunchHandler(logging.Handler):
    """Writes records to the screen and to launch.log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        if record.levelno < launch_config.level:
            return
        line = f"[{record.levelname}] [{record.name}]: {record.getMessage()}"
        launch_config.write_screen(line)
        launch_config.write_main_log(line)


# A tree apart from that of `logging`: process names must not meet the loggers of the user's code.
_root = logging.RootLogger(logging.DEBUG)
_root.addHandler(_LaunchHandler())
_manager = logging.Manager(_root)


def get_logger(name: str | None = None) -> logging.Logger:
    """Return the logger of that name; its lines read ``[INFO] [name]: text``."""
    return _manager.getLogger(name or "launch")
