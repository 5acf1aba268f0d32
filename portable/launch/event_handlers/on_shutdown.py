"""React to the end of the launch."""

from __future__ import annotations

from ..events import Shutdown
from .responding_handler import RespondingHandler, Response


class OnShutdown(RespondingHandler):
    """When the launch goes down, do ``on_shutdown``: entities or function(event, context)."""

    def __init__(self, *, on_shutdown: Response, handle_once: bool = False) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, Shutdown),
            response=on_shutdown,
            handle_once=handle_once,
        )
