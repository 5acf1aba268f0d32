"""Perform actions after a delay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ..base import Action, Condition, Event, LaunchContext, LaunchDescriptionEntity
from ..event_handlers import EventHandler, OnShutdown
from ..events.general import TimerEvent
from ..utilities import FloatOrSubstitutions, perform_float


class TimerAction(Action):
    """After ``period`` seconds, perform the actions; a shutdown of the launch cancels it."""

    def __init__(
        self,
        *,
        period: FloatOrSubstitutions,
        actions: Iterable[LaunchDescriptionEntity],
        cancel_on_shutdown: bool = True,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__period = period
        self.__actions = list(actions)
        self.__cancel_on_shutdown = cancel_on_shutdown
        self.__timer: asyncio.TimerHandle | None = None
        self.__done: asyncio.Future[None] | None = None

    @property
    def period(self) -> FloatOrSubstitutions:
        """Return the period (s), not yet performed."""
        return self.__period

    @property
    def actions(self) -> list[LaunchDescriptionEntity]:
        """Return the actions."""
        return self.__actions

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the actions, with the delay as their condition."""
        return [(f"after {self.__period} seconds without interruption", self.__actions)]

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the timer has ended."""
        return self.__done

    def cancel(self) -> None:
        """Cancel the timer; the actions are not performed."""
        if self.__timer is not None:
            self.__timer.cancel()
        self._set_done()

    def execute(self, context: LaunchContext) -> None:
        """Start the timer."""
        if context.is_shutdown:
            return
        period_s = perform_float(context, self.__period, "period")
        loop = asyncio.get_running_loop()
        self.__done = loop.create_future()
        saved_locals = context.get_locals_as_dict()

        def is_mine(event: Event) -> bool:
            return isinstance(event, TimerEvent) and event.timer_action is self

        context.register_event_handler(
            EventHandler(
                matcher=is_mine,
                entities=[_RestoreLocals(saved_locals), *self.__actions],
                handle_once=True,
            )
        )
        if self.__cancel_on_shutdown:
            context.register_event_handler(
                OnShutdown(on_shutdown=lambda event, context: self.cancel(), handle_once=True)
            )
        self.__timer = loop.call_later(period_s, self._fire, context)

    def _fire(self, context: LaunchContext) -> None:
        context.emit_event_sync(TimerEvent(timer_action=self))
        self._set_done()

    def _set_done(self) -> None:
        if self.__done is not None and not self.__done.done():
            self.__done.set_result(None)


class _RestoreLocals(Action):
    """Restores the locals of the scope of the timer, such as its launch file."""

    def __init__(self, saved: dict[str, object]) -> None:
        super().__init__()
        self.__saved = saved

    def execute(self, context: LaunchContext) -> None:
        """Restore them."""
        context.extend_locals(self.__saved)
