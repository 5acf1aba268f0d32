"""Choose processes for ShutdownProcess and SignalProcess."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...action import Action
    from ...actions.execute_process import ExecuteProcess


def matches_action(action: Action) -> Callable[[ExecuteProcess], bool]:
    """Return a predicate for the process of ``action``."""
    return lambda process: process is action


def matches_pid(pid: int) -> Callable[[ExecuteProcess], bool]:
    """Return a predicate for the process with that id."""
    return lambda process: (process.process_details or {}).get("pid") == pid


def matches_name(name: str) -> Callable[[ExecuteProcess], bool]:
    """Return a predicate for the process with that unique name, such as ``talker-1``."""
    return lambda process: (process.process_details or {}).get("name") == name


def matches_executable(executable: str) -> Callable[[ExecuteProcess], bool]:
    """Return a predicate for processes whose command begins with ``executable``."""
    return lambda process: (process.process_details or {}).get("cmd", [None])[0] == executable
