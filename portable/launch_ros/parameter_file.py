"""A file with ROS parameters."""

from __future__ import annotations

import tempfile
from pathlib import Path

from launch.logging import launch_config
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import (
    BoolOrSubstitutions,
    normalize_to_list_of_substitutions,
    perform_bool,
    perform_substitutions,
)

from launch import LaunchContext, Substitution

from .parameter_file_text import perform_text


class ParameterFile:
    """A YAML file with parameters; with ``allow_substs`` its ``$(...)`` are performed."""

    def __init__(
        self,
        param_file: SomeSubstitutionsType | Path,
        *,
        allow_substs: BoolOrSubstitutions = False,
    ) -> None:
        path = str(param_file) if isinstance(param_file, Path) else param_file
        self.__path = normalize_to_list_of_substitutions(path)
        self.__allow_substs = allow_substs

    @property
    def param_file(self) -> list[Substitution]:
        """Return the path, not yet performed."""
        return self.__path

    @property
    def allow_substs(self) -> BoolOrSubstitutions:
        """Return whether ``$(...)`` is performed."""
        return self.__allow_substs

    def evaluate(self, context: LaunchContext) -> Path:
        """Return the path of the file that a node can read."""
        path = Path(perform_substitutions(context, self.__path))
        if not path.is_file():
            raise FileNotFoundError(f"parameter file '{path}' does not exist")
        if not perform_bool(context, self.__allow_substs, "allow_substs"):
            return path
        return write_parameter_file(perform_text(path.read_text(), context))


def write_parameter_file(text: str) -> Path:
    """Return a new file in the log folder of the launch, where it can be read afterwards."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="launch_params_", suffix=".yaml", dir=launch_config.log_dir, delete=False
    ) as file:
        file.write(text)
    return Path(file.name)
