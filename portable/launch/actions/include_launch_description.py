"""Perform another launch description here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..base import (
    Action,
    Condition,
    LaunchContext,
    LaunchDescriptionEntity,
    Substitution,
    TextSubstitution,
)
from ..launch_arguments import required_arguments
from ..launch_description import LaunchDescription
from ..launch_description_sources import AnyLaunchDescriptionSource, LaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .scope import SetLaunchConfiguration

_FILE_LOCALS = ("current_launch_file_path", "current_launch_file_directory")


class IncludeLaunchDescription(Action):
    """Loads the source, sets the arguments, and performs the description in this scope."""

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]
        | None = None,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self.__source = launch_description_source
        self.__arguments = [
            (normalize_to_list_of_substitutions(name), normalize_to_list_of_substitutions(value))
            for name, value in launch_arguments or ()
        ]

    @property
    def launch_description_source(self) -> LaunchDescriptionSource:
        """Return the source."""
        return self.__source

    @property
    def launch_arguments(self) -> list[tuple[list[Substitution], list[Substitution]]]:
        """Return the arguments, not yet performed."""
        return self.__arguments

    def describe(self) -> str:
        """Return a readable description."""
        return f"IncludeLaunchDescription({self.__source.location})"

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the description, where it can be loaded before the launch runs."""
        found = self._peek()
        return [found] if found is not None and self.condition is None else []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the description, when a condition decides about it."""
        found = self._peek()
        if found is None or self.condition is None:
            return []
        return [(self.condition.describe(), [found])]

    def _peek(self) -> LaunchDescription | None:
        return self.__source.try_get_launch_description_without_context()

    def given_argument_names(self) -> frozenset[str]:
        """Return the names of the arguments set here, where they are plain text."""
        return frozenset(
            "".join(part.text for part in name if isinstance(part, TextSubstitution))
            for name, _ in self.__arguments
        )

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Load the description and return it after the assignments of its arguments."""
        description = self.__source.get_launch_description(context)
        outer = {
            name: value
            for name, value in context.get_locals_as_dict().items()
            if name in _FILE_LOCALS
        }
        location = Path(self.__source.location)
        if location.is_file():
            # Links are kept: the folder is the one where the launch file is installed.
            path = os.path.abspath(location)  # noqa: PTH100
            context.extend_locals(
                dict(zip(_FILE_LOCALS, (path, str(Path(path).parent)), strict=True))
            )
        self._check_required(description, context)
        assignments = [SetLaunchConfiguration(name, value) for name, value in self.__arguments]
        return [*assignments, description, RestoreFileLocals(_FILE_LOCALS, outer)]

    def _check_required(self, description: LaunchDescription, context: LaunchContext) -> None:
        given = [perform_substitutions(context, name) for name, _ in self.__arguments]
        known = {*given, *context.launch_configurations}
        for argument in required_arguments(description):
            if argument.name not in known:
                raise RuntimeError(
                    f"Included launch description missing required argument '{argument.name}' "
                    f"(description: '{argument.description}'), given: [{', '.join(given)}]"
                )


class RestoreFileLocals(Action):
    """Restores the locals of the including launch file, and removes those that it did not have."""

    def __init__(self, names: Iterable[str], outer: Mapping[str, object]) -> None:
        super().__init__()
        self.__names = tuple(names)
        self.__outer = outer

    def execute(self, context: LaunchContext) -> None:
        """Restore them."""
        context._forget_locals(self.__names)
        context.extend_locals(self.__outer)
