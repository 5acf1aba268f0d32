"""Manual driving by gamepad or keyboard, and the command mux, which selects one source at a time.

Included by vdsim.launch.py; alone it connects to a running interface:
    ros2 launch vdsim_interface teleop.launch.py teleop:=gamepad
"""

import os
import shutil

from launch.actions import LogInfo, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from vdsim_interface.ros.launching import (
    SWITCH,
    checked,
    config_file,
    declared,
)

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

ARGUMENTS = {
    "teleop": ("gamepad", "device for manual driving", ["gamepad", "keyboard", "none"]),
    "joy_dev": (
        "auto",
        "joystick: a path, a part of its name, auto for the first; "
        "none when another node publishes joy",
    ),
    "joy_config": ("auto", "a mapping of config/gamepads by name, a file, or auto: by the device"),
    "mux": ("true", "start command_mux; false: one already runs", SWITCH),
    "wheelbase": ("", "wheelbase of the car [m]; empty: from the parameter files"),
    "terminal": ("auto", "command that opens a terminal for the keyboard, such as 'xterm -e'"),
    "teleop_params_file": (
        config_file("teleop.yaml"),
        "parameters of the teleoperation nodes",
    ),
    "mux_params_file": (
        config_file("command_mux.yaml"),
        "parameters of the command mux: sources, priorities, locks",
    ),
    "namespace": ("vehicle", "namespace of the nodes and topics"),
}


def node(executable: str, *parameters, **more) -> Node:
    """One node of this fragment."""
    return Node(
        package="vdsim_interface",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=list(parameters),
        output="screen",
        **more,
    )


def wheelbase_parameter(context: LaunchContext, name: str) -> dict[str, float]:
    """The argument `wheelbase` as the parameter `name`; {} when it is empty."""
    given = context.launch_configurations["wheelbase"]
    try:
        return {name: float(given)} if given else {}
    except ValueError:
        raise RuntimeError(f"wheelbase:={given}: must be a number [m], or empty") from None


def command_mux(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    return [
        node(
            "command_mux",
            LaunchConfiguration("mux_params_file"),
            wheelbase_parameter(context, "wheelbase_m"),
            condition=IfCondition(LaunchConfiguration("mux")),
        )
    ]


def gamepad(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    parameters = LaunchConfiguration("teleop_params_file")
    device = LaunchConfiguration("joy_dev").perform(context)
    mapping = {"joy_config": LaunchConfiguration("joy_config")}
    car = wheelbase_parameter(context, "driver.wheelbase_m")
    nodes = [node("gamepad_teleop", parameters, mapping, car)]
    if device != "none":
        nodes.append(node("joy_device", parameters, {"device": device}))
    return nodes


def keyboard(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    prefix = LaunchConfiguration("terminal").perform(context)
    if prefix == "auto":
        prefix = terminal()
    if prefix:
        parameters = LaunchConfiguration("teleop_params_file")
        car = wheelbase_parameter(context, "driver.wheelbase_m")
        return [node("keyboard_teleop", parameters, car, prefix=prefix)]
    namespace = LaunchConfiguration("namespace").perform(context)
    return [
        LogInfo(
            msg="keyboard_teleop needs its own terminal; open one and run: ros2 run "
            f"vdsim_interface keyboard_teleop --ros-args -r __ns:=/{namespace.strip('/')}"
        )
    ]


def terminal() -> str:
    """The command that opens a terminal here; empty where there is none."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        for program in ("x-terminal-emulator", "xterm"):
            if shutil.which(program):
                return f"{program} -e"
    return "tmux split-window -l 16" if os.environ.get("TMUX") and shutil.which("tmux") else ""


def manual_controls(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    chosen = LaunchConfiguration("teleop").perform(context)
    return {"gamepad": gamepad, "keyboard": keyboard, "none": lambda _: []}[chosen](context)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            checked({}, ("teleop_params_file", "mux_params_file")),
            OpaqueFunction(function=command_mux),
            OpaqueFunction(function=manual_controls),
        ]
    )
