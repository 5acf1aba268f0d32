"""Events about processes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from .._upstream_names import refuse_names
from ..base import Action, Event
from .general import matches_action

__all__ = [
    "ProcessExited",
    "ProcessIO",
    "ProcessStarted",
    "ProcessStderr",
    "ProcessStdout",
    "ProcessTargetedEvent",
    "RunningProcessEvent",
    "ShutdownProcess",
    "SignalProcess",
    "matches_action",
    "matches_executable",
    "matches_name",
    "matches_pid",
]


class ProcessAction(Action):
    """The base of the actions that run a process; events and matchers see no more of them."""

    @property
    def name(self) -> str | None:
        """Return the unique name, such as ``talker-1``, once started."""
        return None

    @property
    def process_details(self) -> dict[str, Any] | None:
        """Return name, cmd, cwd, env and pid of the process, once started."""
        return None


class RunningProcessEvent(Event):
    """An event about a process that an action started; ``cmd`` is its command line."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(
        self,
        *,
        action: ProcessAction,
        name: str,
        cmd: list[str],
        cwd: str | None,
        env: dict[str, str] | None,
        pid: int,
    ) -> None:
        self.__action = action
        self.__process_name = name
        self.__cmd = cmd
        self.__cwd = cwd
        self.__env = env
        self.__pid = pid

    @property
    def action(self) -> ProcessAction:
        """Return the action that started the process."""
        return self.__action

    @property
    def execute_process_action(self) -> ProcessAction:
        """Return the action that started the process."""
        return self.__action

    @property
    def process_name(self) -> str:
        """Return the unique name, such as ``talker-1``."""
        return self.__process_name

    @property
    def cmd(self) -> list[str]:
        """Return the command line."""
        return self.__cmd

    @property
    def cwd(self) -> str | None:
        """Return the working folder, or None for that of the launch."""
        return self.__cwd

    @property
    def env(self) -> dict[str, str] | None:
        """Return the environment of the process."""
        return self.__env

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.__pid


class ProcessStarted(RunningProcessEvent):
    """A process was started."""

    name = "launch.events.process.ProcessStarted"


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


ProcessMatcher = Callable[[ProcessAction], bool]
SignalName = str | int | signal.Signals


class ProcessTargetedEvent(Event):
    """A request to the processes that ``process_matcher`` chooses."""

    name = "launch.events.process.ProcessTargetedEvent"

    def __init__(self, *, process_matcher: ProcessMatcher) -> None:
        self.__process_matcher = process_matcher

    @property
    def process_matcher(self) -> ProcessMatcher:
        """Return the predicate."""
        return self.__process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """End the chosen processes as a shutdown does: SIGINT, SIGTERM, SIGKILL."""

    name = "launch.events.process.ShutdownProcess"


class SignalProcess(ProcessTargetedEvent):
    """Send a signal to the chosen processes."""

    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number: SignalName, process_matcher: ProcessMatcher) -> None:
        super().__init__(process_matcher=process_matcher)
        self.__signal = (
            signal.Signals[signal_number]
            if isinstance(signal_number, str)
            else signal.Signals(signal_number)
        )

    @property
    def signal(self) -> signal.Signals:
        """Return the signal."""
        return self.__signal

    @property
    def signal_name(self) -> str:
        """Return the name of the signal, such as 'SIGINT'."""
        return self.__signal.name


def matches_pid(pid: int) -> Callable[[ProcessAction], bool]:
    """Return a predicate for the process with that id."""
    return lambda process: (process.process_details or {}).get("pid") == pid


def matches_name(name: str) -> Callable[[ProcessAction], bool]:
    """Return a predicate for the process with that unique name, such as ``talker-1``."""
    return lambda process: (process.process_details or {}).get("name") == name


def matches_executable(executable: str) -> Callable[[ProcessAction], bool]:
    """Return a predicate for processes whose command begins with ``executable``."""
    return lambda process: (process.process_details or {}).get("cmd", [None])[0] == executable


__getattr__ = refuse_names(__name__, ("ProcessStdin",), "launch")
