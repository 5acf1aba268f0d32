"""What connects events with the entities that answer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .event import Event
from .launch_description_entity import LaunchDescriptionEntity
from .some_entities_type import SomeEntitiesType
from .utilities.entities import normalize_to_list_of_entities

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class BaseEventHandler:
    """A predicate over events; subclasses say what follows."""

    def __init__(self, *, matcher: Callable[[Event], bool], handle_once: bool = False) -> None:
        self.__matcher = matcher
        self.__handle_once = handle_once

    @property
    def handle_once(self) -> bool:
        """Return whether the handler goes after the first event."""
        return self.__handle_once

    @property
    def handler_description(self) -> str:
        """Return what it does, for people."""
        return self.__class__.__name__

    @property
    def matcher_description(self) -> str:
        """Return what it listens for, for people."""
        return "event == ?"

    def matches(self, event: Event) -> bool:
        """Return whether this handler wants the event."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the entities known beforehand."""
        return f"{self.__class__.__name__}(matcher='{self.matcher_description}')", []

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities that answer the event."""
        if self.__handle_once:
            context.unregister_event_handler(self)
        context.extend_locals({"event": event})
        return None


class EventHandler(BaseEventHandler):
    """A predicate, and the entities that answer."""

    def __init__(
        self,
        *,
        matcher: Callable[[Event], bool],
        entities: SomeEntitiesType | None = None,
        handle_once: bool = False,
    ) -> None:
        super().__init__(matcher=matcher, handle_once=handle_once)
        self.__entities = [] if entities is None else normalize_to_list_of_entities(entities)

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the entities."""
        return super().describe()[0], self.__entities

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities."""
        super().handle(event, context)
        return self.__entities
