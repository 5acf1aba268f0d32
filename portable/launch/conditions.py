"""Conditions of actions."""

from __future__ import annotations

from .base import Condition, LaunchContext, Substitution
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)

__all__ = [
    "IfCondition",
    "InvalidConditionExpressionError",
    "LaunchConfigurationEquals",
    "LaunchConfigurationNotEquals",
    "UnlessCondition",
    "evaluate_condition_expression",
]


_VALUES = {"true": True, "1": True, "false": False, "0": False}


class InvalidConditionExpressionError(RuntimeError):
    """The text of a condition is neither true nor false."""


def evaluate_condition_expression(context: LaunchContext, expression: list[Substitution]) -> bool:
    """Return the truth value: 'true' or '1', 'false' or '0', in any case."""
    text = perform_substitutions(context, expression).strip().lower()
    if text not in _VALUES:
        raise InvalidConditionExpressionError(
            f"condition {describe_substitutions(expression)} evaluates to {text!r}: "
            f"must be one of {', '.join(_VALUES)}"
        )
    return _VALUES[text]


class IfCondition(Condition):
    """Holds when the text is true."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self.__expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._is_true)

    def _is_true(self, context: LaunchContext) -> bool:
        return evaluate_condition_expression(context, self.__expression)

    def describe(self) -> str:
        """Return a readable description."""
        return f"{self.__class__.__name__}({describe_substitutions(self.__expression)})"


class UnlessCondition(IfCondition):
    """Holds when the text is false."""

    def _is_true(self, context: LaunchContext) -> bool:
        return not super()._is_true(context)


class LaunchConfigurationEquals(Condition):
    """Holds when a launch configuration has the value; None stands for one that is not set."""

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None
    ) -> None:
        self.__name = launch_configuration_name
        self.__expected = (
            None if expected_value is None else normalize_to_list_of_substitutions(expected_value)
        )
        super().__init__(predicate=self._is_true)

    def _is_true(self, context: LaunchContext) -> bool:
        value = context.launch_configurations.get(self.__name)
        if self.__expected is None or value is None:
            return value is None and self.__expected is None
        return value == perform_substitutions(context, self.__expected)


class LaunchConfigurationNotEquals(LaunchConfigurationEquals):
    """The opposite of LaunchConfigurationEquals."""

    def _is_true(self, context: LaunchContext) -> bool:
        return not super()._is_true(context)
