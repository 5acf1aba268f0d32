"""The path of a package's executable."""

from __future__ import annotations

import os
from pathlib import Path

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import SubstitutionFailure
from launch.utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)

from launch import LaunchContext, Substitution

from .find_package import FindPackagePrefix


class ExecutableInPackage(FindPackagePrefix):
    """An executable in ``<prefix>/lib/<package>/``."""

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        super().__init__(package)
        self.__executable = normalize_to_list_of_substitutions(executable)

    @property
    def executable(self) -> list[Substitution]:
        """Return the name of the executable, not yet performed."""
        return self.__executable

    def describe(self) -> str:
        """Return a description for people."""
        package = describe_substitutions(self.package)
        return f"ExecInPkg(pkg={package}, exec={describe_substitutions(self.__executable)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path of the executable file."""
        package = perform_substitutions(context, self.package)
        executable = perform_substitutions(context, self.__executable)
        folder = Path(self.find(package)) / "lib" / package
        path = folder / executable
        if not path.is_file():
            raise SubstitutionFailure(
                f"executable '{executable}' not found on the libexec directory '{folder}'"
            )
        if not os.access(path, os.X_OK):
            raise SubstitutionFailure(f"'{path}' is not executable")
        return str(path)
