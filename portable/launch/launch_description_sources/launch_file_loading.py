"""Load a launch description from a Python file."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from ..launch_description import LaunchDescription


class InvalidLaunchFileError(RuntimeError):
    """The file is no launch file; the message says why."""


class InvalidPythonLaunchFileError(InvalidLaunchFileError):
    """The Python file does not give a launch description."""


def load_python_launch_file_as_module(python_launch_file_path: str) -> ModuleType:
    """Return the file as a module; a .pyc is never left beside it."""
    if not Path(python_launch_file_path).is_file():
        raise FileNotFoundError(f"launch file '{python_launch_file_path}' does not exist")
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    code = compile(loader.get_data(python_launch_file_path), python_launch_file_path, "exec")
    exec(code, vars(module))  # a launch file is a program that its user trusts
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
