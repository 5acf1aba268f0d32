"""What is not supported says so."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    ("module", "name", "package"),
    [
        ("launch", "frontend", "launch"),
        ("launch.actions", "ExecuteLocal", "launch"),
        ("launch.substitutions", "StringJoinSubstitution", "launch"),
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


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("launch.action", "Action"),
        ("launch.actions.declare_launch_argument", "DeclareLaunchArgument"),
        ("launch.actions.execute_process", "ExecuteProcess"),
        ("launch.actions.include_launch_description", "IncludeLaunchDescription"),
        ("launch.actions.opaque_function", "OpaqueFunction"),
        ("launch.actions.timer_action", "TimerAction"),
        ("launch.condition", "Condition"),
        ("launch.conditions.if_condition", "IfCondition"),
        ("launch.event_handler", "EventHandler"),
        ("launch.event_handlers.on_process_exit", "OnProcessExit"),
        ("launch.events.process.process_exited", "ProcessExited"),
        ("launch.events.shutdown", "Shutdown"),
        ("launch.launch_context", "LaunchContext"),
        ("launch.launch_description", "LaunchDescription"),
        ("launch.launch_description_entity", "LaunchDescriptionEntity"),
        ("launch.launch_description_source", "LaunchDescriptionSource"),
        (
            "launch.launch_description_sources.python_launch_description_source",
            "PythonLaunchDescriptionSource",
        ),
        ("launch.launch_service", "LaunchService"),
        ("launch.some_actions_type", "SomeActionsType"),
        ("launch.some_entities_type", "SomeEntitiesType"),
        ("launch.some_substitutions_type", "SomeSubstitutionsType"),
        ("launch.substitution", "Substitution"),
        ("launch.substitutions.launch_configuration", "LaunchConfiguration"),
        ("launch.substitutions.text_substitution", "TextSubstitution"),
    ],
)
def test_upstream_paths_work(path: str, name: str) -> None:
    """Launch files import from the files that upstream has for each class."""
    scope: dict[str, object] = {}
    exec(f"from {path} import {name} as found\nimport {path} as module", scope)
    assert isinstance(scope["module"], ModuleType)
    assert scope["found"] is getattr(scope["module"], name)
