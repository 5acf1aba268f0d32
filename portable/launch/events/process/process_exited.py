"""A process has ended."""

from __future__ import annotations

from typing import Any

from .running_process_event import RunningProcessEvent


class ProcessExited(RunningProcessEvent):
    """A process ended; a negative return code is the number of the signal that ended it."""

    name = "launch.events.process.ProcessExited"

    def __init__(self, *, returncode: int, **details: Any) -> None:
        super().__init__(**details)
        self.__returncode = returncode

    @property
    def returncode(self) -> int:
        """Return the exit code."""
        return self.__returncode
