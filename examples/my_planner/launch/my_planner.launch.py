"""The car with its interface, and the planner."""

from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Include the car as it is, with two of its arguments set."""
    file = PathJoinSubstitution([FindPackageShare("vdsim_interface"), "launch", "vdsim.launch.py"])
    car = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file),
        launch_arguments={"vehicle": "compact_fwd", "friction": "0.8"}.items(),
    )
    planner = Node(package="my_planner", executable="planner", parameters=[{"speed_mps": 5.0}])
    return LaunchDescription([car, planner])
