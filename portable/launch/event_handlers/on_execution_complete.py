"""React to the completion of an action."""

from __future__ import annotations

from ..events import ExecutionComplete
from .responding_handler import ActionTarget, RespondingHandler, Response, action_matcher


class OnExecutionComplete(RespondingHandler):
    """When the target is done, do ``on_completion``: entities or function(event, context)."""

    def __init__(
        self,
        *,
        target_action: ActionTarget = None,
        on_completion: Response,
        handle_once: bool = False,
    ) -> None:
        super().__init__(
            matcher=action_matcher(ExecutionComplete, target_action),
            response=on_completion,
            handle_once=handle_once,
        )
