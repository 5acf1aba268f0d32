"""The value of an environment variable."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .substitution_failure import SubstitutionFailure


class EnvironmentVariable(Substitution):
    """The environment variable of that name, or the default where it is not set."""

    def __init__(
        self, name: SomeSubstitutionsType, *, default_value: SomeSubstitutionsType | None = None
    ) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )

    @property
    def name(self) -> list[Substitution]:
        """Return the name, not yet performed."""
        return self.__name

    def describe(self) -> str:
        """Return a description for people."""
        return f"EnvVar({describe_substitutions(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value in the environment of the launch."""
        name = perform_substitutions(context, self.__name)
        if name in context.environment:
            return context.environment[name]
        if self.__default is None:
            raise SubstitutionFailure(f"environment variable '{name}' does not exist")
        return perform_substitutions(context, self.__default)
