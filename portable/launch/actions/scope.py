"""Change what the scope of a group holds: launch configurations and the environment."""

from __future__ import annotations

from ..base import Action, Condition, LaunchContext, Substitution
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class SetLaunchConfiguration(Action):
    """Set a launch configuration, within the scope of the group."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    def execute(self, context: LaunchContext) -> None:
        """Set it."""
        name = perform_substitutions(context, self.__name)
        context.launch_configurations[name] = perform_substitutions(context, self.__value)


class SetEnvironmentVariable(Action):
    """Set a variable in the environment of the launch, within the scope of the group."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    @property
    def name(self) -> list[Substitution]:
        """Return the name, not yet performed."""
        return self.__name

    @property
    def value(self) -> list[Substitution]:
        """Return the value, not yet performed."""
        return self.__value

    def execute(self, context: LaunchContext) -> None:
        """Set it."""
        name = perform_substitutions(context, self.__name)
        context.environment[name] = perform_substitutions(context, self.__value)


class UnsetEnvironmentVariable(Action):
    """Remove a variable from the environment of the launch, within the scope of the group."""

    def __init__(self, name: SomeSubstitutionsType, *, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it, if it is there."""
        context.environment.pop(perform_substitutions(context, self.__name), None)
