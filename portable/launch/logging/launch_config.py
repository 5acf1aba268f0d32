"""The logging of a launch: its folder, its level, its two outputs."""

from __future__ import annotations

import logging
import os
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TextIO

from .log_folder import make_log_folder


class LaunchConfig:
    """Writes to the screen (stdout) and to files in a folder that is made on first use."""

    def __init__(self) -> None:
        self.__level = logging.INFO
        self.__log_dir: Path | None = None
        self.__files: dict[str, TextIO] = {}
        self.__screen_is_gone = False

    @property
    def level(self) -> int:
        """Return the least severity that is written."""
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
        """Close the files; what comes next goes to a new folder."""
        for file in self.__files.values():
            file.close()
        self.__files.clear()
        self.__log_dir = None

    def write_screen(self, line: str) -> None:
        """Write a line on the screen; a reader that went away must not stop the launch."""
        if self.__screen_is_gone:
            return
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except (BrokenPipeError, ValueError):
            self.__screen_is_gone = True

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


launch_config = LaunchConfig()
