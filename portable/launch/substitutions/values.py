"""Values from the launch and from its surroundings."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..base import LaunchContext, Substitution, SubstitutionFailure
from ..logging import launch_config
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)


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
        """Return a readable description."""
        return f"LaunchConfig({describe_substitutions(self.__variable_name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value in the current scope."""
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
        """Return a readable description."""
        return f"EnvVar({describe_substitutions(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value in the environment of the launch."""
        name = perform_substitutions(context, self.__name)
        if name in context.environment:
            return context.environment[name]
        if self.__default is None:
            raise SubstitutionFailure(f"environment variable '{name}' does not exist")
        return perform_substitutions(context, self.__default)


class FindExecutable(Substitution):
    """The program of that name on the PATH of the launch."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """Return the name, not yet performed."""
        return self.__name

    def describe(self) -> str:
        """Return a readable description."""
        return f"FindExec({describe_substitutions(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        name = perform_substitutions(context, self.__name)
        found = shutil.which(name, path=context.environment.get("PATH"))
        if found is None:
            raise SubstitutionFailure(f"executable '{name}' not found on the PATH")
        return found


class _FileLocal(Substitution):
    """A local that the current launch file sets."""

    _local = ""

    def describe(self) -> str:
        """Return a readable description."""
        return f"{self.__class__.__name__}()"

    def perform(self, context: LaunchContext) -> str:
        """Return the value for the current launch file."""
        try:
            return str(context.get_locals_as_dict()[self._local])
        except KeyError:
            raise SubstitutionFailure(
                f"{self.__class__.__name__} used outside of a launch file (in a script)"
            ) from None


class ThisLaunchFile(_FileLocal):
    """The path of the launch file."""

    _local = "current_launch_file_path"


class ThisLaunchFileDir(_FileLocal):
    """The folder of the launch file."""

    _local = "current_launch_file_directory"


class LaunchLogDir(Substitution):
    """The log folder of this launch; it is created on first use."""

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return launch_config.log_dir


class AnonName(Substitution):
    """A unique name that begins with ``name``; the same one for every use in this launch."""

    def __init__(self, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """Return the beginning, not yet performed."""
        return self.__name

    def describe(self) -> str:
        """Return a readable description."""
        return f"AnonName({describe_substitutions(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the unique name."""
        name = perform_substitutions(context, self.__name)
        key = f"anonymous {name}"
        if key not in context.get_locals_as_dict():
            context.extend_globals({key: f"{name}_{os.getpid()}_{uuid.uuid4().hex[:12]}"})
        return str(context.get_locals_as_dict()[key])


class FileContent(Substitution):
    """The text of a file."""

    def __init__(self, path: SomeSubstitutionsType) -> None:
        self.__path = normalize_to_list_of_substitutions(path)

    @property
    def path(self) -> list[Substitution]:
        """Return the path, not yet performed."""
        return self.__path

    def describe(self) -> str:
        """Return a readable description."""
        return f"FileContent({describe_substitutions(self.__path)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        path = perform_substitutions(context, self.__path)
        try:
            return Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SubstitutionFailure(f"file '{path}' cannot be read: {error}") from error


class LocalSubstitution(Substitution):
    """An attribute of the locals, such as ``event.reason`` in an event handler."""

    def __init__(self, expression: str, description: str | None = None) -> None:
        self.__expression = expression
        self.__description = description

    @property
    def expression(self) -> str:
        """Return the expression."""
        return self.__expression

    def describe(self) -> str:
        """Return a readable description."""
        return f"LocalVar('{self.__description or self.__expression}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the value as text."""
        value: Any = context.locals
        try:
            for name in self.__expression.split("."):
                value = getattr(value, name)
        except AttributeError as error:
            raise SubstitutionFailure(f"local '{self.__expression}': {error}") from error
        return str(value)
