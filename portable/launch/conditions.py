"""Conditions of actions."""

from __future__ import annotations

from ._upstream_names import refuse_names
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


__getattr__ = refuse_names(
    __name__, ("LaunchConfigurationEquals", "LaunchConfigurationNotEquals"), "launch"
)
