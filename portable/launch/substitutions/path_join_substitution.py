"""A path from its parts."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)


class PathJoinSubstitution(Substitution):
    """The parts joined as a path of this system."""

    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        self.__parts = [normalize_to_list_of_substitutions(part) for part in substitutions]

    @property
    def substitutions(self) -> list[list[Substitution]]:
        """Return the parts."""
        return self.__parts

    def describe(self) -> str:
        """Return a description for people."""
        parts = ", ".join(describe_substitutions(part) for part in self.__parts)
        return f"PathJoin({parts})"

    def perform(self, context: LaunchContext) -> str:
        """Return the joined path."""
        # os.path.join and not pathlib: a trailing slash and './' are kept, as upstream does.
        return os.path.join(*(perform_substitutions(context, part) for part in self.__parts))  # noqa: PTH118
