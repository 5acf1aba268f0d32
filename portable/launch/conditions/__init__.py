"""Whether an action is performed."""

from .._upstream_names import refuse_names
from .evaluate_condition_expression import (
    InvalidConditionExpressionError,
    evaluate_condition_expression,
)
from .if_condition import IfCondition, UnlessCondition

__all__ = [
    "IfCondition",
    "InvalidConditionExpressionError",
    "UnlessCondition",
    "evaluate_condition_expression",
]

__getattr__ = refuse_names(
    __name__, ("LaunchConfigurationEquals", "LaunchConfigurationNotEquals"), "launch"
)
