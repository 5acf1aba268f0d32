"""React to the start of a process."""

from __future__ import annotations

from ..events.process import ProcessStarted
from .responding_handler import ActionTarget, RespondingHandler, Response, action_matcher


class OnProcessStart(RespondingHandler):
    """When the target starts, do ``on_start``: entities, or a function of event and context."""

    def __init__(
        self,
        *,
        target_action: ActionTarget = None,
        on_start: Response,
        handle_once: bool = False,
    ) -> None:
        super().__init__(
            matcher=action_matcher(ProcessStarted, target_action),
            response=on_start,
            handle_once=handle_once,
        )
