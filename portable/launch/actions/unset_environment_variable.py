"""Remove a variable from the environment of what is started later."""

from __future__ import annotations

from ..action import Action
from ..condition import Condition
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities.substitutions import normalize_to_list_of_substitutions, perform_substitutions


class UnsetEnvironmentVariable(Action):
    """Remove a variable from the environment of the launch, within the scope of the group."""

    def __init__(self, name: SomeSubstitutionsType, *, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it, if it is there."""
        context.environment.pop(perform_substitutions(context, self.__name), None)
