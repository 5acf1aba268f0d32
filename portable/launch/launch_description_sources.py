"""Where launch descriptions come from: an object, or a file."""

from __future__ import annotations

import importlib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from ._upstream_names import refuse_names
from .base import LaunchContext, Substitution
from .launch_description import LaunchDescription
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "AnyLaunchDescriptionSource",
    "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError",
    "PythonLaunchDescriptionSource",
    "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]


class LaunchDescriptionSource:
    """A launch description, loaded on first use."""

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<script>",
        method: str = "unspecified mechanism from a script",
    ) -> None:
        self.__launch_description = launch_description
        self.__location: list[Substitution] = normalize_to_list_of_substitutions(location)
        self.__expanded_location: str | None = None
        self.__loaded_from: str | None = None
        self.__method = method

    @property
    def method(self) -> str:
        """Return how the description is loaded."""
        return self.__method

    @property
    def location(self) -> str:
        """Return the path once known, else the description of the location."""
        if self.__expanded_location is not None:
            return self.__expanded_location
        return " + ".join(part.describe() for part in self.__location)

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if it can be loaded before the launch runs."""
        try:
            return self._loaded(perform_substitutions(LaunchContext(), self.__location))
        except Exception:  # an error in the file is reported when the launch runs
            return self.__launch_description

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description, loading it if necessary."""
        self.__expanded_location = perform_substitutions(context, self.__location)
        return self._loaded(self.__expanded_location)

    def _loaded(self, location: str) -> LaunchDescription:
        # The launch may have changed the path since the description was loaded.
        if self.__launch_description is None or self.__loaded_from not in (None, location):
            self.__launch_description = self._load(location)
            self.__loaded_from = location
        return self.__launch_description

    def _load(self, location: str) -> LaunchDescription:
        raise TypeError(f"{self.__class__.__name__} cannot load {location!r}")


class InvalidLaunchFileError(RuntimeError):
    """The file is not a launch file; the message gives the reason."""


class InvalidPythonLaunchFileError(InvalidLaunchFileError):
    """The Python file does not give a launch description."""


def load_python_launch_file_as_module(python_launch_file_path: str) -> ModuleType:
    """Return the file as a module, without writing a .pyc file."""
    if not Path(python_launch_file_path).is_file():
        raise FileNotFoundError(f"launch file '{python_launch_file_path}' does not exist")
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    code = compile(loader.get_data(python_launch_file_path), python_launch_file_path, "exec")
    exec(code, vars(module))  # launch files are trusted code
    return module


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """Return what ``generate_launch_description()`` of the file returns."""
    module = load_python_launch_file_as_module(python_launch_file_path)
    generate: Any = getattr(module, "generate_launch_description", None)
    if generate is None:
        raise InvalidPythonLaunchFileError(
            f"launch file at '{python_launch_file_path}' does not contain the required function "
            "'generate_launch_description()'"
        )
    description = generate()
    if not isinstance(description, LaunchDescription):
        raise InvalidPythonLaunchFileError(
            f"launch file at '{python_launch_file_path}': generate_launch_description() returned "
            f"{type(description).__name__}, not a LaunchDescription"
        )
    return description


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads ``generate_launch_description()`` of a Python file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted python launch file")

    def _load(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


# The packages that read the other formats: plug-ins, imported when a file of that format is loaded.
_FRONTENDS = {".xml": "launch_xml", ".yaml": "launch_yaml", ".yml": "launch_yaml"}


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """Loads launch files of any format: Python, XML, YAML."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "any launch file")

    def _load(self, location: str) -> LaunchDescription:
        frontend = _FRONTENDS.get(PurePath(location).suffix.lower())
        if frontend is None:
            return get_launch_description_from_python_launch_file(location)
        if not Path(location).is_file():
            raise FileNotFoundError(f"launch file '{location}' does not exist")
        description: LaunchDescription = importlib.import_module(frontend).load(location)
        return description


__getattr__ = refuse_names(
    __name__,
    (
        "AnyLaunchFileUtilities",
        "FrontendLaunchDescriptionSource",
        "get_launch_description_from_any_launch_file",
        "get_launch_description_from_frontend_launch_file",
    ),
    "launch",
)
