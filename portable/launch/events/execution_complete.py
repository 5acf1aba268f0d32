"""An action is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..event import Event

if TYPE_CHECKING:
    from ..action import Action


class ExecutionComplete(Event):
    """An action was executed, and what it left running has ended."""

    name = "launch.events.ExecutionComplete"

    def __init__(self, *, action: Action) -> None:
        self.__action = action

    @property
    def action(self) -> Action:
        """Return the action."""
        return self.__action
