"""Texts that come from the installed ROS packages."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch._upstream_names import refuse_names
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import SubstitutionFailure
from launch.utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)

from launch import LaunchContext, Substitution

__all__ = ["ExecutableInPackage", "FindPackage", "FindPackagePrefix", "FindPackageShare"]


class FindPackagePrefix(Substitution):
    """The prefix under which a package is installed (found through AMENT_PREFIX_PATH)."""

    def __init__(self, package: SomeSubstitutionsType) -> None:
        self.__package = normalize_to_list_of_substitutions(package)

    @property
    def package(self) -> list[Substitution]:
        """Return the name of the package, not yet performed."""
        return self.__package

    def describe(self) -> str:
        """Return a readable description."""
        return f"{self.__class__.__name__}(pkg={describe_substitutions(self.__package)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return self.find(perform_substitutions(context, self.__package))

    def find(self, package_name: str) -> str:
        """Return the path for the package of that name."""
        try:
            return str(get_package_prefix(package_name))
        except (PackageNotFoundError, ValueError) as error:
            raise SubstitutionFailure(" ".join(str(arg) for arg in error.args)) from error


class FindPackageShare(FindPackagePrefix):
    """The share folder of a package: launch files, configuration."""

    def find(self, package_name: str) -> str:
        """Return the path for the package of that name."""
        return str(Path(super().find(package_name)) / "share" / package_name)


FindPackage = FindPackagePrefix


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
        """Return a readable description."""
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


__getattr__ = refuse_names(__name__, ("Parameter",), "launch_ros")
