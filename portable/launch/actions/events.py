"""Emit events, and add or remove their handlers, while the launch runs."""

from __future__ import annotations

from collections.abc import Iterable

from ..base import (
    Action,
    BaseEventHandler,
    Condition,
    Event,
    LaunchContext,
    LaunchDescriptionEntity,
)
from ..events.general import Shutdown as ShutdownEvent
from ..events.process import ProcessExited
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


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


class Shutdown(Action):
    """Shut down the launch; as ``on_exit`` of a process it makes that process required."""

    def __init__(
        self,
        *,
        reason: SomeSubstitutionsType = "reason not given",
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__reason = normalize_to_list_of_substitutions(reason)

    def execute(self, context: LaunchContext) -> None:
        """Emit the shutdown event, and log it when a required process is the cause."""
        event = context.get_locals_as_dict().get("event")
        if isinstance(event, ProcessExited) and not context.is_shutdown:
            get_logger().info(
                f"process[{event.process_name}] was required: shutting down launched system"
            )
            if event.returncode != 0:
                context._fail()
        context.emit_event_sync(ShutdownEvent(reason=perform_substitutions(context, self.__reason)))


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
        """Return the entities of the handler that are known in advance."""
        description, entities = self.event_handler.describe()
        return [(description, entities)] if entities else []


class UnregisterEventHandler(_HandlerAction):
    """Remove an event handler."""

    def execute(self, context: LaunchContext) -> None:
        """Remove it."""
        context.unregister_event_handler(self.event_handler)
