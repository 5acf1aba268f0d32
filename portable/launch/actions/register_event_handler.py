"""Add or remove an event handler while the launch runs."""

from __future__ import annotations

from collections.abc import Iterable

from ..action import Action
from ..condition import Condition
from ..event_handler import BaseEventHandler
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity


class _HandlerAction(Action):
    """An action on one event handler."""

    def __init__(
        self, event_handler: BaseEventHandler, *, condition: Condition | None = None
    ) -> None:
        super().__init__(condition=condition)
        self.__event_handler = event_handler

    @property
    def event_handler(self) -> BaseEventHandler:
        """Return the handler."""
        return self.__event_handler


class RegisterEventHandler(_HandlerAction):
    """Add an event handler."""

    def execute(self, context: LaunchContext) -> None:
        """Add it."""
        context.register_event_handler(self.event_handler)

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return what the handler is known to lead to."""
        description, entities = self.event_handler.describe()
        return [(description, entities)] if entities else []


class UnregisterEventHandler(_HandlerAction):
    """Remove an event handler."""

    def execute(self, context: LaunchContext) -> None:
        """Remove it."""
        context.unregister_event_handler(self.event_handler)
