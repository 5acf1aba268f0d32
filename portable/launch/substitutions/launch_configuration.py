"""The value of a launch configuration, which is what a launch argument sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .substitution_failure import SubstitutionFailure


class LaunchConfiguration(Substitution):
    """The launch configuration of that name, or the default where it is not set."""

    def __init__(
        self,
        variable_name: SomeSubstitutionsType,
        *,
        default: Any | Iterable[Any] | None = None,
    ) -> None:
        self.__variable_name = normalize_to_list_of_substitutions(variable_name)
        self.__default = None if default is None else _normalize_default(default)

    @property
    def variable_name(self) -> list[Substitution]:
        """Return the name, not yet performed."""
        return self.__variable_name

    def describe(self) -> str:
        """Return a description for people."""
        return f"LaunchConfig({describe_substitutions(self.__variable_name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value in the present scope."""
        name = perform_substitutions(context, self.__variable_name)
        if name in context.launch_configurations:
            return context.launch_configurations[name]
        if self.__default is None:
            raise SubstitutionFailure(f"launch configuration '{name}' does not exist")
        return perform_substitutions(context, self.__default)


def _normalize_default(default: Any | Iterable[Any]) -> list[Substitution]:
    if isinstance(default, (str, Substitution)) or not isinstance(default, Iterable):
        default = [default]
    return normalize_to_list_of_substitutions(
        [item if isinstance(item, (str, Substitution)) else str(item) for item in default]
    )
