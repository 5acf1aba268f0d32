"""Put locals back after an include."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..action import Action
from ..launch_context import LaunchContext


class RestoreFileLocals(Action):
    """Gives the locals of the surrounding launch file back; what it had not is removed."""

    def __init__(self, names: Iterable[str], outer: Mapping[str, object]) -> None:
        super().__init__()
        self.__names = tuple(names)
        self.__outer = outer

    def execute(self, context: LaunchContext) -> None:
        """Put them back."""
        context._forget_locals(self.__names)
        context.extend_locals(self.__outer)
