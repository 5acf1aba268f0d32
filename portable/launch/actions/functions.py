"""Call a Python function; write to the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..base import Action, Condition, LaunchContext, LaunchDescriptionEntity, Substitution
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import (
    normalize_to_list_of_entities,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)


class OpaqueFunction(Action):
    """Call ``function(context, *args, **kwargs)`` and visit the entities that it returns."""

    def __init__(
        self,
        *,
        function: Callable[..., Any],
        args: Iterable[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        if not callable(function):
            raise TypeError(f"OpaqueFunction: function={function!r}: must be callable")
        self.__function = function
        self.__args = list(args or ())
        self.__kwargs = dict(kwargs or {})

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Call it."""
        answer = self.__function(context, *self.__args, **self.__kwargs)
        return None if answer is None else normalize_to_list_of_entities(answer)


class LogInfo(Action):
    """Write a message to the log of the launch."""

    def __init__(self, *, msg: SomeSubstitutionsType, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__msg = normalize_to_list_of_substitutions(msg)

    @property
    def msg(self) -> list[Substitution]:
        """Return the message, not yet performed."""
        return self.__msg

    def execute(self, context: LaunchContext) -> None:
        """Write it."""
        get_logger("launch.user").info(perform_substitutions(context, self.__msg))
