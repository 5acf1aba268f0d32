"""Parameters as launch files describe them: a value, a named value, a file."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from launch.logging import launch_config
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import (
    BoolOrSubstitutions,
    normalize_to_list_of_substitutions,
    perform_bool,
    perform_substitutions,
)

from launch import LaunchContext, Substitution

from .substitution_text import perform_text

_SCALARS = (bool, int, float, str, bytes)


class ParameterValue:
    """A value of a given type; without one, text from substitutions is read as YAML.

    So ``LaunchConfiguration('rate')`` with the text 100 is the integer 100, and a plain string
    '100' stays a string.
    """

    def __init__(self, value: Any, *, value_type: Any = None) -> None:
        self.__value = value
        self.__value_type = value_type

    @property
    def value(self) -> Any:
        """Return the value as given."""
        return self.__value

    @property
    def value_type(self) -> Any:
        """Return the requested type, or None."""
        return self.__value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value as a Python object."""
        if self.__value_type is None:
            return evaluate_value(context, self.__value)
        return _coerce(_plain(context, self.__value), self.__value_type)


def evaluate_value(context: LaunchContext, value: Any) -> Any:
    """Return a parameter's value: plain values as they are, texts of substitutions as YAML."""
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if _is_text_to_perform(value):
        return _from_yaml(perform_substitutions(context, normalize_to_list_of_substitutions(value)))
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, Sequence):
        return _uniform([_element(context, item) for item in value])
    if hasattr(value, "tolist"):  # a numpy array or scalar
        return evaluate_value(context, value.tolist())
    raise TypeError(f"{value!r} ({type(value).__name__}) cannot be the value of a parameter")


def _is_text_to_perform(value: Any) -> bool:
    if isinstance(value, Substitution):
        return True
    return (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and any(isinstance(item, Substitution) for item in value)
        and all(isinstance(item, (str, Substitution)) for item in value)
    )


def _plain(context: LaunchContext, value: Any) -> Any:
    """Return the value with substitutions performed to text and not read as YAML."""
    if _is_text_to_perform(value):
        return perform_substitutions(context, normalize_to_list_of_substitutions(value))
    return evaluate_value(context, value)


def _element(context: LaunchContext, item: Any) -> Any:
    element = evaluate_value(context, item)
    if not isinstance(element, _SCALARS):
        raise TypeError(f"{item!r} cannot be an element of an array parameter")
    return element


def _uniform(elements: list[Any]) -> list[Any]:
    kinds = {type(element) for element in elements}
    if kinds == {int, float}:
        return [float(element) for element in elements]
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"array parameter {elements!r} mixes {names}: one type is allowed")
    return elements


def _from_yaml(text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        where = " ".join(str(error).split())
        raise ValueError(
            f"{text!r} is no YAML value ({where}); ParameterValue(..., value_type=str) takes it "
            "as text"
        ) from error
    if isinstance(value, list):
        return _uniform(value)
    if isinstance(value, _SCALARS):
        return value
    if value is None:
        return text  # an empty text, or the word null: a parameter needs a value
    raise TypeError(
        f"{text!r} reads as {type(value).__name__} in YAML, which no parameter can hold; "
        "ParameterValue(..., value_type=str) takes it as text"
    )


def _coerce(value: Any, value_type: Any) -> Any:
    element_type = getattr(value_type, "__args__", (None,))[0]
    if element_type is not None:  # list[int], List[int]
        items = _from_yaml(value) if isinstance(value, str) else value
        if not isinstance(items, list):
            raise TypeError(f"{value!r} is no list of {element_type.__name__}")
        return [_coerce(item, element_type) for item in items]
    if value_type is str:
        return value if isinstance(value, str) else str(value)
    found = _from_yaml(value) if isinstance(value, str) else value
    if value_type is float and type(found) is int:
        return float(found)
    if type(found) is not value_type:
        raise TypeError(f"{value!r} is not of the type {value_type.__name__}")
    return found


class Parameter:
    """A name and a value, both possibly from substitutions."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, *, value_type: Any = None) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = ParameterValue(value, value_type=value_type)

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        """Return name and value."""
        name = perform_substitutions(context, self.__name)
        try:
            return name, self.__value.evaluate(context)
        except (TypeError, ValueError) as error:
            raise ValueError(f"parameter '{name}': {error}") from error


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
    """Return a new file in the log folder of the launch, where it stays for inspection."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="launch_params_", suffix=".yaml", dir=launch_config.log_dir, delete=False
    ) as file:
        file.write(text)
    return Path(file.name)
