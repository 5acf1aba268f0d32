"""The simulated car and, optionally, a relay that adds faults to the link to it.

Part of vdsim.launch.py and autohyu.launch.py, which send CMD to the address of `command_address`;
alone it starts the car for any VDS1 client:
    ros2 launch vdsim_interface plant.launch.py
"""

import ipaddress

from launch.actions import ExecuteProcess, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.substitutions import ExecutableInPackage
from vdsim_interface.parameters.vds1_link import Vds1LinkParameters
from vdsim_interface.ros.launching import (
    SWITCH,
    ParameterFile,
    a_host,
    a_namespace,
    a_parameter_file,
    a_prefix,
    config_file,
    ends_the_launch,
    launch_description,
    like,
    namespace_of,
    node,
    number,
    refuse_equal_ports,
    restarted,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, load, refuse_unmatched
from vdsim_protocol.launch_watch import mark

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

LINK = Vds1LinkParameters()
A_PORT = like(LINK, "plant_port")


def port(own: int, contract: int) -> PythonExpression:
    """The contract's port for an external simulator, `own` for the car that is started here.

    Fast DDS uses port 7000 and those above it, one for each process, so the contract's default
    ports are often taken on a machine that runs ROS 2.
    """
    plant = LaunchConfiguration("plant")
    return PythonExpression([f"{own} if '", plant, f"' == 'true' else {contract}"])


ARGUMENTS = {
    "plant": ("true", "start the simulated car; false: an external simulator, or a car", SWITCH),
    "vehicle": ("ioniq5_awd", "the simulated car: a preset or a YAML file"),
    "tyre": ("vehicle", "its tyre: a preset, a file, or 'vehicle' for its own"),
    "friction": ("0.9", "friction where the ground file states no base_mu", number(float)),
    "ground": ("flat", "flat, or a file with friction patches, grids, slopes"),
    "state_rate": ("200.0", "STATE of the simulated car [Hz]", number(float, above=0)),
    "plant_host": ("127.0.0.1", "address to which CMD is sent", a_host),
    "plant_port": (port(6901, 7001), "UDP port to which CMD is sent", A_PORT),
    "state_host": ("127.0.0.1", "address on which STATE is received", a_host),
    "state_port": (
        port(6902, 7002),
        "UDP port on which STATE is received",
        like(LINK, "listen_port"),
    ),
    "dashboard": (
        "",
        "HOST:PORT of the simulated car's dashboard and data port, or off; "
        "empty: 127.0.0.1:8090 where that is free",
    ),
    "record": ("", "record CMD and STATE of the simulated car into this .vds file"),
    "plant_params_file": (
        config_file("plant.yaml"),
        "parameters of the simulated car",
        a_parameter_file,
    ),
    "plant_namespace": ("", "namespace of the simulated car's node", a_namespace),
    "frame_prefix": ("", "put before every frame, such as car_1/ for several cars", a_prefix),
    "faults": (
        "false",
        "run vdsim_chaos between interface and car, with the service set_fault",
        SWITCH,
    ),
    "relay_host": ("127.0.0.1", "address of the relay", a_host),
    "relay_command_port": ("6911", "UDP port on which the relay receives CMD", A_PORT),
    "relay_state_port": ("6912", "UDP port on which the relay receives STATE", A_PORT),
    "relay_control_port": ("6910", "UDP port on which the relay receives control requests", A_PORT),
    "namespace": ("vehicle", "namespace of the service set_fault", a_namespace),
    "allow_from": (
        "auto",
        "IP:PORT, or IP, of the only sender of CMD that may drive the simulated car; auto: the "
        "interface that is started with it; empty: any",
    ),
    "log_level": ("info", "log level of the nodes", ["debug", "info", "warn", "error"]),
}
ARGUMENT_OF = {
    **{name: name for name in ("vehicle", "tyre", "ground", "record", "allow_from")},
    **{"mu": "friction", "rate": "state_rate", "http": "dashboard"},
    **{"cmd_ip": "plant_host", "cmd_port": "plant_port"},
    **{"state_ip": "state_host", "state_port": "state_port"},
}
"""The launch argument of each parameter of the plant that has one."""


def command_address(given: dict[str, str]) -> tuple[str, int]:
    """The address to which CMD is sent: the relay's, or the car's."""
    if given["faults"] == "true":
        return given["relay_host"], int(given["relay_command_port"])
    return given["plant_host"], int(given["plant_port"])


def owner(given: dict[str, str]) -> str:
    """The only sender that may drive the car; empty: any.

    An interface or bridge that is started here (`car_is_driven`) sends CMD from the port on which
    it receives STATE. The relay's port is the kernel's choice: with faults any sender may drive.
    """
    if given["allow_from"] != "auto":
        return given["allow_from"]
    is_known = given["faults"] != "true" and int(given["state_port"]) != 0
    try:
        is_known = is_known and not ipaddress.IPv4Address(given["state_host"]).is_unspecified
    except ValueError:  # a name
        is_known = False
    if "car_is_driven" not in given or not is_known:
        return ""
    return f"{given['state_host']}:{given['state_port']}"


def check_ports(given: dict[str, str]) -> None:
    """Raise for two arguments that name the same UDP port."""
    hosts = {"plant_port": "plant_host", "state_port": "state_host"}
    if given["faults"] == "true":
        names = ("relay_command_port", "relay_state_port", "relay_control_port")
        hosts |= dict.fromkeys(names, "relay_host")
    refuse_equal_ports(given, hosts)


def check_rates(
    given: dict[str, str],
    context: LaunchContext,
    report_timeout: tuple[str, float],
    command_rate: tuple[str, float],
) -> None:
    """Raise when what one end sends is stale each time before the next; `start` comes first.

    `report_timeout` [s], `command_rate` [Hz]: of whoever drives the car, each with its name.
    """
    if given["plant"] != "true":
        return
    from vdsim_plant.realtime.failsafe import FailsafePolicy

    name, timeout_s = report_timeout
    rate_hz = float(given["state_rate"])
    if rate_hz * timeout_s <= 1.0:
        raise RuntimeError(
            f"state_rate:={given['state_rate']}: must be > {1.0 / timeout_s:g} Hz, because "
            f"{name} is {timeout_s:g} s: each STATE would be stale before the next"
        )
    from_file = load(given["plant_params_file"]).values_for(plant_name(given, context))
    timeout_s = float(str(from_file.get("cmd_timeout", FailsafePolicy().timeout_s)))
    name, rate_hz = command_rate
    if rate_hz * timeout_s <= 1.0:
        raise RuntimeError(
            f"{name}={rate_hz:g}: must be > {1.0 / timeout_s:g} Hz, because cmd_timeout of the "
            f"plant is {timeout_s:g} s: its fail-safe would act between two CMD"
        )


def plant_name(given: dict[str, str], context: LaunchContext) -> str:
    """The full name of the simulated car's node."""
    return f"{namespace_of({'namespace': given['plant_namespace']}, context)}/plant"


def plant_parameters(given: dict[str, str]) -> dict[str, object]:
    with_relay = given["faults"] == "true"
    return {
        "vehicle": given["vehicle"],
        "tyre": given["tyre"],
        "mu": float(given["friction"]),
        "ground": given["ground"],
        "rate": float(given["state_rate"]),
        "cmd_ip": given["plant_host"],
        "cmd_port": int(given["plant_port"]),
        "state_ip": given["relay_host" if with_relay else "state_host"],
        "state_port": int(given["relay_state_port" if with_relay else "state_port"]),
        "http": given["dashboard"],
        "record": given["record"],
        "allow_from": owner(given),
    }


def check_plant(values: dict[str, object], file: ParameterFile, full_name: str) -> None:
    """Raise the error with which the plant would end at its start."""
    try:
        from vdsim_plant_node.ros.start_check import check_start
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"plant:=true: {error}; build vdsim_plant_node, or give plant:=false"
        ) from None
    refuse_unmatched([file], [full_name])
    from_file = load(file.path).values_for(full_name)
    try:
        check_start({**from_file, **values})
    except (OSError, ValueError) as error:
        text = str(error)
        name = text.partition("=")[0].partition(":")[0]
        if name in ARGUMENT_OF:
            text = f"{ARGUMENT_OF[name]}:={text[len(name) :].removeprefix('=')}"
        elif name in from_file:
            text = f"{file.argument}:={file.path}: {text}"
        raise RuntimeError(text) from None


def plant(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if given["plant"] != "true":
        return []
    values = plant_parameters(given)
    file = ParameterFile("plant_params_file", given["plant_params_file"])
    check_plant(values, file, plant_name(given, context))
    own = {"joy_topic": f"{namespace_of(given, context)}/dashboard/joy"}
    own |= {"frame_prefix": given["frame_prefix"]} if given["frame_prefix"] else {}
    return [
        node(
            context,
            "vdsim_plant_node",
            "plant",
            [for_nodes(file, [plant_name(given, context)]), {**values, **own}],
            namespace=given["plant_namespace"],
            arguments=["--ros-args", "--log-level", given["log_level"]],
            on_exit=ends_the_launch("the plant"),
        )
    ]


def relay(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The relay is not a ROS node: launch adds no ROS arguments to its command line."""
    if given["faults"] != "true":
        return []

    def address(host: str, port_name: str) -> str:
        return f"{given[host]}:{given[port_name]}"

    command = [ExecutableInPackage("vdsim_chaos", "vdsim_protocol").perform(context)]
    for name, listen, target in (
        ("cmd", "relay_command_port", "plant"),
        ("state", "relay_state_port", "state"),
    ):
        command += ["--route", name, address("relay_host", listen)]
        command += [address(f"{target}_host", f"{target}_port")]
    control = address("relay_host", "relay_control_port")
    process = ExecuteProcess(
        cmd=[*command, "--control", control],
        name="vdsim_chaos",
        output="screen",
        additional_env=mark(),
        on_exit=ends_the_launch("the relay"),
    )
    service = node(
        context,
        "vdsim_interface",
        "link_faults",
        [{"relay": control}],
        namespace=given["namespace"],
        arguments=["--ros-args", "--log-level", given["log_level"]],
        **restarted("link_faults", when_stopped=True),
    )
    return [process, service]


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return the car and the relay."""
    check_ports(given)
    host, command_port = command_address(given)
    return [
        SetLaunchConfiguration("command_host", host),
        SetLaunchConfiguration("command_port", str(command_port)),
        *plant(given, context),
        *relay(given, context),
    ]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
