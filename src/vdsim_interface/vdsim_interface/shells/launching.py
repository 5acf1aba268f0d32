"""What the launch files share: arguments as a table, parameters of a stated type, includes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

Argument: TypeAlias = (
    tuple[SomeSubstitutionsType, str] | tuple[SomeSubstitutionsType, str, list[str]]
)
"""Default, description, and the choices where there is not any value allowed."""
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
    """A launch argument as a parameter of this type, whatever its text looks like."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def config_file(name: str) -> PathJoinSubstitution:
    """A shipped parameter file."""
    return PathJoinSubstitution([_SHARE, "config", name])


def launch_file(name: str) -> PythonLaunchDescriptionSource:
    """A shipped launch file, to include."""
    return PythonLaunchDescriptionSource(PathJoinSubstitution([_SHARE, "launch", name]))
