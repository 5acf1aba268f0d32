"""Call a Python function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..action import Action
from ..condition import Condition
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..utilities.entities import normalize_to_list_of_entities


class OpaqueFunction(Action):
    """Call ``function(context, *args, **kwargs)`` and go on with the entities it returns."""

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
