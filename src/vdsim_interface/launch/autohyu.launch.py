"""The AutoHYU bridge and the car that it drives.

ros2 launch vdsim_interface autohyu.launch.py --show-args
"""

from launch.actions import (
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetLaunchConfiguration,
    Shutdown,
)
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from vdsim_interface.ros.launching import (
    checked,
    config_file,
    declared,
    launch_file,
    typed,
)

from launch import LaunchContext, LaunchDescription

VALUE = LaunchConfiguration
NUMBERS = {"ref_lat_deg": float, "ref_lon_deg": float}
CAR_OF_THE_MAP = "ioniq5_awd"
ARGUMENTS = {
    "torque_map": ("", "CSV file torque_Nm,speed_kph,throttle; empty: the shipped map"),
    "ref_lat_deg": ("0.0", "latitude of the world's origin"),
    "ref_lon_deg": ("0.0", "longitude of the world's origin"),
    "filtered": ("off", "low pass of vehicle_state_filtered: off, first_order, butterworth"),
    "namespace": ("", "namespace of the bridge and its topics"),
    "params_file": (config_file("autohyu.yaml"), "parameters of the bridge"),
}


def bridge() -> Node:
    return Node(
        package="vdsim_interface",
        executable="autohyu_bridge",
        namespace=VALUE("namespace"),
        output="screen",
        parameters=[
            VALUE("params_file"),
            {
                "link.plant_host": typed("command_host", str),
                "link.plant_port": typed("command_port", int),
                "link.listen_host": typed("state_host", str),
                "link.listen_port": typed("state_port", int),
                "pedals.torque_map": typed("torque_map", str),
                "reference.ref_lat_deg": typed("ref_lat_deg", float),
                "reference.ref_lon_deg": typed("ref_lon_deg", float),
                "filtered.type": typed("filtered", str),
            },
        ],
        on_exit=Shutdown(reason="the bridge has ended"),
    )


def warn_of_another_car(context: LaunchContext) -> list[LogInfo]:
    """Warn: the shipped torque map is that of one car's motor and is wrong for another car."""
    given = context.launch_configurations
    vehicle = given["vehicle"]
    if given["plant"] != "true" or given["torque_map"] or vehicle == CAR_OF_THE_MAP:
        return []
    text = (
        f"[WARNING] vehicle:={vehicle}: the torque map is that of {CAR_OF_THE_MAP}; make this "
        "car's with vdsim_torque_map and give torque_map:= (docs/autohyu.md)"
    )
    return [LogInfo(msg=text)]


def generate_launch_description() -> LaunchDescription:
    plant = IncludeLaunchDescription(launch_file("plant.launch.py"))
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            checked(NUMBERS, ("torque_map", "params_file")),
            SetLaunchConfiguration("car_is_driven", "true"),
            plant,
            OpaqueFunction(function=warn_of_another_car),
            bridge(),
        ]
    )
