"""The car and its interface: plant, vehicle interface, and what the arguments add.

ros2 launch vdsim_interface vdsim.launch.py --show-args
"""

from launch.actions import DeclareLaunchArgument, Shutdown
from launch.substitutions import (
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription


def argument(name: str, default: str, description: str, choices: list[str] | None = None):
    return DeclareLaunchArgument(
        name, default_value=default, description=description, choices=choices
    )


def arguments() -> list[DeclareLaunchArgument]:
    share = FindPackageShare("vdsim_interface")
    defaults = PathJoinSubstitution([share, "config", "vehicle_interface.yaml"])
    return [
        argument("platform", "vds1", "what the interface speaks to", ["vds1", "fake", "morai"]),
        argument(
            "control_command",
            "high_level",
            "which command message drives the car",
            ["high_level", "vehicle", "raw"],
        ),
        argument("namespace", "vehicle", "namespace of the nodes and topics"),
        argument("params_file", defaults, "parameters of the interface"),
        argument(
            "auto_engage",
            PythonExpression(["'", LaunchConfiguration("platform"), "' in ('vds1', 'fake')"]),
            "the first valid command engages",
        ),
        argument("use_sim_time", "false", "follow /clock instead of the machine's clock"),
        argument("log_level", "info", "of the nodes", ["debug", "info", "warn", "error"]),
    ]


def vehicle_interface() -> Node:
    value = LaunchConfiguration
    return Node(
        package="vdsim_interface",
        executable="vehicle_interface",
        namespace=value("namespace"),
        output="screen",
        parameters=[
            value("params_file"),
            {
                "platform": value("platform"),
                "control_command": value("control_command"),
                "safety.auto_engage": ParameterValue(value("auto_engage"), value_type=bool),
                "use_sim_time": ParameterValue(value("use_sim_time"), value_type=bool),
            },
        ],
        arguments=["--ros-args", "--log-level", value("log_level")],
        on_exit=Shutdown(reason="the vehicle interface has ended"),
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*arguments(), vehicle_interface()])
