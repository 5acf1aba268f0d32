"""A handler that answers with fixed entities or with what a function returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..event import Event
from ..event_handler import BaseEventHandler
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_entities_type import SomeEntitiesType
from ..utilities.entities import normalize_to_list_of_entities

if TYPE_CHECKING:
    from ..action import Action
    from ..launch_context import LaunchContext

Response = SomeEntitiesType | Callable[..., Any]
ActionTarget: TypeAlias = "Action | Callable[[Any], bool] | None"


class RespondingHandler(BaseEventHandler):
    """Answers with entities, or calls ``response(event, context)`` for them."""

    def __init__(
        self, *, matcher: Callable[[Event], bool], response: Response, handle_once: bool
    ) -> None:
        super().__init__(matcher=matcher, handle_once=handle_once)
        self.__response = response
        self.__entities: list[LaunchDescriptionEntity] = []
        if not callable(response):
            self.__entities = normalize_to_list_of_entities(response)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the entities known beforehand."""
        return super().describe()[0], self.__entities

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities that answer the event."""
        super().handle(event, context)
        if not callable(self.__response):
            return self.__entities
        answer = self.__response(event, context)
        return None if answer is None else normalize_to_list_of_entities(answer)


def action_matcher(event_type: type[Event], target: ActionTarget) -> Callable[[Event], bool]:
    """Return a predicate for events of a type about a target.

    The target is an action, a predicate over actions, or None for every action.
    """
    from ..action import Action

    if not (target is None or isinstance(target, Action) or callable(target)):
        raise ValueError(f"target_action={target!r}: must be an action, a function or None")

    def matches(event: Event) -> bool:
        if not isinstance(event, event_type):
            return False
        action = cast(Any, event).action
        if target is None or action is target:
            return True
        return not isinstance(target, Action) and bool(target(action))

    return matches
