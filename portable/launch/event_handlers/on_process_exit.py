"""React to the end of a process."""

from __future__ import annotations

from ..events.process import ProcessExited
from .responding_handler import ActionTarget, RespondingHandler, Response, action_matcher


class OnProcessExit(RespondingHandler):
    """When the target ends, do ``on_exit``: entities, or a function of event and context."""

    def __init__(
        self,
        *,
        target_action: ActionTarget = None,
        on_exit: Response,
        handle_once: bool = False,
    ) -> None:
        super().__init__(
            matcher=action_matcher(ProcessExited, target_action),
            response=on_exit,
            handle_once=handle_once,
        )
