"""The car and its interface: plant, vehicle interface, and what the arguments add.

ros2 launch vdsim_interface vdsim.launch.py --show-args
"""

import json
import os
from importlib.util import find_spec
from pathlib import Path

from launch.actions import LogInfo, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration, PythonExpression
from vdsim_interface.extras.stages.ros.launching import (
    SERVICES,
    component_names,
    components,
    refuse_without_a_container,
)
from vdsim_interface.guard.local_socket import default_path
from vdsim_interface.guard.tape import EVENT_LOG, VARIABLE
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.ros.launching import (
    GUARDED,
    SHELL,
    SWITCH,
    ParameterFile,
    a_folder,
    a_namespace,
    a_parameter_file,
    a_switch,
    check_interface,
    config_file,
    fragment,
    launch_description,
    like,
    may_end,
    namespace_of,
    node,
    optional,
    restarted,
    shipped,
    value_in_files,
    vehicle_guard,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, load
from vdsim_protocol.checked_node import AUTO, IN_PROCESS

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

PLANT = fragment(__file__, "plant.launch.py")
TELEOP = fragment(__file__, "teleop.launch.py")
VALUE = LaunchConfiguration
DEFAULT_CAR = "ioniq5_awd"
# The stages, one process each, and the command levels that need them.
STAGES = {
    "velocity_controller": ["high_level"],
    "low_pass_filter": ["high_level", "vehicle"],
    "safety_state_machine": ["high_level", "vehicle", "raw"],
    "platform_interface": ["high_level", "vehicle", "raw"],
}
PARAMETER_SERVICES = "process.parameter_services"
STAGES_BEFORE_SAFETY = ("velocity_controller", "low_pass_filter")
ARBITRATED = [
    word
    for topic in ("high_level_command", "vehicle_command")
    for word in ("-r", f"{topic}:=stages/selected/{topic}")
]
"""Stages of their own receive the command that safety_state_machine has selected."""
EXECUTABLES = {
    "single": "vehicle_interface",
    "container": "component_container",
    GUARDED: SHELL,
}
"""The executable of each composition in one ROS process; its node is vehicle_interface."""
OWN_CAR = PythonExpression(
    [
        *("str('", VALUE("platform"), "' == 'fake' or ('", VALUE("platform"), "' == 'vds1' and '"),
        *(VALUE("plant"), "' == 'true')).lower()"),
    ]
)
"""Whether nothing but a simulation of ours can move."""
RIG = PythonExpression(["'driverless' if '", OWN_CAR, "' == 'true' else 'driver'"])


MCAP, RECORDER = ".mcap", "vdsim_record"


def a_recording(text: str) -> str:
    """A file of the simulated car, or one of all topics that is not there yet."""
    path = Path(text)
    if path.suffix != MCAP:
        return ""  # the car has the rules of its own file
    if not path.absolute().parent.is_dir():
        return "there is no such folder"
    return "is there already; give another name" if path.exists() else ""


def an_event_log(text: str) -> str:
    """A file that the interface can append to."""
    path = Path(text).absolute()
    if path.exists() and not path.is_file():
        return "must be a regular file"
    return "" if path.parent.is_dir() else "there is no such folder"


OWN_ARGUMENTS = {
    "platform": ("vds1", "platform of the vehicle: vds1, fake, morai, can, or your own"),
    "platform_path": ("", "folder with your own platforms", optional(a_folder)),
    "control_command": (
        "high_level",
        "command message that drives the car",
        ["high_level", "vehicle", "raw"],
    ),
    "plant": (
        PythonExpression(["'true' if '", VALUE("platform"), "' == 'vds1' else 'false'"]),
        "start the simulated car; false: an external simulator, or a car",
        SWITCH,
    ),
    "vehicle": (
        DEFAULT_CAR,
        "the car: a preset or a YAML file; plant:=false: the one at the other end, of config/cars",
    ),
    "rate": (
        "100.0",
        "rate of the interface's output to the car [Hz]",
        like(InterfaceParameters(), "rate_hz"),
    ),
    "auto_engage": (OWN_CAR, "the first valid command engages", a_switch),
    "rig": (
        RIG,
        "who sits in the car; decides what is sent without autonomy (docs/safety.md)",
        ["driver", "driverless"],
    ),
    "namespace": ("vehicle", "namespace of the interface's nodes and topics", a_namespace),
    "params_file": (
        config_file("vehicle_interface.yaml"),
        "parameters of the interface; the arguments of this launch file override them",
        a_parameter_file,
    ),
    "car_params_file": (
        "",
        "data of the car: wheelbase, wheel angle, pedal map; empty: the file in config/cars/ with "
        "the name of the vehicle",
        optional(a_parameter_file),
    ),
    "teleop": ("none", "device for manual driving", ["gamepad", "keyboard", "none"]),
    "joy_dev": ("auto", "joystick: a path, a part of its name, or auto for the first"),
    "joy_config": ("auto", "mapping of config/gamepads by name, a file, or auto"),
    "use_sim_time": ("false", "use the time of /clock instead of the system clock", SWITCH),
    "composition": (
        PythonExpression(
            [
                *(
                    "'single' if '",
                    OWN_CAR,
                    "' == 'true' or '",
                    VALUE("use_sim_time"),
                    "' == 'true'",
                ),
                " else 'guarded'",
            ]
        ),
        "one node, a guard without ROS beside the node, one node with the topics of its stages, "
        "or one process per stage",
        ["single", "guarded", "container", "processes"],
    ),
    "components": (
        "",
        "components of other packages in the process of composition:=container, by name "
        "(docs/components.md)",
        optional(components),
    ),
    "component_services": (
        "false",
        "composition:=container offers load_node, unload_node and list_nodes",
        SWITCH,
    ),
    "record": (
        "",
        "drive.mcap: record every topic (docs/record.md); drive.vds: what the simulated car "
        "receives and sends (docs/recording.md)",
        optional(a_recording),
    ),
    "event_log": (
        "",
        "file to which the interface appends who engaged, disengaged, overrode and stopped it "
        "(docs/events.md)",
        optional(an_event_log),
    ),
}
OF_TELEOP = ("mux", "terminal", "teleop_params_file", "mux_params_file", "wheelbase")
ARGUMENTS = {
    **OWN_ARGUMENTS,
    **{name: item for name, item in PLANT.ARGUMENTS.items() if name not in OWN_ARGUMENTS},
    **{name: TELEOP.ARGUMENTS[name] for name in OF_TELEOP},
}


def refuse_faults_without_a_link(given: dict[str, str]) -> None:
    """The relay handles VDS1 alone."""
    platform = given["platform"]
    if given["faults"] == "true" and platform != "vds1":
        raise RuntimeError(
            f"faults:=true platform:={platform}: the relay is for the VDS1 link; "
            "use platform:=vds1, or faults:=false"
        )


def parameter_files(
    given: dict[str, str], context: LaunchContext
) -> tuple[list[ParameterFile], list[LaunchDescriptionEntity]]:
    """The files for the car that is started here, and warnings; the user's file overrides.

    Each file is passed once: a repeated file would not override those between its two positions.
    """
    params_file, car = given["params_file"], given["car_params_file"]
    warnings = []
    is_named = given["plant"] == "true" or given["vehicle"] != DEFAULT_CAR
    if not car and is_named and given["platform"] == "vds1":
        cars = shipped("cars", context)
        chosen = cars / f"{given['vehicle']}.yaml"
        if not chosen.is_file():
            refuse_unknown_car(given, cars)
            warnings = [
                LogInfo(
                    msg=f"[WARNING] vehicle:={given['vehicle']}: the interface has no data of this "
                    f"car and drives it as the {DEFAULT_CAR}; give car_params_file:= "
                    "(docs/interface.md)"
                )
            ]
            chosen = cars / f"{DEFAULT_CAR}.yaml"
        car = str(chosen)
    of_interface = ParameterFile("params_file", params_file)
    of_car = [ParameterFile("car_params_file", car)] if car else []
    is_users = params_file != str(shipped("vehicle_interface.yaml", context))
    return [*of_car, of_interface] if is_users else [of_interface, *of_car], warnings


def refuse_unknown_car(given: dict[str, str], cars: Path) -> None:
    """The plant checks the name of its own car; nobody else does for one at the other end."""
    if given["plant"] != "true" and not Path(given["vehicle"]).is_file():
        known = ", ".join(sorted(path.stem for path in cars.glob("*.yaml")))
        raise RuntimeError(
            f"vehicle:={given['vehicle']}: must be one of {known}, or a file; or give "
            "car_params_file:="
        )


def parameter_services(given: dict[str, str], files: list[ParameterFile]) -> dict[str, object]:
    """Open beside our own simulated car, and where a mux sets the level of commands by them.

    Not where a file says otherwise, or Autoware is a peer.
    """
    chosen = value_in_files([file.path for file in files], PARAMETER_SERVICES)
    if chosen not in (None, AUTO):
        return {}
    is_own = given["plant"] == "true" and given["platform"] == "vds1"
    is_open = given["mux"] == "true" or (is_own and "adapter_params_file" not in given)
    return {PARAMETER_SERVICES: IN_PROCESS} if is_open else {}


def interface_parameters(given: dict[str, str]) -> dict[str, object]:
    """The parameters that the arguments set; they override the files."""
    host, port = PLANT.command_address(given)
    prefix = {"output.frame_prefix": given["frame_prefix"]} if given["frame_prefix"] else {}
    own_plant: dict[str, object] = {}
    if given["plant"] == "true" and given["faults"] != "true":
        # The car that is started here sends STATE from the port on which it receives CMD.
        own_plant["vds1.plant_state_port"] = port
    if given["plant"] == "true":
        own_plant["vds1.measure_round_trip"] = True
        # VDS1 carries no charge: what is known of it is the start.
        file = given["plant_params_file"]
        charge = None if load(file).fault else value_in_files([file], "charge")
        if isinstance(charge, int | float) and 0.0 <= charge <= 1.0:
            own_plant["vds1.initial_fuel_percent"] = 100.0 * charge
    # What an adapter does in place of the interface; set by the adapter's launch file.
    adapted: dict[str, object] = {}
    if "gear_is_commanded" in given:
        adapted["safety.auto_gear"] = False
    if "tf_is_published" in given:
        adapted["output.publish_tf"] = False
    if "adapter_params_file" in given:
        adapted["process.adapter"] = "autoware"
    return {
        "platform": given["platform"],
        "platform_path": given["platform_path"],
        "control_command": given["control_command"],
        "rate_hz": float(given["rate"]),
        "safety.auto_engage": given["auto_engage"].lower() == "true",
        "safety.rig": given["rig"],
        "vds1.plant_host": host,
        "vds1.plant_port": port,
        "vds1.listen_host": given["state_host"],
        "vds1.listen_port": int(given["state_port"]),
        "use_sim_time": given["use_sim_time"] == "true",
        # One arbiter: the interface, or the node command_mux.
        **({"arbitration.enabled": False} if given["mux"] == "true" else {}),
        **({SERVICES: True} if given["component_services"] == "true" else {}),
        **prefix,
        **own_plant,
        **adapted,
    }


def interface(
    given: dict[str, str], files: list[ParameterFile], context: LaunchContext
) -> tuple[list[LaunchDescriptionEntity], float]:
    """The processes of the composition, checked, and after what age their report is stale [s]."""
    values = {**interface_parameters(given), **parameter_services(given, files)}
    if given["composition"] in EXECUTABLES:
        executables = {EXECUTABLES[given["composition"]]: "vehicle_interface"}
    else:
        level = given["control_command"]
        executables = {name: name for name, levels in STAGES.items() if level in levels}
    namespace = namespace_of(given, context)
    names = [f"{namespace}/{name}" for name in executables.values()]
    parameters = check_interface(names, files, values)
    report_timeout_s = min(each.safety.report_timeout_s for each in parameters)
    is_guarded = given["composition"] == GUARDED
    guard = [vehicle_guard(namespace, values, context)] if is_guarded else []
    # Of the adapter alone, by its name: nothing in it is for the interface.
    adapter_file = [given["adapter_params_file"]] if "adapter_params_file" in given else []
    nodes = [
        node(
            context,
            "vdsim_interface",
            executable,
            [*(for_nodes(file, names) for file in files), *adapter_file, values],
            namespace=given["namespace"],
            arguments=[
                *component_names(given["components"]),
                "--ros-args",
                "--log-level",
                given["log_level"],
                *(ARBITRATED if executable in STAGES_BEFORE_SAFETY else []),
            ],
            **restarted(executable),
        )
        for executable in executables
    ]
    return guard + nodes, report_timeout_s


def teleop(
    given: dict[str, str], files: list[ParameterFile], context: LaunchContext
) -> list[LaunchDescriptionEntity]:
    """Manual driving, for the car of these files unless the argument says otherwise."""
    if given["teleop"] == "none" and given["mux"] != "true":
        return []
    wheelbase = value_in_files([file.path for file in files], "vehicle.wheelbase_m")
    of_car = "" if wheelbase is None else str(wheelbase)
    return TELEOP.start({**given, "wheelbase": given["wheelbase"] or of_car}, context)


def recorder(
    given: dict[str, str], files: list[ParameterFile], context: LaunchContext
) -> list[LaunchDescriptionEntity]:
    """The process that records; the car drives on without it."""
    file = given["record"]
    if not file.endswith(MCAP):
        return []
    missing = [name for name in (RECORDER, "mcap", "zstandard") if find_spec(name) is None]
    if missing:
        raise RuntimeError(f"record:={file}: needs the package {missing[0]}: not installed")
    kept = [word for each in files for word in ("--parameters", each.path)]
    arguments = [file, "--launch", json.dumps(given), *kept]
    again = f"ros2 run vdsim_record vdsim_record {file}"
    on_exit = may_end(RECORDER, again)
    # The interface writes its inputs to the recorder by this socket, whatever DDS does.
    tape = default_path("tape").with_name(f"tape_{os.getpid()}.sock")
    made = node(context, RECORDER, RECORDER, [], arguments=arguments, on_exit=on_exit)
    return [SetEnvironmentVariable(VARIABLE, str(tape)), made]


def event_log(given: dict[str, str]) -> list[LaunchDescriptionEntity]:
    """Tell the process that decides where its event log is."""
    file = given["event_log"]
    return [SetEnvironmentVariable(EVENT_LOG, str(Path(file).absolute()))] if file else []


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return all processes."""
    refuse_faults_without_a_link(given)
    refuse_without_a_container(given)
    PLANT.check_ports(given)
    files, warnings = parameter_files(given, context)
    nodes, report_timeout_s = interface(given, files, context)
    driving = teleop(given, files, context)
    recording = recorder(given, files, context)
    of_car = {**given, "record": ""} if recording else given
    car = PLANT.start({**of_car, "car_is_driven": "true"}, context)
    PLANT.check_rates(
        given,
        context,
        ("safety.report_timeout_s", report_timeout_s),
        ("rate:", float(given["rate"])),
    )
    return [*warnings, *event_log(given), *recording, *car, *nodes, *driving]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
