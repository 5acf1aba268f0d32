"""The base classes of a launch: what users derive from, and the context they are called with.

They are one module because each needs the others: a launch visits entities with a context; a visit
performs substitutions, emits events and registers handlers in that context; a handler reacts to an
event with more entities. Everything else in this package builds on these classes, and they use
nothing of it but the scopes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from ._scopes import LaunchScopes


class Event:
    """Something that happened or was requested."""

    name = "launch.Event"

    def __repr__(self) -> str:
        """Return the name of the event in upstream's style."""
        return f"<{self.name}>"


class LaunchDescriptionEntity:
    """A node of the launch tree: a visit performs it and returns the entities to visit next."""

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Perform this entity and return the entities to visit directly after it."""
        raise TypeError(f"{self.__class__.__name__} does not define visit()")

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return what the launch has to wait for, or None when nothing keeps running."""
        return None

    def describe(self) -> str:
        """Return a readable description."""
        return self.__repr__()

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that a visit always leads to."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities that may follow later, each group with its condition as text."""
        return []

    def given_argument_names(self) -> frozenset[str]:
        """Return the launch arguments that this entity sets for the entities below it."""
        return frozenset()


class Substitution:
    """A piece of text that is evaluated when the launch visits it."""

    def describe(self) -> str:
        """Return a readable description."""
        return f"{self.__class__.__name__}()"

    def perform(self, context: LaunchContext) -> str:
        """Return the text, using the current state of ``context``."""
        raise TypeError(f"{self.__class__.__name__} does not define perform()")


class SubstitutionFailure(RuntimeError):  # noqa: N818 (the name is upstream's)
    """A substitution could not be performed; the message gives the reason."""


class TextSubstitution(Substitution):
    """Plain text."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expects 'text' to be str, got {text!r}")
        self.__text = text

    @property
    def text(self) -> str:
        """Return the text."""
        return self.__text

    def describe(self) -> str:
        """Return a readable description."""
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.text


class BaseEventHandler:
    """A predicate over events; subclasses define the reaction."""

    def __init__(self, *, matcher: Callable[[Event], bool], handle_once: bool = False) -> None:
        self.__matcher = matcher
        self.__handle_once = handle_once

    @property
    def handle_once(self) -> bool:
        """Return whether the handler is removed after the first event."""
        return self.__handle_once

    @property
    def handler_description(self) -> str:
        """Return what the handler does, in words."""
        return self.__class__.__name__

    @property
    def matcher_description(self) -> str:
        """Return which events the handler matches, in words."""
        return "event == ?"

    def matches(self, event: Event) -> bool:
        """Return whether this handler handles the event."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a description and the entities known in advance."""
        return f"{self.__class__.__name__}(matcher='{self.matcher_description}')", []

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities to visit in reaction to the event."""
        if self.__handle_once:
            context.unregister_event_handler(self)
        context.extend_locals({"event": event})
        return None


class LaunchContext(LaunchScopes):
    """The state of a launch, passed to actions, conditions and substitutions."""

    def __init__(self, *, argv: Iterable[str] | None = None, noninteractive: bool = False) -> None:
        super().__init__()
        self.__argv = list(argv) if argv is not None else []
        self.__noninteractive = noninteractive
        self.__handlers: list[BaseEventHandler] = []
        self.__events: deque[Event] = deque()
        self.__waiting_for: list[tuple[Event, asyncio.Future[None]]] = []
        self.__loop: asyncio.AbstractEventLoop | None = None
        self.__wake: Callable[[], None] | None = None
        self.__completion_futures: list[asyncio.Future[None]] = []
        self.__is_shutdown = False
        self.__has_failed = False
        self.__processes_started = 0

    @property
    def argv(self) -> list[str]:
        """Return the arguments given to the launch as a whole."""
        return self.__argv

    @property
    def noninteractive(self) -> bool:
        """Return whether this launch has no terminal."""
        return self.__noninteractive

    # -- events ---------------------------------------------------------------------------------

    def register_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Add a handler; the newest is called first."""
        self.__handlers.insert(0, event_handler)

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Remove a handler that was registered before."""
        self.__handlers.remove(event_handler)

    def _handlers_of(self, event: Event) -> list[BaseEventHandler]:
        return [handler for handler in self.__handlers if handler.matches(event)]

    def _is_registered(self, event_handler: BaseEventHandler) -> bool:
        return event_handler in self.__handlers

    def would_handle_event(self, event: Event) -> bool:
        """Return whether a handler is registered for this event."""
        return bool(self._handlers_of(event))

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event; call it from the thread of the launch."""
        self.__events.append(event)
        if self.__wake is not None:
            self.__wake()

    async def emit_event(self, event: Event) -> None:
        """Queue an event, as a coroutine."""
        self.emit_event_sync(event)

    def _next_event(self) -> Event | None:
        return self.__events.popleft() if self.__events else None

    async def _wait_until_handled(self, event: Event) -> None:
        handled = asyncio.get_running_loop().create_future()
        self.__waiting_for.append((event, handled))
        await handled

    def _note_handled(self, event: Event) -> None:
        for waiting_for, future in self.__waiting_for:
            if waiting_for is event and not future.done():
                future.set_result(None)
        self.__waiting_for = [entry for entry in self.__waiting_for if entry[0] is not event]

    # -- the running launch -----------------------------------------------------------------------

    @property
    def asyncio_loop(self) -> asyncio.AbstractEventLoop | None:
        """Return the event loop while the launch runs, else None."""
        return self.__loop

    def _begin(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        self.__loop, self.__wake = loop, wake
        self.__is_shutdown = self.__has_failed = False

    def _end(self) -> None:
        """Reset the state of this run, including scopes that an error left open."""
        self.__loop = self.__wake = None
        self._close_scopes()

    @property
    def is_shutdown(self) -> bool:
        """Return whether the launch is shutting down; nothing new is started then."""
        return self.__is_shutdown

    def _set_is_shutdown(self, state: bool) -> None:
        self.__is_shutdown = state

    @property
    def _has_failed(self) -> bool:
        return self.__has_failed

    def _fail(self) -> None:
        self.__has_failed = True

    def add_completion_future(self, future: asyncio.Future[None]) -> None:
        """Make the launch wait for ``future`` before it counts as idle."""
        self.__completion_futures.append(future)

    def _take_completion_futures(self) -> list[asyncio.Future[None]]:
        taken, self.__completion_futures = self.__completion_futures, []
        return taken

    def _next_process_number(self) -> int:
        self.__processes_started += 1
        return self.__processes_started

    def perform_substitution(self, substitution: Substitution) -> str:
        """Return the text of one substitution."""
        return substitution.perform(self)


class Condition:
    """A predicate over the launch context."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        """Return whether the condition holds now; without a predicate it does not."""
        return self._predicate is not None and self._predicate(context)

    def describe(self) -> str:
        """Return a readable description."""
        return self.__repr__()


class ExecutionComplete(Event):
    """An action was executed, and what it left running has ended."""

    name = "launch.events.ExecutionComplete"

    def __init__(self, *, action: Action) -> None:
        self.__action = action

    @property
    def action(self) -> Action:
        """Return the action."""
        return self.__action


class Action(LaunchDescriptionEntity):
    """Something that the launch executes when it visits it, if its condition holds."""

    def __init__(self, *, condition: Condition | None = None) -> None:
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """Return the condition, or None when the action is unconditional."""
        return self.__condition

    def describe(self) -> str:
        """Return a readable description."""
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
