"""The AutoHYU bridge and the car that it drives.

ros2 launch vdsim_interface autohyu.launch.py --show-args
"""

from pathlib import Path

from launch.actions import LogInfo
from vdsim_interface.extras.autohyu import AutohyuParameters, load_torque_map
from vdsim_interface.extras.autohyu.parameters import CENTER_OF_GRAVITY, REAR_AXLE
from vdsim_interface.ros.launching import (
    ParameterFile,
    a_file,
    a_namespace,
    a_parameter_file,
    check_node,
    config_file,
    fragment,
    launch_description,
    like,
    namespace_of,
    node,
    optional,
    restarted,
)
from vdsim_interface.ros.launching.parameter_files import for_nodes, refuse_unmatched

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

PLANT = fragment(__file__, "plant.launch.py")
CAR_OF_THE_MAP = "ioniq5_awd"
BRIDGE = AutohyuParameters()
OWN_ARGUMENTS = {
    "torque_map": (
        "",
        "CSV file torque_Nm,speed_kph,throttle; empty: the shipped map",
        optional(a_file),
    ),
    "ref_lat_deg": (
        "0.0",
        "latitude of the world's origin",
        like(BRIDGE, "reference.ref_lat_deg"),
    ),
    "ref_lon_deg": (
        "0.0",
        "longitude of the world's origin",
        like(BRIDGE, "reference.ref_lon_deg"),
    ),
    "reference_point": (
        "",
        "point of the car in vehicle_state; empty: that of params_file",
        ["", CENTER_OF_GRAVITY, REAR_AXLE],
    ),
    "filtered": (
        "off",
        "low pass of vehicle_state_filtered",
        ["off", "first_order", "butterworth", "chebyshev"],
    ),
    "namespace": ("", "namespace of the bridge and its topics", a_namespace),
    "params_file": (config_file("autohyu.yaml"), "parameters of the bridge", a_parameter_file),
}
ARGUMENTS = {**PLANT.ARGUMENTS, **OWN_ARGUMENTS}


def bridge(
    given: dict[str, str], context: LaunchContext, name: str = "autohyu_bridge"
) -> tuple[LaunchDescriptionEntity, AutohyuParameters]:
    """The bridge, checked, and its parameters; `name`: of its node."""
    host, port = PLANT.command_address(given)
    file = ParameterFile("params_file", given["params_file"])
    values = {
        "link.plant_host": host,
        "link.plant_port": port,
        "link.listen_host": given["state_host"],
        "link.listen_port": int(given["state_port"]),
        "link.measure_round_trip": given["plant"] == "true",
        "pedals.torque_map": given["torque_map"],
        "reference.ref_lat_deg": float(given["ref_lat_deg"]),
        "reference.ref_lon_deg": float(given["ref_lon_deg"]),
        "filtered.type": given["filtered"],
    }
    if given["reference_point"]:
        values["reference.point"] = given["reference_point"]
    full_name = f"{namespace_of(given, context)}/{name}"
    [parameters] = check_node((BRIDGE,), full_name, [file], values)
    refuse_unmatched([file], [full_name])
    if given["torque_map"]:
        try:
            load_torque_map(Path(given["torque_map"]), parameters.pedals)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"torque_map:={given['torque_map']}: {error}") from None
    started = node(
        context,
        "vdsim_interface",
        "autohyu_bridge",
        [for_nodes(file, [full_name]), values],
        name=name,
        namespace=given["namespace"],
        **restarted("the bridge"),
    )
    return started, parameters


def warn_of_another_car(given: dict[str, str]) -> list[LaunchDescriptionEntity]:
    """Warn: the shipped torque map is that of one car's motor and is wrong for another car."""
    vehicle = given["vehicle"]
    if given["plant"] != "true" or given["torque_map"] or vehicle == CAR_OF_THE_MAP:
        return []
    text = (
        f"[WARNING] vehicle:={vehicle}: the torque map is that of {CAR_OF_THE_MAP}; make this "
        "car's with vdsim_torque_map and give torque_map:= (docs/autohyu.md)"
    )
    return [LogInfo(msg=text)]


def start(
    given: dict[str, str], context: LaunchContext, name: str = "autohyu_bridge"
) -> list[LaunchDescriptionEntity]:
    """Check the values; return the car and the bridge, whose node has this name."""
    PLANT.check_ports(given)
    bridge_node, parameters = bridge(given, context, name)
    car = PLANT.start({**given, "car_is_driven": "true"}, context)
    PLANT.check_rates(
        given,
        context,
        ("failsafe.state_timeout_s", parameters.failsafe.state_timeout_s),
        ("rate_hz", parameters.rate_hz),
    )
    return [*warn_of_another_car(given), *car, bridge_node]


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
