"""The AutoHYU bridge and the car that it drives.

ros2 launch vdsim_interface autohyu.launch.py --show-args
"""

from launch.actions import DeclareLaunchArgument, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, PythonExpression
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription

VALUE = LaunchConfiguration
CONFIG = PathJoinSubstitution([FindPackageShare("vdsim_interface"), "config"])


def port(own: int, contract: int) -> PythonExpression:
    """The contract's port for an external car; Fast DDS itself takes 7000 and the ports above."""
    return PythonExpression([f"{own} if '", VALUE("plant"), f"' == 'true' else {contract}"])


ARGUMENTS = {
    "plant": ("true", "start the simulated car; false: an external one"),
    "vehicle": ("ioniq5_awd", "the simulated car: a preset or a YAML file"),
    "friction": ("0.9", "friction of the road"),
    "plant_host": ("127.0.0.1", "where CMD goes"),
    "plant_port": (port(6901, 7001), "UDP port where CMD goes"),
    "state_host": ("127.0.0.1", "address on which STATE is received"),
    "state_port": (port(6902, 7002), "UDP port on which STATE is received"),
    "http": ("", "the car's dashboard: HOST:PORT, or off; empty: 127.0.0.1:8090 where free"),
    "torque_map": ("", "CSV file torque_Nm,speed_kph,throttle; empty: the shipped map"),
    "ref_lat_deg": ("0.0", "latitude of the world's origin"),
    "ref_lon_deg": ("0.0", "longitude of the world's origin"),
    "filtered": ("off", "low pass of vehicle_state_filtered: off, first_order, butterworth"),
    "namespace": ("", "namespace of the bridge and its topics"),
    "params_file": (PathJoinSubstitution([CONFIG, "autohyu.yaml"]), "parameters of the bridge"),
    "plant_params_file": (PathJoinSubstitution([CONFIG, "plant.yaml"]), "parameters of the car"),
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
                "link.plant_host": typed("plant_host", str),
                "link.plant_port": typed("plant_port", int),
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


def plant() -> Node:
    return Node(
        package="vdsim_plant_node",
        executable="plant",
        output="screen",
        condition=IfCondition(VALUE("plant")),
        parameters=[
            VALUE("plant_params_file"),
            {
                "vehicle": typed("vehicle", str),
                "mu": typed("friction", float),
                "cmd_ip": typed("plant_host", str),
                "cmd_port": typed("plant_port", int),
                "state_ip": typed("state_host", str),
                "state_port": typed("state_port", int),
                "http": typed("http", str),
            },
        ],
        on_exit=Shutdown(reason="the plant has ended"),
    )


def generate_launch_description() -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, plant(), bridge()])
