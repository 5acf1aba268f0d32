"""Processes of a launch file, and what the end of one means for the launch.

A process that no restart can help, because of a wrong argument or because it dies again and again,
ends the launch with an error. Both launch implementations return 1 where an exit handler raises.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from launch.actions import LogInfo, Shutdown
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage
from vdsim_protocol.launch_watch import mark

from launch import LaunchContext, LaunchDescriptionEntity
from vdsim_interface.ros.exit_codes import USER_ERROR_EXIT

RESTART_DELAY_S = 1.0
MOST_DEATHS, DEATHS_WITHIN_S = 5, 60.0
"""A process that dies more often than this is not started again."""
OnExit = Callable[[Any, LaunchContext], list[LaunchDescriptionEntity]]


def node(
    context: LaunchContext,
    package: str,
    executable: str,
    parameters: list[str | Mapping[str, object]],
    **options: Any,
) -> Node:
    """A node whose executable exists, and which ends with the launch, however that one ends.

    `parameters` are files and values.
    """
    ExecutableInPackage(executable, package).perform(context)
    return Node(
        package=package,
        executable=executable,
        output="screen",
        parameters=[item if isinstance(item, str) else _texts(item) for item in parameters],
        additional_env=mark(),
        **options,
    )


def _texts(values: Mapping[str, object]) -> dict[str, object]:
    """Launch would read the text '1' as a number, unless its type is given."""
    return {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in values.items()
    }


def how_it_ended(code: int) -> str:
    """Describe an exit code."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


class RestartRule:
    """Whether a process that has ended may be started again."""

    def __init__(self) -> None:
        self._deaths_s: deque[float] = deque(maxlen=MOST_DEATHS)

    def refusal(self, code: int, now: float) -> str:
        """Return why not; empty when it may. `now` in seconds."""
        if code == USER_ERROR_EXIT:
            return how_it_ended(code)
        if len(self._deaths_s) == MOST_DEATHS and now - self._deaths_s[0] < DEATHS_WITHIN_S:
            return f"{how_it_ended(code)}, {MOST_DEATHS + 1} times in {DEATHS_WITHIN_S:g} s"
        self._deaths_s.append(now)
        return ""


def restarted(name: str, *, when_stopped: bool = False) -> dict[str, object]:
    """Options of a process that is started again when it dies.

    `when_stopped`: also when somebody stopped it (exit code 0), which else ends the launch.
    """
    rule = RestartRule()

    def on_exit(event: Any, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        if context.is_shutdown:
            return []
        code = event.returncode
        if code == 0 and not when_stopped:
            return [Shutdown(reason=f"{name} has ended")]
        loop = context.asyncio_loop
        assert loop is not None, "a process of a running launch has ended"
        if refusal := rule.refusal(code, loop.time()):
            raise RuntimeError(f"{name} has ended: {refusal}")
        text = f"{name} has ended ({how_it_ended(code)}) and is started again"
        return [LogInfo(msg=f"[WARNING] {text} in {RESTART_DELAY_S:g} s")]

    return {"respawn": True, "respawn_delay": RESTART_DELAY_S, "on_exit": on_exit}


def ends_the_launch(name: str) -> OnExit:
    """What a process does without which the others have nothing to do: its end is that of all."""

    def on_exit(event: Any, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        if context.is_shutdown:
            return []
        if event.returncode == 0:
            return [Shutdown(reason=f"{name} has ended")]
        raise RuntimeError(f"{name} has ended: {how_it_ended(event.returncode)}")

    return on_exit


def may_end(name: str, again: str) -> OnExit:
    """What a process does that a person ends and starts: the launch goes on without it.

    `again`: the command that starts it again.
    """

    def on_exit(event: Any, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        if context.is_shutdown:
            return []
        if event.returncode == USER_ERROR_EXIT:
            raise RuntimeError(f"{name} has ended: {how_it_ended(event.returncode)}")
        how = "" if event.returncode == 0 else f" ({how_it_ended(event.returncode)})"
        return [LogInfo(msg=f"{name} has ended{how}; to start it again: {again}")]

    return on_exit
