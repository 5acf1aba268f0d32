"""Emit an event."""

from __future__ import annotations

from ..action import Action
from ..condition import Condition
from ..event import Event
from ..launch_context import LaunchContext


class EmitEvent(Action):
    """Put an event into the queue of the launch."""

    def __init__(self, *, event: Event, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        if not isinstance(event, Event):
            raise TypeError(f"EmitEvent: event={event!r}: must be an Event")
        self.__event = event

    @property
    def event(self) -> Event:
        """Return the event."""
        return self.__event

    def execute(self, context: LaunchContext) -> None:
        """Emit it."""
        context.emit_event_sync(self.__event)
