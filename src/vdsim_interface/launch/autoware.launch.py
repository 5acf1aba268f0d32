"""Autoware's vehicle interface: the adapter autoware_interface, the vehicle interface, the car.

ros2 launch vdsim_interface autoware.launch.py --show-args
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import yaml
from launch.substitutions import LaunchLogDir
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import to_flat
from vdsim_interface.ros.launching import (
    SWITCH,
    ParameterFile,
    a_parameter_file,
    check_node,
    config_file,
    fragment,
    launch_description,
    namespace_of,
    node,
    optional,
    refuse_without_packages,
    restarted,
    value_in_files,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, load, refuse_unmatched
from vdsim_protocol.checked_file import read_yaml

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

try:  # by name: vdsim_autoware depends on this package
    AUTOWARE = import_module("vdsim_autoware.adapter")
    INFO = import_module("vdsim_autoware.adapter.vehicle_info")
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "vdsim_autoware":
        raise
    raise RuntimeError(
        "autoware.launch.py needs the package vdsim_autoware: not installed"
    ) from None

VDSIM = fragment(__file__, "vdsim.launch.py")
FIXED = {"teleop": "none", "mux": "false", "gear_is_commanded": "true"}
"""Autoware commands the gear."""
INSIDE = "inside"
LEVELS = {"control": "vehicle", "actuation": "raw"}
"""The command level of the interface for each message of Autoware that drives."""
MESSAGES = ("autoware_adapi_v1_msgs", "autoware_control_msgs", "autoware_vehicle_msgs")
OF_PEDALS = "tier4_vehicle_msgs"
WITHOUT = ("control_command", "teleop", "joy_dev", "joy_config", *VDSIM.OF_TELEOP)
OWN_ARGUMENTS = {
    "command": (
        "control",
        "what drives the car: control_cmd, or the pedals of actuation_cmd",
        list(LEVELS),
    ),
    "manual_control": (
        "false",
        "manual_control_cmd drives in MANUAL, and the partial modes exist",
        SWITCH,
    ),
    "initial_engage_state": (
        "true",
        "the car may move before /vehicle/engage is received",
        SWITCH,
    ),
    "vehicle_info_param_file": (
        "",
        "Autoware's vehicle_info.param.yaml: its dimensions for the simulated car and the "
        "interface; empty: those of vehicle:=",
        optional(a_parameter_file),
    ),
    "adapter": (
        "node",
        "node: autoware_interface in a process of its own; inside: in the process of "
        "vehicle_interface, with composition:=single",
        ["node", INSIDE],
    ),
    "localization": (
        "false",
        "publish the simulated car's true pose as Autoware's localization, and take /initialpose3d",
        SWITCH,
    ),
    "autoware_params_file": (
        config_file("autoware.yaml"),
        "parameters of autoware_interface",
        a_parameter_file,
    ),
}
ARGUMENTS = {
    **OWN_ARGUMENTS,
    **{name: item for name, item in VDSIM.ARGUMENTS.items() if name not in WITHOUT},
}
PREFIXED = {
    "vehicle": lambda value: value not in SWITCH,
    "localization": lambda value: False,
}
"""Autoware's e2e_simulator and logging_simulator have switches of these names."""
STEERING_LIMIT = "vehicle.front_wheel_angle_max_rad"
TO_AXLE = "base_to_rear_axle_m"


def dimensions(path: str, node_name: str) -> INFO.VehicleInfo:
    """The dimensions in Autoware's file, checked."""
    content = load(path)
    try:
        return INFO.vehicle_info(content.values_for(node_name))
    except ParameterError as error:
        raise RuntimeError(f"vehicle_info_param_file:={path}: {error}") from None


def with_dimensions(given: dict[str, str], context: LaunchContext) -> dict[str, str]:
    """The arguments, with files of a car that has Autoware's dimensions, in the log folder."""
    path = given["vehicle_info_param_file"]
    if not path:
        return given
    info = dimensions(path, f"{namespace_of(given, context)}/autoware_interface")
    folder = Path(LaunchLogDir().perform(context))
    changed = dict(given)
    files, _ = VDSIM.parameter_files(given, context)
    of_car = [file.path for file in files if file.argument == "car_params_file"]
    content = [read_yaml(Path(file), unique=False) for file in of_car]
    own = folder / "autoware_car_interface.yaml"
    own.write_text(yaml.safe_dump(INFO.interface_file(content[0] if content else {}, info)))
    changed["car_params_file"] = str(own)
    if given["plant"] == "true":
        from vdsim_plant.parameters.files import VEHICLE_FOLDER, resolve

        base = resolve(given["vehicle"], VEHICLE_FOLDER, (".yaml",), "vehicle")
        car = folder / f"autoware_{base.stem}.yaml"
        made = INFO.car_file(read_yaml(base), info)
        car.write_text(yaml.safe_dump(made, sort_keys=False))
        changed["vehicle"] = str(car)
    return changed


def of_the_car(given: dict[str, str], context: LaunchContext) -> dict[str, object]:
    """The data of the car: of its interface's files, and where its rear axle is."""
    values: dict[str, object] = {}
    files, _ = VDSIM.parameter_files(given, context)
    limit = value_in_files([file.path for file in files], STEERING_LIMIT)
    if limit is not None:
        values[STEERING_LIMIT] = limit
    if given["plant"] == "true":
        from vdsim_plant.parameters import load_vehicle

        values[TO_AXLE] = load_vehicle(given["vehicle"]).body.cg_to_rear_axle_m
    return values


def adapter_values(given: dict[str, str], context: LaunchContext) -> dict[str, object]:
    """The parameters of autoware_interface that the arguments set."""
    return {
        "command": given["command"],
        "manual_control": given["manual_control"] == "true",
        "initial_engage_state": given["initial_engage_state"] == "true",
        **of_the_car(given, context),
    }


def of_pedals(*, needed: bool) -> list[str]:
    """The package of the messages of pedals, where no other one has them."""
    if not needed or find_spec("autoware_vehicle_msgs") is None:
        return [OF_PEDALS] if needed else []
    newer = hasattr(import_module("autoware_vehicle_msgs.msg"), "ActuationCommandStamped")
    return [] if newer else [OF_PEDALS]


def of_adapter(given: dict[str, str], context: LaunchContext) -> tuple[ParameterFile, str]:
    """The parameter file of autoware_interface, and the node's full name."""
    file = ParameterFile("autoware_params_file", given["autoware_params_file"])
    return file, f"{namespace_of(given, context)}/autoware_interface"


def checked_adapter(given: dict[str, str], context: LaunchContext) -> AUTOWARE.AutowareParameters:
    """The parameters of autoware_interface, as it will read them."""
    file, full_name = of_adapter(given, context)
    [made] = check_node(
        (AUTOWARE.AutowareParameters(),), full_name, [file], adapter_values(given, context)
    )
    refuse_unmatched([file], [full_name])
    parameters: AUTOWARE.AutowareParameters = made
    pedals = parameters.command == "actuation" or parameters.actuation_status
    refuse_without_packages("autoware_interface", [*MESSAGES, *of_pedals(needed=pedals)])
    return parameters


def inside(given: dict[str, str], context: LaunchContext) -> dict[str, str]:
    """The arguments for an adapter in the process of vehicle_interface, with its own file."""
    if given["composition"] != "single":
        raise RuntimeError(
            f"adapter:=inside composition:={given['composition']}: needs composition:=single"
        )
    values = to_flat(checked_adapter(given, context))
    full_name = f"{namespace_of(given, context)}/autoware_interface"
    file = Path(LaunchLogDir().perform(context)) / "autoware_adapter.yaml"
    file.write_text(yaml.safe_dump({full_name: {"ros__parameters": values}}))
    return {**given, "adapter_params_file": str(file)}


def adapter(given: dict[str, str], context: LaunchContext) -> LaunchDescriptionEntity:
    """The node autoware_interface, checked."""
    checked_adapter(given, context)
    file, full_name = of_adapter(given, context)
    own = {"use_sim_time": given["use_sim_time"] == "true"}
    return node(
        context,
        "vdsim_interface",
        "autoware_interface",
        [for_nodes(file, [full_name]), {**adapter_values(given, context), **own}],
        namespace=given["namespace"],
        arguments=["--ros-args", "--log-level", given["log_level"]],
        **restarted("autoware_interface", when_stopped=True),
    )


def localization(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The node simulated_localization."""
    if given["localization"] != "true":
        return []
    if given["plant"] != "true" or given["plant_namespace"]:
        raise RuntimeError(
            "localization:=true: only with plant:=true and without plant_namespace:=; "
            "another vehicle has a localization of its own"
        )
    values = {name: value for name, value in of_the_car(given, context).items() if name == TO_AXLE}
    return [
        node(
            context,
            "vdsim_interface",
            "simulated_localization",
            [{**values, "use_sim_time": given["use_sim_time"] == "true"}],
            namespace=given["namespace"],
            **restarted("simulated_localization", when_stopped=True),
        )
    ]


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return all processes."""
    level = LEVELS[given["command"]]
    all_given = with_dimensions({**given, **FIXED, "control_command": level}, context)
    if given["localization"] == "true":
        all_given["tf_is_published"] = "true"
    pose = localization(all_given, context)
    if given["adapter"] == INSIDE:
        return [*VDSIM.start(inside(all_given, context), context), *pose]
    interface = VDSIM.start(all_given, context)
    return [*interface, adapter(all_given, context), *pose]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start, PREFIXED)
