"""The base of the entities that do something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .condition import Condition
from .events.execution_complete import ExecutionComplete
from .launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Action(LaunchDescriptionEntity):
    """Something that the launch does when it is reached, if its condition holds."""

    def __init__(self, *, condition: Condition | None = None) -> None:
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """Return the condition, or None when the action is unconditional."""
        return self.__condition

    def describe(self) -> str:
        """Return a description for people."""
        return f"Action('{self.__repr__()}')"

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Execute the action if its condition holds, and announce its completion."""
        if self.__condition is not None and not self.__condition.evaluate(context):
            return None
        try:
            return self.execute(context)
        finally:
            self._announce_completion(context)

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do the work and return the entities to visit next."""
        return None

    def _announce_completion(self, context: LaunchContext) -> None:
        event = ExecutionComplete(action=self)
        if not context.would_handle_event(event):
            return
        future = self.get_asyncio_future()
        if future is None:
            context.emit_event_sync(event)
        else:
            future.add_done_callback(lambda _: context.emit_event_sync(event))
