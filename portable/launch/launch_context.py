"""The state of a running launch: configurations, environment, locals, handlers and events."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from .event import Event
from .launch_locals import LaunchLocals
from .substitution import Substitution

if TYPE_CHECKING:
    from .event_handler import BaseEventHandler


class LaunchContext:
    """What actions, conditions and substitutions see of the launch."""

    def __init__(self, *, argv: Iterable[str] | None = None, noninteractive: bool = False) -> None:
        self.__argv = list(argv) if argv is not None else []
        self.__noninteractive = noninteractive
        self.__configurations: dict[str, str] = {}
        self.__scoped_values: dict[str, tuple[Any, ...]] = {}
        self.__configuration_stack: list[tuple[dict[str, str], dict[str, tuple[Any, ...]]]] = []
        self.__environment_stack: list[dict[str, str]] = []
        self.__locals: dict[str, Any] = {}
        self.__locals_stack: list[dict[str, Any]] = []
        self.__globals: dict[str, Any] = {}
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
        """Return whether no terminal belongs to this launch."""
        return self.__noninteractive

    # -- configurations and environment, with the scopes of groups ---------------------------

    @property
    def launch_configurations(self) -> dict[str, str]:
        """Return the launch configurations of the present scope."""
        return self.__configurations

    def _push_launch_configurations(self) -> None:
        saved = dict(self.__configurations), dict(self.__scoped_values)
        self.__configuration_stack.append(saved)

    def _pop_launch_configurations(self) -> None:
        if not self.__configuration_stack:
            raise RuntimeError("cannot pop the outermost scope of launch configurations")
        saved, self.__scoped_values = self.__configuration_stack.pop()
        self.__configurations.clear()
        self.__configurations.update(saved)

    def _clear_scope(self) -> None:
        self.__configurations.clear()
        self.__scoped_values.clear()

    def _scoped_values(self, key: str) -> tuple[Any, ...]:
        """Return what was added under ``key`` in this scope and in those around it."""
        return self.__scoped_values.get(key, ())

    def _add_scoped_value(self, key: str, value: Any) -> None:
        self.__scoped_values[key] = (*self._scoped_values(key), value)

    @property
    def environment(self) -> MutableMapping[str, str]:
        """Return the environment that processes started from here on will inherit."""
        return os.environ

    def _push_environment(self) -> None:
        self.__environment_stack.append(dict(os.environ))

    def _pop_environment(self) -> None:
        if not self.__environment_stack:
            raise RuntimeError("cannot pop the outermost scope of the environment")
        _replace(os.environ, self.__environment_stack.pop())

    # -- locals --------------------------------------------------------------------------------

    @property
    def locals(self) -> LaunchLocals:
        """Return the locals, as attributes (``context.locals.event``)."""
        return LaunchLocals(self.get_locals_as_dict())

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the locals, globals included, as a dictionary of its own."""
        return {**self.__globals, **self.__locals}

    def extend_locals(self, extension: Mapping[str, Any]) -> None:
        """Add locals to the present scope."""
        self.__locals.update(extension)

    def _forget_locals(self, names: Iterable[str]) -> None:
        for name in names:
            self.__locals.pop(name, None)

    def extend_globals(self, extension: Mapping[str, Any]) -> None:
        """Add locals that every scope sees."""
        self.__globals.update(extension)

    def _push_locals(self) -> None:
        self.__locals_stack.append(dict(self.__locals))

    def _pop_locals(self) -> None:
        if not self.__locals_stack:
            raise RuntimeError("cannot pop the outermost scope of locals")
        self.__locals = self.__locals_stack.pop()

    # -- events ---------------------------------------------------------------------------------

    def register_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Add a handler; the newest is asked first."""
        self.__handlers.insert(0, event_handler)

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Remove a handler that was registered before."""
        self.__handlers.remove(event_handler)

    def _handlers_of(self, event: Event) -> list[BaseEventHandler]:
        return [handler for handler in self.__handlers if handler.matches(event)]

    def _is_registered(self, event_handler: BaseEventHandler) -> bool:
        return event_handler in self.__handlers

    def would_handle_event(self, event: Event) -> bool:
        """Return whether a handler is there for this event."""
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
        """Leave nothing of this run behind, not even the scopes that an error left open."""
        self.__loop = self.__wake = None
        while self.__environment_stack:
            self._pop_environment()
        while self.__configuration_stack:
            self._pop_launch_configurations()
        while self.__locals_stack:
            self._pop_locals()

    @property
    def is_shutdown(self) -> bool:
        """Return whether the launch is going down: nothing new is started then."""
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


def _replace(target: MutableMapping[str, str], wanted: Mapping[str, str]) -> None:
    for name in set(target) - set(wanted):
        del target[name]
    target.update(wanted)
