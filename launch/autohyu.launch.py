"""The AutoHYU bridge and the car that it drives.

ros2 launch vdsim_interface autohyu.launch.py --show-args
"""

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription

VALUE = LaunchConfiguration
SHARE = FindPackageShare("vdsim_interface")


ARGUMENTS = {
    "torque_map": ("", "CSV file torque_Nm,speed_kph,throttle; empty: the shipped map"),
    "ref_lat_deg": ("0.0", "latitude of the world's origin"),
    "ref_lon_deg": ("0.0", "longitude of the world's origin"),
    "filtered": ("off", "low pass of vehicle_state_filtered: off, first_order, butterworth"),
    "namespace": ("", "namespace of the bridge and its topics"),
    "params_file": (
        PathJoinSubstitution([SHARE, "config", "autohyu.yaml"]),
        "parameters of the bridge",
    ),
}


def typed(name: str, kind: type) -> ParameterValue:
    return ParameterValue(VALUE(name), value_type=kind)


def bridge() -> Node:
    return Node(
        package="vdsim_interface",
        executable="autohyu_bridge",
        namespace=VALUE("namespace"),
        output="screen",
        parameters=[
            VALUE("params_file"),
            {
                "link.plant_host": typed("command_host", str),
                "link.plant_port": typed("command_port", int),
                "link.listen_host": typed("state_host", str),
                "link.listen_port": typed("state_port", int),
                "pedals.torque_map": typed("torque_map", str),
                "reference.ref_lat_deg": typed("ref_lat_deg", float),
                "reference.ref_lon_deg": typed("ref_lon_deg", float),
                "filtered.type": typed("filtered", str),
            },
        ],
        on_exit=Shutdown(reason="the bridge has ended"),
    )


def generate_launch_description() -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    source = PythonLaunchDescriptionSource(
        PathJoinSubstitution([SHARE, "launch", "plant.launch.py"])
    )
    return LaunchDescription([*declared, IncludeLaunchDescription(source), bridge()])
