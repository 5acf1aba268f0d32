"""Find the recorded processes of a test, and keep a launch alive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from launch.actions import ExecuteProcess
from launch.events.process import ProcessAction

__all__ = ["NO_CMD_ARGS", "KeepAliveProc", "NoMatchingProcessException", "resolveProcesses"]

NO_CMD_ARGS = object()
"""Matches a command without arguments."""

SomeProcess = str | ProcessAction | None


class NoMatchingProcessException(Exception):  # noqa: N818 (the name is upstream's)
    """No process is what the test describes."""


class HasProcesses(Protocol):
    """A record of processes."""

    def processes(self) -> Iterable[ProcessAction]:
        """Return the processes of the record."""


def resolve_processes(
    info_obj: HasProcesses,
    *,
    process: SomeProcess = None,
    cmd_args: Any = None,
    strict_proc_matching: bool = True,
) -> list[ProcessAction]:
    """Return the recorded processes that match.

    ``process`` is an action, a part of a process's name (``talker`` of ``talker-1``), or None for
    all; ``cmd_args`` are arguments that its command must have, or NO_CMD_ARGS. With
    ``strict_proc_matching`` a name must match one process only.
    """
    known = list(info_obj.processes())
    if process is None:
        return known
    if isinstance(process, ProcessAction):
        if process not in known:
            raise NoMatchingProcessException(f"No data recorded for proc {process.describe()}")
        return [process]
    matching = [item for item in known if process in name_of(item) and _has_args(item, cmd_args)]
    what = f"name '{process}' and args '{_args_text(cmd_args)}'"
    names = ", ".join(" ".join([name_of(item), *_arguments_of(item)]) for item in known)
    if not matching:
        raise NoMatchingProcessException(
            f"Did not find any processes matching {what}. Procs: {names}"
        )
    if strict_proc_matching and len(matching) > 1:
        raise NoMatchingProcessException(
            f"Found multiple processes matching {what}. Procs: {names}"
        )
    return matching


resolveProcesses = resolve_processes  # noqa: N816 (the name is upstream's)


def name_of(process: ProcessAction) -> str:
    """Return the unique name of a process that was started."""
    return process.name or process.describe()


def _arguments_of(process: ProcessAction) -> list[str]:
    details = process.process_details
    return [] if details is None else list(details["cmd"][1:])


def _args_text(cmd_args: Any) -> str:
    return "no arguments" if cmd_args is NO_CMD_ARGS else str(cmd_args)


def _has_args(process: ProcessAction, cmd_args: Any) -> bool:
    if cmd_args is None:
        return True
    arguments = _arguments_of(process)
    if cmd_args is NO_CMD_ARGS:
        return not arguments
    wanted = [cmd_args] if isinstance(cmd_args, str) else list(cmd_args)
    return all(argument in arguments for argument in wanted)


# A shell handles signals within a millisecond; its input is a pipe without data.
_WAIT = "trap 'exit 0' INT TERM; read nothing"


def KeepAliveProc() -> ExecuteProcess:  # noqa: N802 (the name is upstream's)
    """Return a process that does nothing, which keeps the launch from ending before the tests."""
    return ExecuteProcess(cmd=["sh", "-c", _WAIT], name="keep_alive")
