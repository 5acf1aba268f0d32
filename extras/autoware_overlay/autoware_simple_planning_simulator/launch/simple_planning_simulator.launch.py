"""Autoware's planning simulator by its own name, with the simulated car of vdsim.

Every argument goes on to autoware_simulator.launch.py (docs/autoware.md).
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource

from launch import LaunchDescription

FILE = Path(get_package_share_directory("vdsim_autoware"), "launch/autoware_simulator.launch.py")


def generate_launch_description() -> LaunchDescription:
    """Include ours."""
    return LaunchDescription(
        [
            LogInfo(msg="[INFO] simple_planning_simulator is that of vdsim (an overlay)"),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(FILE))),
        ]
    )
