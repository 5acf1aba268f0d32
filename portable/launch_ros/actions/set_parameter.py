"""Parameters for all nodes that follow."""

from __future__ import annotations

from typing import Any

from launch.some_substitutions_type import SomeSubstitutionsType

from launch import Action, Condition, LaunchContext

from ..node_parameters import rule
from ..parameter import Parameter
from ..scope_keys import GLOBAL_PARAMETERS


class SetParameter(Action):
    """Give a parameter to the nodes that follow in this scope; their own values win."""

    def __init__(
        self, name: SomeSubstitutionsType, value: Any, *, condition: Condition | None = None
    ) -> None:
        super().__init__(condition=condition)
        self.__parameter = Parameter(name, value)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        argument = rule(*self.__parameter.evaluate(context))
        context._add_scoped_value(GLOBAL_PARAMETERS, ["-p", argument])
