"""One named ROS parameter."""

from __future__ import annotations

from typing import Any

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import LaunchContext

from .parameter_value import ParameterValue


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
