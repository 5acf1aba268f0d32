"""The simulated car and, optionally, a relay that adds faults to the link to it.

Included by vdsim.launch.py and autohyu.launch.py, which send CMD to `command_host` and
`command_port` as this file sets them; alone it starts the car for any VDS1 client:
    ros2 launch vdsim_interface plant.launch.py
"""

from launch.actions import ExecuteProcess, SetLaunchConfiguration, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage
from vdsim_interface.ros.launching import (
    SWITCH,
    checked,
    config_file,
    declared,
    typed,
)

from launch import LaunchDescription

VALUE = LaunchConfiguration


def port(own: int, contract: int) -> PythonExpression:
    """The contract's port for an external simulator, `own` for the car that is started here.

    Fast DDS uses port 7000 and those above it, one for each process, so the contract's default
    ports are often taken on a machine that runs ROS 2.
    """
    return PythonExpression([f"{own} if '", VALUE("plant"), f"' == 'true' else {contract}"])


def sender_that_is_started_here() -> PythonExpression:
    """The interface or the bridge, which send CMD from the port on which they receive STATE.

    The relay's port is the kernel's choice, so with faults any sender may drive.
    """
    drives, host, port = (
        VALUE("car_is_driven", default=""),
        VALUE("state_host"),
        VALUE("state_port"),
    )
    is_known = [
        "'",
        drives,
        "' and '",
        VALUE("faults"),
        "' != 'true' and '",
        host,
        "' != '0.0.0.0'",
    ]
    return PythonExpression(["'", host, ":", port, "' if ", *is_known, " else ''"])


ARGUMENTS = {
    "plant": ("true", "start the simulated car; false: an external simulator, or a car", SWITCH),
    "vehicle": ("ioniq5_awd", "the simulated car: a preset or a YAML file"),
    "tyre": ("vehicle", "its tyre: a preset, a file, or 'vehicle' for its own"),
    "friction": ("0.9", "friction where the ground file states no base_mu"),
    "ground": ("flat", "flat, or a file with friction patches, grids, slopes"),
    "state_rate": ("200.0", "STATE of the simulated car [Hz]"),
    "plant_host": ("127.0.0.1", "address to which CMD is sent"),
    "plant_port": (port(6901, 7001), "UDP port to which CMD is sent"),
    "state_host": ("127.0.0.1", "address on which STATE is received"),
    "state_port": (port(6902, 7002), "UDP port on which STATE is received"),
    "dashboard": (
        "",
        "HOST:PORT of the simulated car's dashboard and data port, or off; "
        "empty: 127.0.0.1:8090 where that is free",
    ),
    "record": ("", "record CMD and STATE of the simulated car into this .vds file"),
    "plant_params_file": (config_file("plant.yaml"), "parameters of the simulated car"),
    "faults": (
        "false",
        "run vdsim_chaos between interface and car, with the service set_fault",
        SWITCH,
    ),
    "relay_host": ("127.0.0.1", "address of the relay"),
    "relay_command_port": ("6911", "UDP port on which the relay receives CMD"),
    "relay_state_port": ("6912", "UDP port on which the relay receives STATE"),
    "relay_control_port": ("6910", "UDP port on which the relay receives control requests"),
    "namespace": ("vehicle", "namespace of the service set_fault"),
    "allow_from": (
        sender_that_is_started_here(),
        "IP:PORT, or IP, of the only sender of CMD that may drive the simulated car; empty: any",
    ),
    "log_level": ("info", "log level of the nodes"),
}
NUMBERS = {
    "friction": float,
    "state_rate": float,
    **dict.fromkeys((name for name in ARGUMENTS if name.endswith("_port")), int),
}


def with_relay(relay: str, without: str) -> PythonExpression:
    """Value of the argument `relay` with the relay, of `without` without it."""
    return PythonExpression(
        ["'", VALUE(relay), "' if '", VALUE("faults"), "' == 'true' else '", VALUE(without), "'"]
    )


def plant() -> Node:
    state_host = with_relay("relay_host", "state_host")
    state_port = with_relay("relay_state_port", "state_port")
    return Node(
        package="vdsim_plant_node",
        executable="plant",
        output="screen",
        condition=IfCondition(VALUE("plant")),
        parameters=[
            VALUE("plant_params_file"),
            {
                "vehicle": typed("vehicle", str),
                "tyre": typed("tyre", str),
                "mu": typed("friction", float),
                "ground": typed("ground", str),
                "rate": typed("state_rate", float),
                "cmd_ip": typed("plant_host", str),
                "cmd_port": typed("plant_port", int),
                "state_ip": ParameterValue(state_host, value_type=str),
                "state_port": ParameterValue(state_port, value_type=int),
                "http": typed("dashboard", str),
                "record": typed("record", str),
                "allow_from": typed("allow_from", str),
            },
        ],
        arguments=["--ros-args", "--log-level", VALUE("log_level")],
        on_exit=Shutdown(reason="the plant has ended"),
    )


def address(host: str, port_name: str) -> list[object]:
    return [VALUE(host), ":", VALUE(port_name)]


def relay() -> ExecuteProcess:
    """The relay is not a ROS node: launch adds no ROS arguments to its command line."""
    routes = {"cmd": ("relay_command_port", "plant"), "state": ("relay_state_port", "state")}
    command = [ExecutableInPackage("vdsim_chaos", "vdsim_protocol")]
    for name, (listen, target) in routes.items():
        command += ["--route", name, address("relay_host", listen)]
        command += [address(f"{target}_host", f"{target}_port")]
    return ExecuteProcess(
        cmd=[*command, "--control", address("relay_host", "relay_control_port")],
        name="vdsim_chaos",
        output="screen",
        condition=IfCondition(VALUE("faults")),
        on_exit=Shutdown(reason="the relay has ended"),
    )


def fault_service() -> Node:
    control = ParameterValue(address("relay_host", "relay_control_port"), value_type=str)
    return Node(
        package="vdsim_interface",
        executable="link_faults",
        namespace=VALUE("namespace"),
        output="screen",
        condition=IfCondition(VALUE("faults")),
        parameters=[{"relay": control}],
        arguments=["--ros-args", "--log-level", VALUE("log_level")],
        on_exit=Shutdown(reason="link_faults has ended"),
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            checked(NUMBERS, ("plant_params_file",)),
            SetLaunchConfiguration("command_host", with_relay("relay_host", "plant_host")),
            SetLaunchConfiguration("command_port", with_relay("relay_command_port", "plant_port")),
            plant(),
            relay(),
            fault_service(),
        ]
    )
