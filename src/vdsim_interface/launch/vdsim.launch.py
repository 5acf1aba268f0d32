"""The car and its interface: plant, vehicle interface, and what the arguments add.

ros2 launch vdsim_interface vdsim.launch.py --show-args
"""

from collections.abc import Mapping
from pathlib import Path

from launch.actions import (
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetLaunchConfiguration,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.substitutions import (
    AndSubstitution,
    EqualsSubstitution,
    LaunchConfiguration,
    NotEqualsSubstitution,
    PythonExpression,
)
from launch_ros.actions import Node
from vdsim_interface.ros.launching import (
    SWITCH,
    checked,
    config_file,
    declared,
    launch_file,
    typed,
    value_in_files,
)

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

VALUE = LaunchConfiguration
DEFAULT_CAR = "ioniq5_awd"
# The stages, one process each, and the command levels that need them.
STAGES = {
    "velocity_controller": ["high_level"],
    "low_pass_filter": ["high_level", "vehicle"],
    "safety_state_machine": ["high_level", "vehicle", "raw"],
    "platform_interface": ["high_level", "vehicle", "raw"],
}
OWN_CAR = PythonExpression(
    ["'", VALUE("platform"), "' == 'fake' or '", VALUE("plant"), "' == 'true'"]
)
ARGUMENTS = {
    "platform": ("vds1", "platform of the vehicle: vds1, fake, morai, or your own"),
    "platform_path": ("", "folder with your own platforms"),
    "control_command": (
        "high_level",
        "command message that drives the car",
        ["high_level", "vehicle", "raw"],
    ),
    "composition": (
        "single",
        "one node, the same with the topics of its stages, or one process per stage",
        ["single", "container", "processes"],
    ),
    "plant": (
        PythonExpression(["'true' if '", VALUE("platform"), "' == 'vds1' else 'false'"]),
        "start the simulated car; false: an external simulator, or a car",
        SWITCH,
    ),
    "rate": ("100.0", "rate of the interface's output to the car [Hz]"),
    "auto_engage": (OWN_CAR, "the first valid command engages"),
    "namespace": ("vehicle", "namespace of the interface's nodes and topics"),
    "params_file": (
        config_file("vehicle_interface.yaml"),
        "parameters of the interface; the arguments of this launch file override them",
    ),
    "car_params_file": (
        "",
        "data of the car: wheelbase, wheel angle, pedal map; empty: the file in config/cars/ with "
        "the name of the simulated car",
    ),
    "teleop": ("none", "device for manual driving", ["gamepad", "keyboard", "none"]),
    "joy_dev": ("auto", "joystick: a path, a part of its name, or auto for the first"),
    "joy_config": ("auto", "mapping of config/gamepads by name, a file, or auto"),
    "use_sim_time": ("false", "use the time of /clock instead of the system clock", SWITCH),
    "log_level": ("info", "log level of the nodes", ["debug", "info", "warn", "error"]),
}


def refuse_faults_without_a_link(context: LaunchContext) -> None:
    """Reject faults without VDS1 before anything starts: the relay handles VDS1 alone."""
    given = context.launch_configurations
    platform, faults = given["platform"], given.get("faults", "false")
    if faults == "true" and platform != "vds1":
        raise RuntimeError(
            f"faults:=true platform:={platform}: the relay is for the VDS1 link; "
            "use platform:=vds1, or faults:=false"
        )


def interface(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The interface, with parameters for the car that is started here; the user's file overrides.

    Each file is passed once: a repeated file would not override those between its two positions.
    """
    given = context.launch_configurations
    params_file, car = given["params_file"], given["car_params_file"]
    warnings = []
    if not car and given["plant"] == "true" and given["platform"] == "vds1":
        cars = Path(config_file("cars").perform(context))
        car = str(cars / f"{given['vehicle']}.yaml")
        if not Path(car).is_file():
            warnings = [
                LogInfo(
                    msg=f"[WARNING] vehicle:={given['vehicle']}: the interface has no data of this "
                    f"car and drives it as the {DEFAULT_CAR}; give car_params_file:= "
                    "(docs/interface.md)"
                )
            ]
            car = str(cars / f"{DEFAULT_CAR}.yaml")
    is_users = params_file != config_file("vehicle_interface.yaml").perform(context)
    files = [file for file in ([car, params_file] if is_users else [params_file, car]) if file]
    wheelbase = value_in_files(files, "vehicle.wheelbase_m")
    for_teleop = SetLaunchConfiguration("wheelbase", "" if wheelbase is None else str(wheelbase))
    return [*warnings, for_teleop, *interface_nodes([*files, *of_own_plant(given)])]


def of_own_plant(given: Mapping[str, str]) -> list[dict[str, int]]:
    """The car that is started here sends STATE from the port on which it receives CMD."""
    if given["plant"] != "true" or given["faults"] == "true":
        return []
    return [{"vds1.plant_state_port": int(given["plant_port"])}]


def interface_nodes(files: list[str | dict[str, int]]) -> list[Node]:
    """The nodes of every composition; the launch arguments select one composition."""
    single = IfCondition(EqualsSubstitution(VALUE("composition"), "single"))
    container = IfCondition(EqualsSubstitution(VALUE("composition"), "container"))
    return [
        interface_node("vehicle_interface", files, single),
        interface_node("component_container", files, container),
        *(stage(name, files, levels) for name, levels in STAGES.items()),
    ]


def interface_node(
    executable: str, files: list[str | dict[str, int]], condition: IfCondition
) -> Node:
    return Node(
        package="vdsim_interface",
        executable=executable,
        namespace=VALUE("namespace"),
        output="screen",
        condition=condition,
        parameters=[
            *files,
            {
                "platform": typed("platform", str),
                "platform_path": typed("platform_path", str),
                "control_command": typed("control_command", str),
                "rate_hz": typed("rate", float),
                "safety.auto_engage": typed("auto_engage", bool),
                "vds1.plant_host": typed("command_host", str),
                "vds1.plant_port": typed("command_port", int),
                "vds1.listen_host": typed("state_host", str),
                "vds1.listen_port": typed("state_port", int),
                "use_sim_time": typed("use_sim_time", bool),
            },
        ],
        arguments=["--ros-args", "--log-level", VALUE("log_level")],
        on_exit=Shutdown(reason=f"{executable} has ended"),
    )


def stage(name: str, files: list[str | dict[str, int]], levels: list[str]) -> Node:
    needed = PythonExpression(["'", VALUE("control_command"), f"' in {levels}"])
    alone = EqualsSubstitution(VALUE("composition"), "processes")
    return interface_node(name, files, IfCondition(AndSubstitution(alone, needed)))


def teleop() -> GroupAction:
    source = launch_file("teleop.launch.py")
    passed_on = {name: VALUE(name) for name in ("teleop", "joy_dev", "joy_config", "wheelbase")}
    return GroupAction(
        [IncludeLaunchDescription(source, launch_arguments=passed_on.items())],
        condition=IfCondition(NotEqualsSubstitution(VALUE("teleop"), "none")),
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            checked({"rate": float}, ("params_file", "car_params_file")),
            OpaqueFunction(function=refuse_faults_without_a_link),
            SetLaunchConfiguration("car_is_driven", "true"),
            IncludeLaunchDescription(launch_file("plant.launch.py")),
            OpaqueFunction(function=interface),
            teleop(),
        ]
    )
