"""Change what the scope of a group holds: launch configurations and the environment."""

from __future__ import annotations

import os

from ..base import Action, Condition, LaunchContext, Substitution
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import (
    BoolOrSubstitutions,
    normalize_to_list_of_substitutions,
    perform_bool,
    perform_substitutions,
)


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


class UnsetLaunchConfiguration(Action):
    """Remove a launch configuration, within the scope of the group."""

    def __init__(self, name: SomeSubstitutionsType, *, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it, if it is set."""
        context.launch_configurations.pop(perform_substitutions(context, self.__name), None)


class PushLaunchConfigurations(Action):
    """Open a scope of launch configurations."""

    def execute(self, context: LaunchContext) -> None:
        """Open it."""
        context._push_launch_configurations()


class PopLaunchConfigurations(Action):
    """Close the scope of launch configurations that was opened last."""

    def execute(self, context: LaunchContext) -> None:
        """Close it."""
        context._pop_launch_configurations()


class PushEnvironment(Action):
    """Open a scope of the environment."""

    def execute(self, context: LaunchContext) -> None:
        """Open it."""
        context._push_environment()


class PopEnvironment(Action):
    """Close the scope of the environment that was opened last."""

    def execute(self, context: LaunchContext) -> None:
        """Close it."""
        context._pop_environment()


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


class AppendEnvironmentVariable(Action):
    """Append to a variable in the environment of the launch, or prepend to it.

    The separator is put between the old value and the new one, where there is an old one.
    """

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        *,
        prepend: BoolOrSubstitutions = False,
        separator: SomeSubstitutionsType = os.pathsep,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)
        self.__prepend = prepend
        self.__separator = normalize_to_list_of_substitutions(separator)

    def execute(self, context: LaunchContext) -> None:
        """Append or prepend it."""
        name = perform_substitutions(context, self.__name)
        parts = [perform_substitutions(context, self.__value)]
        if context.environment.get(name):
            parts.insert(0, context.environment[name])
        if perform_bool(context, self.__prepend, "prepend"):
            parts.reverse()
        context.environment[name] = perform_substitutions(context, self.__separator).join(parts)


class UnsetEnvironmentVariable(Action):
    """Remove a variable from the environment of the launch, within the scope of the group."""

    def __init__(self, name: SomeSubstitutionsType, *, condition: Condition | None = None) -> None:
        super().__init__(condition=condition)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it, if it is there."""
        context.environment.pop(perform_substitutions(context, self.__name), None)
