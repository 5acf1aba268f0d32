"""Autoware's planning simulator with the simulated car, in place of simple_planning_simulator.

ros2 launch vdsim_autoware autoware_simulator.launch.py --show-args
"""

import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch.actions import IncludeLaunchDescription, LogInfo
from launch.substitutions import LaunchLogDir
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_xml.launch_description_sources import XMLLaunchDescriptionSource
from vdsim_autoware.adapter.vehicle_info import VehicleInfo, vehicle_info
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.types import MODELS, Drive
from vdsim_autoware.preset import adapter_parameters, interface_parameters, steering_limit_rad
from vdsim_autoware.ros.parameters import WITHOUT_USE, load_maps
from vdsim_autoware.ros.topics import MOTION_REMAPPINGS, REMAPPINGS
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.parameters.unknown import check_unknown
from vdsim_interface.ros.launching import (
    SWITCH,
    a_parameter_file,
    fragment,
    launch_description,
    like,
    node,
    optional,
    refuse_without_packages,
    restarted,
    started_directly,
)
from vdsim_interface.ros.launching.parameter_files import load
from vdsim_protocol.checked_file import is_file, read_text

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

SHARE = Path(get_package_share_directory("vdsim_autoware"))
AUTOWARE = fragment(
    str(Path(get_package_share_directory("vdsim_interface")) / "launch/autoware.launch.py"),
    "autoware.launch.py",
)
MESSAGES = (*AUTOWARE.MESSAGES, "autoware_planning_msgs")
NAMESPACE, NAME = "simulation", "simple_planning_simulator"
PROCESS, UDP = "process", "udp"
CONVERTER = "autoware_raw_vehicle_cmd_converter"
OUTER_PACKAGE, OUTER_FILE = "tier4_simulator_launch", "launch/simulator.launch.xml"
READS_TYPE = "use_actuation_command.launch.py"
FROM_FILE = "file"
OWN_ARGUMENTS = {
    "vehicle_info_param_file": (
        str(SHARE / "config/vehicle_info.param.yaml"),
        "dimensions of the vehicle: Autoware's vehicle_info.param.yaml",
        a_parameter_file,
    ),
    "simulator_model_param_file": (
        str(SHARE / "config/simulator_model.param.yaml"),
        "vehicle model and its delays: Autoware's simulator_model.param.yaml",
        a_parameter_file,
    ),
    "vehicle_characteristics_param_file": (
        "",
        "Autoware's vehicle_characteristics.param.yaml; no model uses it, nor in Autoware",
        optional(a_parameter_file),
    ),
    "acceleration_param_file": ("", "of Autoware's launch file; unused there, too"),
    "raw_vehicle_cmd_converter_param_path": (
        "",
        f"parameters of {CONVERTER}, which is started with the models ACTUATION_CMD*",
        optional(a_parameter_file),
    ),
    "csv_accel_brake_map_path": ("", "folder with the maps of that converter"),
    "vehicle_model_type": (
        FROM_FILE,
        "vehicle model, instead of that of simulator_model_param_file: vdsim_l2 has tyres",
        [FROM_FILE, *MODELS],
    ),
    "initial_engage_state": (
        "true",
        "the car may move before /vehicle/engage is received",
        SWITCH,
    ),
    "motion_publish_mode": (
        "full_motion",
        "full_motion: kinematic_state and acceleration are the simulator's; pose_only: they are "
        "those of Autoware's filter, which the pose feeds",
        list(MOTION_REMAPPINGS),
    ),
    "partial_modes": (
        "false",
        "take AUTONOMOUS_STEER_ONLY and AUTONOMOUS_VELOCITY_ONLY",
        SWITCH,
    ),
    "link": (
        PROCESS,
        "process: interface and car in one process; udp: each in its own, joined by UDP",
        [PROCESS, UDP],
    ),
    "use_sim_time": ("false", "use the time of /clock instead of the system clock", SWITCH),
    "friction": (
        "0.9",
        "friction where the ground file states none",
        like(SimulatorParameters(), "friction"),
    ),
}
OVER_UDP = "vdsim_l2"
"""The model of the plant that AUTOWARE starts."""
OF_PRESET = ("safety.", "acceleration.", "vehicle.", "command_timeout_s")
"""Beginnings of the interface's parameters that make it the one of a planning simulator."""
PATTERNS = {
    "params_file": "/**",
    "autoware_params_file": "/**/autoware_interface",
    "plant_params_file": "/**",
}
MOST_TICKS_HZ = 1000.0
"""Of the plant: a packet waits for its next tick, and what it waits is dead time of the car."""
OF_CAR = ("vehicle", "tyre", "ground", "log_level")
"""Arguments of the other launch file that both links have."""
ARGUMENTS = {
    **OWN_ARGUMENTS,
    **{name: item for name, item in AUTOWARE.ARGUMENTS.items() if name not in OWN_ARGUMENTS},
}
_SUBSTITUTION = re.compile(r"\$\((?P<kind>[\w-]+) +(?P<name>[^ )]+)\)")


def share_of(package: str) -> Path | None:
    """The share folder of a package; None where it is not installed."""
    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError:
        return None


def substituted(text: str, context: LaunchContext) -> str:
    """A text of a parameter file with $(find-pkg-share NAME), $(var NAME) and $(env NAME)."""

    def value(match: re.Match[str]) -> str:
        kind, name = match["kind"], match["name"]
        if kind == "find-pkg-share":
            share = share_of(name)
            if share is None:
                raise RuntimeError(f"{match[0]}: there is no such package")
            return str(share)
        known: Mapping[str, str] = {
            "var": context.launch_configurations,
            "env": context.environment,
        }.get(kind, {})
        if name not in known:
            raise RuntimeError(f"{match[0]}: is not known")
        return known[name]

    return _SUBSTITUTION.sub(value, text)


def model_values(given: dict[str, str], context: LaunchContext) -> dict[str, object]:
    """The parameters of the vehicle model, with those of the arguments."""
    path = given["simulator_model_param_file"]
    values = load(path).values_for(f"/{NAMESPACE}/{NAME}")
    try:
        values = {
            name: substituted(value, context) if isinstance(value, str) else value
            for name, value in values.items()
        }
    except RuntimeError as error:
        raise RuntimeError(f"simulator_model_param_file:={path}: {error}") from None
    if given["vehicle_model_type"] != FROM_FILE:
        values["vehicle_model_type"] = given["vehicle_model_type"]
    return {
        **values,
        "vehicle": given["vehicle"],
        "tyre": given["tyre"],
        "friction": float(given["friction"]),
        "ground": given["ground"],
        "initial_engage_state": given["initial_engage_state"] == "true",
        "partial_modes": given["partial_modes"] == "true",
    }


def checked(
    given: dict[str, str], context: LaunchContext
) -> tuple[SimulatorParameters, VehicleInfo, list[LaunchDescriptionEntity]]:
    """The parameters of the node, as it will read them, and warnings."""
    values = model_values(given, context)
    known = to_flat(SimulatorParameters())
    others = (*WITHOUT_USE, *to_flat(VehicleInfo()))
    kept = {name: value for name, value in values.items() if name not in others}
    path = f"simulator_model_param_file:={given['simulator_model_param_file']}"
    try:
        unknown = check_unknown(kept, known)
        used = {name: value for name, value in kept.items() if name in known}
        parameters = from_flat(SimulatorParameters, {**known, **used})
        load_maps(parameters)
        dimensions = load(given["vehicle_info_param_file"]).values_for(f"/{NAMESPACE}/{NAME}")
    except ParameterError as error:
        raise RuntimeError(f"{path}: {error}") from None
    try:
        info = vehicle_info(dimensions)
    except ParameterError as error:
        file = given["vehicle_info_param_file"]
        raise RuntimeError(f"vehicle_info_param_file:={file}: {error}") from None
    return parameters, info, [LogInfo(msg=f"[WARNING] {path}: {line}") for line in unknown]


def outer_starts_converter(given: dict[str, str]) -> bool:
    """Whether the launch file that includes this one starts the converter, after the model's file.

    So it is since Autoware 0.51, whose simulator.launch.xml includes a file that reads the type.
    """
    outer = share_of(OUTER_PACKAGE)
    if started_directly(__file__) or outer is None or not is_file(outer / OUTER_FILE):
        return False
    if READS_TYPE not in read_text(outer / OUTER_FILE):
        return False
    values = load(given["simulator_model_param_file"]).values_for(f"/{NAMESPACE}/{NAME}")
    return "ACTUATION_CMD" in str(values.get("vehicle_model_type", ""))


def converter(given: dict[str, str]) -> LaunchDescriptionEntity:
    """What makes actuation_cmd of control_cmd, as Autoware's launch file starts it."""
    if outer_starts_converter(given):
        return LogInfo(msg=f"[INFO] {CONVERTER} is left to the launch file that includes this one")
    share = share_of(CONVERTER)
    if share is None:
        return LogInfo(
            msg=f"[WARNING] {CONVERTER} is not installed: something else must publish actuation_cmd"
        )
    path = given["raw_vehicle_cmd_converter_param_path"]
    file = path or str(share / "config/raw_vehicle_cmd_converter.param.yaml")
    return IncludeLaunchDescription(
        XMLLaunchDescriptionSource(str(share / "launch/raw_vehicle_converter.launch.xml")),
        launch_arguments={"config_file": file}.items(),
    )


def in_one_process(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The node simple_planning_simulator."""
    parameters, info, warnings = checked(given, context)
    takes_pedals = MODELS[parameters.vehicle_model_type].drive is Drive.PEDALS
    needed = [*MESSAGES, *AUTOWARE.of_pedals(needed=takes_pedals)]
    refuse_without_packages("planning_simulator", needed)
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in {**to_flat(parameters), **to_flat(info)}.items()
    }
    if given["use_sim_time"] == "true":
        values["use_sim_time"] = True
    remappings = {**REMAPPINGS, **MOTION_REMAPPINGS[given["motion_publish_mode"]]}
    simulator = node(
        context,
        "vdsim_autoware",
        "planning_simulator",
        [values],
        name=NAME,
        namespace=NAMESPACE,
        remappings=list(remappings.items()),
        arguments=["--ros-args", "--log-level", given["log_level"]],
        **restarted(NAME),
    )
    return [*warnings, simulator, *([converter(given)] if takes_pedals else [])]


def without_udp(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Warnings for arguments of the other link that were given."""
    lines = []
    for name, (default, *_) in ARGUMENTS.items():
        if name in OWN_ARGUMENTS or name in OF_CAR:
            continue
        parts = normalize_to_list_of_substitutions(default)
        if given[name] != perform_substitutions(context, parts):
            lines.append(f"{name}:={given[name]}: only with link:=udp; ignored")
    return [LogInfo(msg=f"[WARNING] {line}") for line in lines]


def as_in_process(
    parameters: SimulatorParameters,
    info: VehicleInfo,
    given: dict[str, str],
    context: LaunchContext,
) -> dict[str, str]:
    """The arguments with which interface, adapter and car are those of link:=process.

    Their parameters go into files in the log folder; a file of the user's comes in their place.
    """
    folder = Path(LaunchLogDir().perform(context))
    limit_rad = steering_limit_rad(parameters, info)
    interface = to_flat(interface_parameters(parameters, info, limit_rad))
    model = MODELS[parameters.vehicle_model_type]
    adapter = to_flat(adapter_parameters(parameters, model, info, limit_rad))
    adapter["model_file"] = written(folder / "autoware_simulator_model.yaml", to_flat(parameters))
    state_hz = float(given["state_rate"])
    values = {
        "params_file": {
            name: value for name, value in interface.items() if name.startswith(OF_PRESET)
        },
        "autoware_params_file": adapter,
        "plant_params_file": {"tick_rate": state_hz * max(1.0, MOST_TICKS_HZ // state_hz)},
    }
    changed = {**given, "auto_engage": "true", "rig": "driverless", "manual_control": "true"}
    for argument, flat in values.items():
        default = normalize_to_list_of_substitutions(ARGUMENTS[argument][0])
        if given[argument] == perform_substitutions(context, default):
            file = folder / f"autoware_simulator_{argument}.yaml"
            changed[argument] = written(file, flat, PATTERNS[argument])
    return changed


def written(file: Path, flat: Mapping[str, object], pattern: str = "/**") -> str:
    """The path of a parameter file, once it is written."""
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in flat.items()}
    file.write_text(yaml.safe_dump({pattern: {"ros__parameters": plain}}))
    return str(file)


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return all processes."""
    if given["link"] == PROCESS:
        return [*without_udp(given, context), *in_one_process(given, context)]
    parameters, info, warnings = checked(given, context)
    if parameters.vehicle_model_type != OVER_UDP:
        raise RuntimeError(
            f"link:=udp vehicle_model_type:={parameters.vehicle_model_type}: must be "
            f"{OVER_UDP}; the other models are those of link:=process"
        )
    given = as_in_process(parameters, info, given, context)
    pair: list[LaunchDescriptionEntity] = AUTOWARE.start({**given, "localization": "true"}, context)
    return [*warnings, *pair]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start, AUTOWARE.PREFIXED)
