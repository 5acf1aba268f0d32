"""MORAI SIM: Drive, or its emulator, driven through the vehicle interface.

ros2 launch vdsim_interface morai.launch.py --show-args
"""

from launch.actions import Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from vdsim_interface.ros.launching import (
    checked,
    config_file,
    declared,
    typed,
)

from launch import LaunchDescription

VALUE = LaunchConfiguration
ARGUMENTS = {
    "emulator": ("true", "start the emulator; false: a simulator at sim_host"),
    "sim_host": ("127.0.0.1", "the simulator's address, to which commands are sent"),
    "listen_host": ("127.0.0.1", "address on which the simulator's messages are received"),
    "control_port": ("9093", "UDP port of Ego Ctrl Cmd"),
    "status_port": ("9909", "UDP port for Ego Vehicle Status (the simulator's own default: 909)"),
    "cmd_type": ("acceleration", "command type of Ego Ctrl Cmd: pedals, velocity, acceleration"),
    "control_command": (
        "high_level",
        "command message in use: high_level, vehicle, raw",
    ),
    "vehicle": ("ioniq5_awd", "the emulator's car: a preset or a YAML file"),
    "auto_engage": (VALUE("emulator"), "the first valid command engages"),
    "namespace": ("vehicle", "namespace of the interface's nodes and topics"),
    "params_file": (
        config_file("vehicle_interface.yaml"),
        "parameters of the interface",
    ),
    "morai_params_file": (
        config_file("morai.yaml"),
        "parameters of the bridge: the other messages' ports",
    ),
    "emulator_ports_file": (
        config_file("morai_emulator.yaml"),
        "the emulator's ports and scene",
    ),
}
NUMBERS = {"control_port": int, "status_port": int}
FILES = ("params_file", "morai_params_file")


def emulator() -> Node:
    return Node(
        package="vdsim_plant_node",
        executable="morai_emulator",
        output="screen",
        condition=IfCondition(VALUE("emulator")),
        arguments=[
            *("--vehicle", VALUE("vehicle")),
            *("--host", VALUE("sim_host")),
            *("--to", VALUE("listen_host")),
            *("--control-port", VALUE("control_port")),
            *("--status-port", VALUE("status_port")),
            *("--scene", VALUE("emulator_ports_file")),
        ],
        on_exit=Shutdown(reason="the emulator has ended"),
    )


def interface() -> Node:
    return Node(
        package="vdsim_interface",
        executable="vehicle_interface",
        namespace=VALUE("namespace"),
        output="screen",
        parameters=[
            VALUE("params_file"),
            {
                "platform": "morai",
                "control_command": typed("control_command", str),
                "safety.auto_engage": typed("auto_engage", bool),
                "morai.sim_host": typed("sim_host", str),
                "morai.control_port": typed("control_port", int),
                "morai.listen_host": typed("listen_host", str),
                "morai.status_port": typed("status_port", int),
                "morai.cmd_type": typed("cmd_type", str),
            },
        ],
        on_exit=Shutdown(reason="the interface has ended"),
    )


def bridge() -> Node:
    return Node(
        package="vdsim_interface",
        executable="morai_bridge",
        output="screen",
        parameters=[
            VALUE("morai_params_file"),
            {
                "sim_host": typed("sim_host", str),
                "listen_host": typed("listen_host", str),
            },
        ],
        on_exit=Shutdown(reason="the bridge has ended"),
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [*declared(ARGUMENTS), checked(NUMBERS, FILES), emulator(), interface(), bridge()]
    )
