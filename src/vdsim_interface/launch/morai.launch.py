"""MORAI SIM: Drive, or its emulator, driven through the vehicle interface.

ros2 launch vdsim_interface morai.launch.py --show-args
"""

from pathlib import Path

from launch.substitutions import LaunchConfiguration, PythonExpression
from vdsim_interface.extras.morai.bridge import FROM_SIMULATOR, TO_SIMULATOR, BridgeParameters
from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.ros.launching import (
    GUARDED,
    SHELL,
    SWITCH,
    ParameterFile,
    a_file,
    a_host,
    a_namespace,
    a_parameter_file,
    a_prefix,
    a_switch,
    check_interface,
    check_node,
    config_file,
    ends_the_launch,
    launch_description,
    like,
    namespace_of,
    node,
    refuse_equal_ports,
    restarted,
    vehicle_guard,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, refuse_unmatched
from vdsim_protocol.port_rule import NamedPort, equal_ports

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

LINK = MoraiParameters()
ARGUMENTS = {
    "emulator": ("true", "start the emulator; false: a simulator at sim_host", SWITCH),
    "sim_host": ("127.0.0.1", "the simulator's address, to which commands are sent", a_host),
    "listen_host": (
        "127.0.0.1",
        "address on which the simulator's messages are received",
        a_host,
    ),
    "control_port": ("9093", "UDP port of Ego Ctrl Cmd", like(LINK, "morai.control_port")),
    "status_port": (
        "9909",
        "UDP port for Ego Vehicle Status (the simulator's own default: 909)",
        like(LINK, "morai.status_port"),
    ),
    "cmd_type": (
        "acceleration",
        "command type of Ego Ctrl Cmd: pedals, velocity, acceleration",
        like(LINK, "morai.cmd_type"),
    ),
    "release": (
        "21",
        "release of the simulator, and of the emulator: layouts, sign, limits",
        like(LINK, "morai.release"),
    ),
    "steer_positive": (
        "release",
        "side of positive steering in the interface's commands: left, right, or the release's",
        like(LINK, "morai.steer_positive"),
    ),
    "steer_reported_positive": (
        "as_commanded",
        "side of a positive wheel angle in the status: left, right, or that of the commands",
        like(LINK, "morai.steer_reported_positive"),
    ),
    "control_command": (
        "high_level",
        "command message that drives the car",
        ["high_level", "vehicle", "raw"],
    ),
    "composition": (
        PythonExpression(
            [
                "'single' if str('",
                LaunchConfiguration("emulator"),
                "').lower() == 'true' else 'guarded'",
            ]
        ),
        "one node, or a guard without ROS beside the node",
        ["single", "guarded"],
    ),
    "vehicle": ("ioniq5_awd", "the emulator's car: a preset or a YAML file"),
    "auto_engage": (LaunchConfiguration("emulator"), "the first valid command engages", a_switch),
    "rig": (
        PythonExpression(
            ["'driverless' if '", LaunchConfiguration("emulator"), "' == 'true' else 'driver'"]
        ),
        "who sits in the car; decides what is sent without autonomy (docs/safety.md)",
        ["driver", "driverless"],
    ),
    "namespace": ("vehicle", "namespace of the interface's nodes and topics", a_namespace),
    "frame_prefix": ("", "put before every frame, such as car_1/ for several cars", a_prefix),
    "params_file": (
        config_file("vehicle_interface.yaml"),
        "parameters of the interface",
        a_parameter_file,
    ),
    "morai_params_file": (
        config_file("morai.yaml"),
        "parameters of the bridge: the other messages' ports",
        a_parameter_file,
    ),
    "emulator_ports_file": (
        config_file("morai_emulator.yaml"),
        "the emulator's ports and scene",
        a_file,
    ),
}


def check_emulator(given: dict[str, str]) -> None:
    """Raise the error with which the emulator would end at its start."""
    try:
        from vdsim_plant_node.morai.settings import load_settings
        from vdsim_plant_node.ros.start_check import check_vehicle
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"emulator:=true: {error}; build vdsim_plant_node, or give emulator:=false"
        ) from None
    options = {
        "vehicle": given["vehicle"],
        "host": given["sim_host"],
        "to": given["listen_host"],
        "control_port": int(given["control_port"]),
        "status_port": int(given["status_port"]),
        "release": given["release"],
    }
    try:
        load_settings(Path(given["emulator_ports_file"]), options)
        check_vehicle(given["vehicle"])
    except (OSError, ValueError) as error:
        raise RuntimeError(f"emulator:=true: {error}") from None


def emulator(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if given["emulator"] != "true":
        return []
    check_emulator(given)
    return [
        node(
            context,
            "vdsim_plant_node",
            "morai_emulator",
            [],
            arguments=[
                *("--vehicle", given["vehicle"]),
                *("--host", given["sim_host"]),
                *("--to", given["listen_host"]),
                *("--control-port", given["control_port"]),
                *("--status-port", given["status_port"]),
                *("--release", given["release"]),
                *("--scene", given["emulator_ports_file"]),
            ],
            on_exit=ends_the_launch("the emulator"),
        )
    ]


def interface(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    prefix = {"output.frame_prefix": given["frame_prefix"]} if given["frame_prefix"] else {}
    values = {
        "platform": "morai",
        "control_command": given["control_command"],
        "safety.auto_engage": given["auto_engage"].lower() == "true",
        "safety.rig": given["rig"],
        "morai.sim_host": given["sim_host"],
        "morai.control_port": int(given["control_port"]),
        "morai.listen_host": given["listen_host"],
        "morai.status_port": int(given["status_port"]),
        "morai.cmd_type": given["cmd_type"],
        "morai.release": given["release"],
        "morai.steer_positive": given["steer_positive"],
        "morai.steer_reported_positive": given["steer_reported_positive"],
        **prefix,
    }
    file = ParameterFile("params_file", given["params_file"])
    namespace = namespace_of(given, context)
    names = [f"{namespace}/vehicle_interface"]
    check_interface(names, [file], values)
    is_guarded = given["composition"] == GUARDED
    executable = SHELL if is_guarded else "vehicle_interface"
    shell = node(
        context,
        "vdsim_interface",
        executable,
        [for_nodes(file, names), values],
        namespace=given["namespace"],
        **restarted(executable),
    )
    return [vehicle_guard(namespace, values, context), shell] if is_guarded else [shell]


def check_ports(given: dict[str, str], bridge_parameters: BridgeParameters) -> None:
    """Raise for a port of an argument that the bridge uses for another message."""
    ports = bridge_parameters.ports
    others = [
        *(NamedPort(name, given["sim_host"], getattr(ports, name)) for name in TO_SIMULATOR),
        *(NamedPort(name, given["listen_host"], getattr(ports, name)) for name in FROM_SIMULATOR),
    ]
    for name, host in (("control_port", "sim_host"), ("status_port", "listen_host")):
        own = NamedPort(name, given[host], int(given[name]))
        for other in others:
            if equal_ports((own, other)):
                raise RuntimeError(
                    f"{name}:={own.port}: must not be ports.{other.option} of the bridge "
                    f"(morai_params_file:={given['morai_params_file']})"
                )


def bridge(given: dict[str, str], context: LaunchContext) -> LaunchDescriptionEntity:
    values = {name: given[name] for name in ("sim_host", "listen_host", "release")}
    if given["frame_prefix"]:
        values["frame_prefix"] = given["frame_prefix"]
    file = ParameterFile("morai_params_file", given["morai_params_file"])
    full_name = f"{namespace_of({'namespace': ''}, context)}/morai_bridge"
    [parameters] = check_node((BridgeParameters(),), full_name, [file], values)
    refuse_unmatched([file], [full_name])
    check_ports(given, parameters)
    return node(
        context,
        "vdsim_interface",
        "morai_bridge",
        [for_nodes(file, [full_name]), values],
        **restarted("the bridge"),
    )


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return all processes."""
    refuse_equal_ports(given, {"control_port": "sim_host", "status_port": "listen_host"})
    started = bridge(given, context)
    return [*emulator(given, context), *interface(given, context), started]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
