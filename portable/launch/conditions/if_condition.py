"""Conditions over one text."""

from __future__ import annotations

from ..condition import Condition
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities.substitutions import describe_substitutions, normalize_to_list_of_substitutions
from .evaluate_condition_expression import evaluate_condition_expression


class IfCondition(Condition):
    """Holds when the text is true."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self.__expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._is_true)

    def _is_true(self, context: LaunchContext) -> bool:
        return evaluate_condition_expression(context, self.__expression)

    def describe(self) -> str:
        """Return a description for people."""
        return f"{self.__class__.__name__}({describe_substitutions(self.__expression)})"


class UnlessCondition(IfCondition):
    """Holds when the text is false."""

    def _is_true(self, context: LaunchContext) -> bool:
        return not super()._is_true(context)
