"""What is not supported says so."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize(
    ("module", "name", "package"),
    [
        ("launch", "frontend", "launch"),
        ("launch.actions", "ExecuteLocal", "launch"),
        ("launch.substitutions", "AnonName", "launch"),
        ("launch.conditions", "LaunchConfigurationEquals", "launch"),
        ("launch.event_handlers", "OnIncludeLaunchDescription", "launch"),
        ("launch_ros.actions", "ComposableNodeContainer", "launch_ros"),
        ("launch_ros.descriptions", "ComposableNode", "launch_ros"),
        ("launch_testing.actions", "GTest", "launch_testing"),
    ],
)
def test_known_name_names_its_package(module: str, name: str, package: str) -> None:
    with pytest.raises(ImportError, match=f"{name} is not supported .* package '{package}'"):
        exec(f"from {module} import {name}", {})


def test_unknown_name_is_an_ordinary_error() -> None:
    actions = importlib.import_module("launch.actions")
    assert not hasattr(actions, "Nonsense")
    with pytest.raises(ImportError, match="cannot import name 'Nonsense'"):
        exec("from launch.actions import Nonsense", {})
