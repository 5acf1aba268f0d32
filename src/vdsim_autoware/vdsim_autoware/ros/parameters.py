"""The parameters of the node: Autoware's names, also those that no model of ours uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import changed, declarations
from vdsim_interface.ros.parameters import declare
from vdsim_protocol.checked_file import FileError, read_text

from vdsim_autoware.adapter.vehicle_info import MISSING, VehicleInfo
from vdsim_autoware.model.command_map import CommandMap
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.simulator import MAPS, read_maps

LARGEST_MAP_BYTES = 4_000_000
WITHOUT_USE = (
    *("wheel_radius", "wheel_width", "vehicle_height"),
    *("cg_to_front_m", "cg_to_rear_m", "front_corner_stiffness", "rear_corner_stiffness"),
    *("mass_kg", "yaw_inertia_kgm2", "width_m"),
    *("model_module_paths", "model_param_paths", "model_class_names"),
)
"""Names of Autoware's files that no model of ours uses."""
LIVE = ("x_stddev", "y_stddev")
"""Names that may change while the node runs, as in Autoware's own."""


def declare_all(
    node: Node, on_change: Callable[[SimulatorParameters], None]
) -> tuple[SimulatorParameters, VehicleInfo]:
    """Declare everything; raises ParameterError for what is missing or wrong.

    `on_change` takes all parameters after a change of those in LIVE.
    """
    given = node._parameter_overrides  # rclpy has no public way to see them
    for name in [item.name for item in declarations(VehicleInfo())]:
        if name not in given:
            raise ParameterError(name, "", MISSING)
    info = declare(node, VehicleInfo())
    parameters = declare(node, SimulatorParameters())
    for name in WITHOUT_USE:
        if name in given:
            any_type = ParameterDescriptor(description="not used", dynamic_typing=True)
            node.declare_parameter(name, given[name].value, any_type)
    now = {"parameters": parameters}

    def use(values: Mapping[str, object]) -> None:
        now["parameters"] = changed(now["parameters"], values, active=False)
        on_change(now["parameters"])

    seal(node, live=LIVE, use=use)
    return parameters, info


def load_maps(parameters: SimulatorParameters) -> dict[str, CommandMap]:
    """Read the maps that the parameters name."""
    contents = {}
    for name in MAPS:
        path = getattr(parameters, name)
        if path:
            contents[name] = _text(name, Path(path))
    return read_maps(parameters, contents)


def _text(name: str, path: Path) -> str:
    try:
        return read_text(path, largest_bytes=LARGEST_MAP_BYTES)
    except FileError as fault:
        raise ParameterError(name, path, f"cannot be read: {fault.problem}") from None
