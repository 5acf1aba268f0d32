"""Shared by the launch files: arguments as a table, typed parameters, includes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import yaml
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext
from vdsim_interface.parameters import flatten

Argument: TypeAlias = (
    tuple[SomeSubstitutionsType, str] | tuple[SomeSubstitutionsType, str, list[str]]
)
"""Default, description, and the allowed values unless every value is allowed."""
_SHARE = FindPackageShare("vdsim_interface")
SWITCH = ["true", "false"]


def declared(arguments: Mapping[str, Argument]) -> list[DeclareLaunchArgument]:
    """Declare launch arguments, in the order of the table."""
    return [
        DeclareLaunchArgument(
            name,
            default_value=default,
            description=text,
            choices=choices[0] if choices else None,
        )
        for name, (default, text, *choices) in arguments.items()
    ]


def typed(name: str, kind: type) -> ParameterValue:
    """A launch argument as a parameter of this type, whatever type its text suggests."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def checked(numbers: Mapping[str, type], files: Iterable[str]) -> OpaqueFunction:
    """Reject wrong numbers and missing files before anything starts."""

    def check(context: LaunchContext) -> None:
        for name, kind in numbers.items():
            given = context.launch_configurations[name]
            try:
                kind(given)
            except ValueError:
                allowed = "a whole number" if kind is int else "a number"
                raise RuntimeError(f"{name}:={given}: must be {allowed}") from None
        for name in files:
            given = context.launch_configurations[name]
            if given and not Path(given).is_file():
                raise RuntimeError(f"{name}:={given}: there is no such file")

    return OpaqueFunction(function=check)


def config_file(name: str) -> PathJoinSubstitution:
    """A shipped parameter file."""
    return PathJoinSubstitution([_SHARE, "config", name])


def launch_file(name: str) -> PythonLaunchDescriptionSource:
    """A shipped launch file, to include."""
    return PythonLaunchDescriptionSource(PathJoinSubstitution([_SHARE, "launch", name]))


def value_in_files(files: Iterable[str], parameter: str) -> object:
    """The value of a parameter in the last of these files that has it; None when none has."""
    value = None
    for file in files:
        for section in _sections(file):
            value = flatten(section).get(parameter, value)
    return value


def _sections(file: str) -> list[Mapping[str, object]]:
    try:
        nodes = yaml.safe_load(Path(file).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RuntimeError(f"parameter file {file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RuntimeError(f"parameter file {file} is no YAML: {error}") from error
    if not isinstance(nodes, Mapping):
        raise RuntimeError(f"parameter file {file}: must say NODE: ros__parameters: ...")
    return [
        node["ros__parameters"]
        for node in nodes.values()
        if isinstance(node, Mapping) and isinstance(node.get("ros__parameters"), Mapping)
    ]
