"""Conditions of actions."""

from __future__ import annotations

from typing import Any

import pytest
from launch.conditions import (
    IfCondition,
    InvalidConditionExpressionError,
    LaunchConfigurationEquals,
    LaunchConfigurationNotEquals,
    UnlessCondition,
)
from launch.substitutions import LaunchConfiguration

from launch import LaunchContext


@pytest.mark.parametrize(
    ("text", "is_true"),
    [
        ("true", True),
        ("True", True),
        (" 1 ", True),
        ("false", False),
        ("FALSE", False),
        ("0", False),
    ],
)
def test_truth(text: str, is_true: bool) -> None:
    context = LaunchContext()
    context.launch_configurations["on"] = text
    assert IfCondition(LaunchConfiguration("on")).evaluate(context) is is_true
    assert UnlessCondition(LaunchConfiguration("on")).evaluate(context) is not is_true


@pytest.mark.parametrize("text", ["", "yes", "2", "truee"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidConditionExpressionError, match=f"'{text}'"):
        IfCondition(text).evaluate(LaunchContext())


@pytest.mark.parametrize(
    ("name", "expected", "is_true"),
    [
        ("mode", "fast", True),
        ("mode", ["fa", LaunchConfiguration("rest")], True),
        ("mode", "slow", False),
        ("mode", None, False),
        ("unset", None, True),
        ("unset", "fast", False),
    ],
)
def test_value_of_a_launch_configuration(name: str, expected: Any, is_true: bool) -> None:
    context = LaunchContext()
    context.launch_configurations.update(mode="fast", rest="st")
    assert LaunchConfigurationEquals(name, expected).evaluate(context) is is_true
    assert LaunchConfigurationNotEquals(name, expected).evaluate(context) is not is_true
