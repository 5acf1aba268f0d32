"""Events of the launch as a whole."""

from __future__ import annotations

from collections.abc import Callable

from ..base import Action, Event


class Shutdown(Event):
    """A request to end everything that the launch started, and then the launch."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Return why."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Return whether Ctrl-C caused the shutdown."""
        return self.__due_to_sigint


class TimerEvent(Event):
    """The period of a TimerAction is over."""

    name = "launch.events.TimerEvent"

    def __init__(self, *, timer_action: Action) -> None:
        self.__timer_action = timer_action

    @property
    def timer_action(self) -> Action:
        """Return the timer."""
        return self.__timer_action


def matches_action(action: Action) -> Callable[[Action], bool]:
    """Return a predicate that is true for ``action`` only."""
    return lambda other: other is action
