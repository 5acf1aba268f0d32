"""Ready-made event handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ._upstream_names import refuse_names
from .base import (
    Action,
    BaseEventHandler,
    Event,
    ExecutionComplete,
    LaunchContext,
    LaunchDescriptionEntity,
)
from .events.general import Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted
from .some_substitutions_type import SomeEntitiesType
from .utilities import normalize_to_list_of_entities

__all__ = [
    "BaseEventHandler",
    "EventHandler",
    "OnExecutionComplete",
    "OnProcessExit",
    "OnProcessIO",
    "OnProcessStart",
    "OnShutdown",
]


Response = SomeEntitiesType | Callable[..., Any]
ActionTarget = Action | Callable[[Any], bool] | None


class EventHandler(BaseEventHandler):
    """A predicate, and the entities to visit when it matches."""

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


class RespondingHandler(BaseEventHandler):
    """Reacts with entities, or calls ``response(event, context)`` to get them."""

    def __init__(
        self, *, matcher: Callable[[Event], bool], response: Response, handle_once: bool
    ) -> None:
        super().__init__(matcher=matcher, handle_once=handle_once)
        self.__response = response
        self.__entities: list[LaunchDescriptionEntity] = []
        if not callable(response):
            self.__entities = normalize_to_list_of_entities(response)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the entities known in advance."""
        return super().describe()[0], self.__entities

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities to visit in reaction to the event."""
        super().handle(event, context)
        if not callable(self.__response):
            return self.__entities
        answer = self.__response(event, context)
        return None if answer is None else normalize_to_list_of_entities(answer)


def action_matcher(event_type: type[Event], target: ActionTarget) -> Callable[[Event], bool]:
    """Return a predicate for events of a type about a target.

    The target is an action, a predicate over actions, or None for every action.
    """
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


class OnExecutionComplete(RespondingHandler):
    """When the target is done, perform ``on_completion``: entities or function(event, context)."""

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


class OnProcessExit(RespondingHandler):
    """When the target exits, perform ``on_exit``: entities or function(event, context)."""

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


OnOutput = Callable[[ProcessIO], Any] | None


class OnProcessIO(RespondingHandler):
    """When the target writes, call ``on_stdout(event)`` or ``on_stderr(event)``."""

    def __init__(
        self,
        *,
        target_action: ActionTarget = None,
        on_stdin: OnOutput = None,
        on_stdout: OnOutput = None,
        on_stderr: OnOutput = None,
        handle_once: bool = False,
    ) -> None:
        self.__by_stream = {0: on_stdin, 1: on_stdout, 2: on_stderr}
        is_about_target = action_matcher(ProcessIO, target_action)

        def matches(event: Event) -> bool:
            return (
                isinstance(event, ProcessIO)
                and is_about_target(event)
                and self.__by_stream[event.fd] is not None
            )

        super().__init__(matcher=matches, response=self._answer, handle_once=handle_once)

    def _answer(self, event: ProcessIO, context: LaunchContext) -> Any:
        callback = self.__by_stream[event.fd]
        return None if callback is None else callback(event)


class OnProcessStart(RespondingHandler):
    """When the target starts, perform ``on_start``: entities or function(event, context)."""

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


class OnShutdown(RespondingHandler):
    """When the launch shuts down, perform ``on_shutdown``: entities or function(event, context)."""

    def __init__(self, *, on_shutdown: Response, handle_once: bool = False) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, Shutdown),
            response=on_shutdown,
            handle_once=handle_once,
        )


__getattr__ = refuse_names(
    __name__, ("OnActionEventBase", "OnIncludeLaunchDescription", "event_named"), "launch"
)
