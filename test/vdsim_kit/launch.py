"""The shipped launch files, for tests that start them as a user does."""

from __future__ import annotations

from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare


def shipped(name: str, **arguments: object) -> IncludeLaunchDescription:
    """Include `launch/<name>.launch.py` with launch arguments."""
    file = PathJoinSubstitution(
        [FindPackageShare("vdsim_interface"), "launch", f"{name}.launch.py"]
    )
    given = {key: str(value) for key, value in arguments.items()}
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file), launch_arguments=given.items()
    )
