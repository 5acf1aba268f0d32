"""A process wrote something."""

from __future__ import annotations

from typing import Any

from .running_process_event import RunningProcessEvent


class ProcessIO(RunningProcessEvent):
    """Bytes from a process, as they arrived; ``fd`` is 1 or 2."""

    name = "launch.events.process.ProcessIO"

    def __init__(self, *, text: bytes, fd: int, **details: Any) -> None:
        super().__init__(**details)
        self.__text = text
        self.__fd = fd

    @property
    def text(self) -> bytes:
        """Return the bytes."""
        return self.__text

    @property
    def fd(self) -> int:
        """Return the stream's number."""
        return self.__fd

    @property
    def from_stdin(self) -> bool:
        """Return whether the bytes went to the standard input."""
        return self.__fd == 0

    @property
    def from_stdout(self) -> bool:
        """Return whether the bytes came from the standard output."""
        return self.__fd == 1

    @property
    def from_stderr(self) -> bool:
        """Return whether the bytes came from the standard error."""
        return self.__fd == 2


class ProcessStdout(ProcessIO):
    """Bytes from the standard output."""

    name = "launch.events.process.ProcessStdout"

    def __init__(self, *, text: bytes, **details: Any) -> None:
        super().__init__(text=text, fd=1, **details)


class ProcessStderr(ProcessIO):
    """Bytes from the standard error."""

    name = "launch.events.process.ProcessStderr"

    def __init__(self, *, text: bytes, **details: Any) -> None:
        super().__init__(text=text, fd=2, **details)
