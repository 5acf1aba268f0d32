"""The base of the conditions that decide whether an action is performed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Condition:
    """A predicate over the launch context."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        """Return whether the condition holds now; without a predicate it does not."""
        return self._predicate is not None and self._predicate(context)

    def describe(self) -> str:
        """Return a description for people."""
        return self.__repr__()
