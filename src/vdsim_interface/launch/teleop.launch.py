"""Manual driving by gamepad or keyboard, and the command mux, which selects one source at a time.

Part of vdsim.launch.py; alone it connects to a running interface:
    ros2 launch vdsim_interface teleop.launch.py teleop:=gamepad
"""

import os
import shlex
import shutil

from launch.actions import LogInfo
from vdsim_interface.arbitration.parameters import MuxParameters
from vdsim_interface.extras.teleop.joystick import JoystickParameters
from vdsim_interface.extras.teleop.ros.terminal import find_terminal, in_terminal
from vdsim_interface.ros.launching import (
    SWITCH,
    ParameterFile,
    a_namespace,
    a_parameter_file,
    check_node,
    config_file,
    launch_description,
    like,
    may_end,
    namespace_of,
    node,
    optional,
    restarted,
    shipped,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, refuse_unmatched
from vdsim_interface.teleop.mapping_file import candidate_mappings
from vdsim_interface.teleop.parameters import GamepadTeleopParameters, KeyboardTeleopParameters

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

Entities = list[LaunchDescriptionEntity]
A_WHEELBASE = optional(like(MuxParameters(), "wheelbase_m"))


def a_terminal(text: str) -> str:
    """A command that exists, or auto."""
    if text == "auto":
        return ""
    words = shlex.split(text)
    return "" if words and shutil.which(words[0]) else "must be auto, or a command on the path"


ARGUMENTS = {
    "teleop": ("gamepad", "device for manual driving", ["gamepad", "keyboard", "none"]),
    "joy_dev": (
        "auto",
        "joystick: a path, a part of its name, auto for the first; "
        "none when another node publishes joy",
    ),
    "joy_config": ("auto", "a mapping of config/gamepads by name, a file, or auto: by the device"),
    "mux": (
        "false",
        "start command_mux; false: the interface itself arbitrates, or one already runs",
        SWITCH,
    ),
    "wheelbase": ("", "wheelbase of the car [m]; empty: from the parameter files", A_WHEELBASE),
    "terminal": (
        "auto",
        "command that opens a terminal for the keyboard, such as 'xterm -e'",
        a_terminal,
    ),
    "teleop_params_file": (
        config_file("teleop.yaml"),
        "parameters of the teleoperation nodes",
        a_parameter_file,
    ),
    "mux_params_file": (
        config_file("command_mux.yaml"),
        "parameters of the command mux: sources, priorities, locks",
        a_parameter_file,
    ),
    "namespace": ("vehicle", "namespace of the nodes and topics", a_namespace),
}


class Teleop:
    """The nodes of this file; every value is checked as they are made."""

    def __init__(self, given: dict[str, str], context: LaunchContext) -> None:
        self._given, self._context = given, context
        self._namespace = namespace_of(given, context)
        self._file = ParameterFile("teleop_params_file", given["teleop_params_file"])

    def node(self, executable, defaults, values, file=None, **options) -> LaunchDescriptionEntity:
        """One node: checked, then described."""
        file = self._file if file is None else file
        full_name = f"{self._namespace}/{executable}"
        check_node((defaults,), full_name, [file], values)
        if executable != "joy_device":  # of the driver's file, which may leave it out
            refuse_unmatched([file], [full_name])
        return node(
            self._context,
            "vdsim_interface",
            executable,
            [for_nodes(file, [full_name]), *([values] if values else [])],
            name=executable,
            namespace=self._given["namespace"],
            **options,
        )

    def wheelbase(self, parameter: str) -> dict[str, object]:
        """The argument `wheelbase` as this parameter; {} when it is empty."""
        given = self._given["wheelbase"]
        return {parameter: float(given)} if given else {}

    def mux(self) -> Entities:
        """The command mux."""
        if self._given["mux"] != "true":
            return []
        file = ParameterFile("mux_params_file", self._given["mux_params_file"])
        values = self.wheelbase("wheelbase_m")
        options = restarted("command_mux", when_stopped=True)
        return [self.node("command_mux", MuxParameters(), values, file, **options)]

    def gamepad(self) -> Entities:
        """The driver's node and, unless another node publishes joy, the device's."""
        mapping = self._given["joy_config"]
        try:
            candidate_mappings(mapping, shipped("gamepads", self._context))
        except (OSError, ValueError) as error:
            text = str(error)
            named = text.startswith("joy_config=")
            text = text.replace("=", ":=", 1) if named else f"joy_config:={mapping}: {text}"
            raise RuntimeError(text) from None
        values = {"joy_config": mapping, **self.wheelbase("driver.wheelbase_m")}
        options = restarted("gamepad_teleop", when_stopped=True)
        nodes = [self.node("gamepad_teleop", GamepadTeleopParameters(), values, **options)]
        if self._given["joy_dev"] != "none":
            values = {"device": self._given["joy_dev"]}
            options = restarted("joy_device", when_stopped=True)
            nodes.append(self.node("joy_device", JoystickParameters(), values, **options))
        return nodes

    def keyboard(self) -> Entities:
        """The driver's node in a terminal of its own, or how to start it."""
        opener = self._given["terminal"]
        if opener == "auto":
            opener = find_terminal(os.environ)
        again = (
            f"ros2 run vdsim_interface keyboard_teleop --ros-args -r __ns:={self._namespace or '/'}"
        )
        if not opener:
            text = "keyboard_teleop needs its own terminal; open one and run: "
            return [LogInfo(msg=text + again)]
        return [
            self.node(
                "keyboard_teleop",
                KeyboardTeleopParameters(),
                self.wheelbase("driver.wheelbase_m"),
                prefix=in_terminal(opener),
                on_exit=may_end("keyboard_teleop", again),
            )
        ]


def start(given: dict[str, str], context: LaunchContext) -> Entities:
    """Check the values; return the mux and the nodes of the device."""
    teleop = Teleop(given, context)
    controls = {"gamepad": teleop.gamepad, "keyboard": teleop.keyboard, "none": list}
    return [*teleop.mux(), *controls[given["teleop"]]()]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
