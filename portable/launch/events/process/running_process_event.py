"""The base of the events about one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...event import Event

if TYPE_CHECKING:
    from ...actions.execute_process import ExecuteProcess


class RunningProcessEvent(Event):
    """An event about a process that an action started; ``cmd`` is its command line."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(
        self,
        *,
        action: ExecuteProcess,
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
    def action(self) -> ExecuteProcess:
        """Return the action that started the process."""
        return self.__action

    @property
    def execute_process_action(self) -> ExecuteProcess:
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
