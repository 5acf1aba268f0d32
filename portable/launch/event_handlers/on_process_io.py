"""React to what a process writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..event import Event
from ..events.process import ProcessIO
from .responding_handler import ActionTarget, RespondingHandler, action_matcher

if TYPE_CHECKING:
    from ..launch_context import LaunchContext

OnOutput = Callable[[ProcessIO], Any] | None


class OnProcessIO(RespondingHandler):
    """When the target writes, call ``on_stdout(event)`` or ``on_stderr(event)``."""

    def __init__(
        self,
        *,
        target_action: ActionTarget = None,
        on_stdin: OnOutput = None,
        on_stdout: OnOutput = None,
        on_stderr: OnOutput = None,
        handle_once: bool = False,
    ) -> None:
        self.__by_stream = {0: on_stdin, 1: on_stdout, 2: on_stderr}
        is_about_target = action_matcher(ProcessIO, target_action)

        def matches(event: Event) -> bool:
            return (
                isinstance(event, ProcessIO)
                and is_about_target(event)
                and self.__by_stream[event.fd] is not None
            )

        super().__init__(matcher=matches, response=self._answer, handle_once=handle_once)

    def _answer(self, event: ProcessIO, context: LaunchContext) -> Any:
        callback = self.__by_stream[event.fd]
        return None if callback is None else callback(event)
