"""The path of a program."""

from __future__ import annotations

import shutil

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .substitution_failure import SubstitutionFailure


class FindExecutable(Substitution):
    """The program of that name on the PATH of the launch."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """Return the name, not yet performed."""
        return self.__name

    def describe(self) -> str:
        """Return a description for people."""
        return f"FindExec({describe_substitutions(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        name = perform_substitutions(context, self.__name)
        found = shutil.which(name, path=context.environment.get("PATH"))
        if found is None:
            raise SubstitutionFailure(f"executable '{name}' not found on the PATH")
        return found
