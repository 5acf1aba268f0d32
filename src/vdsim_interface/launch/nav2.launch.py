"""A car for Nav2: the interface, the car, the adapter of cmd_vel, and Nav2 where it is installed.

ros2 launch vdsim_interface nav2.launch.py --show-args
"""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch.actions import IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource
from vdsim_interface.extras.adapters.parameters import AdapterParameters
from vdsim_interface.ros.launching import (
    SWITCH,
    a_file,
    a_parameter_file,
    check_node,
    config_file,
    fragment,
    launch_description,
    node,
    restarted,
    value_in_files,
)
from vdsim_protocol.checked_file import FileError, read_text

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

VDSIM = fragment(__file__, "vdsim.launch.py")
NAMESPACE = "vehicle"
LARGEST_MODEL_BYTES = 8 << 20
BRINGUP, MODEL, TRANSFORMS = "nav2_bringup", "robot_state_publisher", "tf2_ros"
WHERE_INSTALLED = ["auto", "true", "false"]
OWN_ARGUMENTS = {
    "stamped": ("true", "cmd_vel is TwistStamped; false: Twist, Nav2's default of Jazzy", SWITCH),
    "nav2": ("auto", f"start Nav2: auto: where {BRINGUP} is installed", WHERE_INSTALLED),
    "nav2_params_file": (config_file("nav2.yaml"), "parameters of Nav2", a_parameter_file),
    "robot_description": (
        "auto",
        f"publish the car's model and its /tf_static: auto: where {MODEL} is installed",
        WHERE_INSTALLED,
    ),
    "urdf": (config_file("nav2_ioniq5_awd.urdf"), "the car's model", a_file),
}
LEFT_OUT = ("namespace", "control_command")
"""The adapter publishes high-level commands in the namespace of the interface."""
ARGUMENTS = {
    **OWN_ARGUMENTS,
    **{name: item for name, item in VDSIM.ARGUMENTS.items() if name not in LEFT_OUT},
}


def is_wanted(given: dict[str, str], name: str, package: str) -> bool:
    """Whether to start what an argument says; an error where it is asked for and not there."""
    if given[name] == "false":
        return False
    try:
        get_package_share_directory(package)
    except PackageNotFoundError:
        if given[name] == "true":
            raise RuntimeError(f"{name}:=true: {package} is not installed") from None
        return False
    return True


def adapter(given: dict[str, str], context: LaunchContext) -> LaunchDescriptionEntity:
    """The node that turns cmd_vel into commands of this car."""
    files, _ = VDSIM.parameter_files(given, context)
    values: dict[str, object] = {"stamped": given["stamped"] == "true"}
    for name in ("vehicle.wheelbase_m", "vehicle.front_wheel_angle_max_rad"):
        value = value_in_files([file.path for file in files], name)
        if value is not None:
            values[name] = value
    check_node((AdapterParameters(),), "/twist_adapter", [], values)
    return node(context, "vdsim_interface", "twist_adapter", [values], **restarted("twist_adapter"))


def model(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """robot_state_publisher with the car's model, where it is installed."""
    path = given["urdf"]
    try:
        text = read_text(Path(path), largest_bytes=LARGEST_MODEL_BYTES)
    except FileError as error:
        raise RuntimeError(f"urdf:={path}: {error.problem}") from None
    if not is_wanted(given, "robot_description", MODEL):
        return [LogInfo(msg=f"{MODEL} is not started: no model, and no /tf_static of the car")]
    values = {"robot_description": text, "use_sim_time": given["use_sim_time"] == "true"}
    return [node(context, MODEL, MODEL, [values], **restarted(MODEL))]


def navigation(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Nav2's own bring-up without a map, and the frame map at the start of odom."""
    if not is_wanted(given, "nav2", BRINGUP):
        return [LogInfo(msg=f"{BRINGUP} is not started: the car waits for cmd_vel")]
    file = Path(get_package_share_directory(BRINGUP)) / "launch/navigation_launch.py"
    named = {
        "params_file": given["nav2_params_file"],
        "use_sim_time": given["use_sim_time"],
        "autostart": "true",
    }
    still = node(
        context,
        TRANSFORMS,
        "static_transform_publisher",
        [],
        arguments=["--frame-id", "map", "--child-frame-id", "odom"],
        **restarted("static_transform_publisher"),
    )
    include = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(file)), launch_arguments=list(named.items())
    )
    return [still, include]


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return all processes."""
    whole = {**given, "namespace": NAMESPACE, "control_command": "high_level"}
    driven = [adapter(whole, context), *model(whole, context), *navigation(whole, context)]
    return [*VDSIM.start(whole, context), *driven]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
