"""The truth value of a condition's text."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..substitution import Substitution
from ..utilities.substitutions import describe_substitutions, perform_substitutions

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
