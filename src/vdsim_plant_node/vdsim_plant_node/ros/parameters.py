"""The options of a server as ROS parameters of the node: same names, same meaning, same checks."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from vdsim_plant_node.ros.option_values import default_of
from vdsim_plant_node.settings.options import (
    NAMES,
    SERVER_OPTIONS,
    VEHICLE_OPTIONS,
    Option,
    typed,
)
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings
from vdsim_protocol import parameter_names

_ROS_OWN = ("use_sim_time", "qos_overrides.", "start_type_description_service")


def declare_options(node: Node) -> dict[str, Any]:
    """Declare every option; returns those that differ from the default, by name."""
    given: dict[str, Any] = {}
    vehicle, server = VehicleSettings(), ServerSettings()
    for option in (*NAMES, *VEHICLE_OPTIONS):
        given.update(_declare(node, option, default_of(option, vehicle)))
    for option in SERVER_OPTIONS:
        given.update(_declare(node, option, default_of(option, server)))
    return given


def declare_one(node: Node, name: str, kind: type, default: Any, text: str) -> Any:
    """Declare a parameter of the node itself; returns its checked value."""
    option = Option(name=name, kind=kind, key=name, help=text)
    return _declare(node, option, default).get(name, default)


def _declare(node: Node, option: Option, default: Any) -> dict[str, Any]:
    descriptor = ParameterDescriptor(
        description=option.help, additional_constraints="fixed at start", dynamic_typing=True
    )
    value = node.declare_parameter(option.name, default, descriptor).value
    checked = typed(option, value)
    return {} if checked == default else {option.name: checked}


class NamesParameters(parameter_names.NamesParameters):
    """Base of a node, before rclpy's: a change of a parameter that it does not have is named."""

    RESULT = SetParametersResult


def seal(node: Node) -> None:
    """Warn of overrides that the node does not declare, and refuse every change from now on.

    An unknown name is no error: SetParameter and a file with /** set parameters of other nodes.
    """
    for name, override in node._parameter_overrides.items():  # rclpy shows them nowhere else
        if not node.has_parameter(name) and not name.startswith(_ROS_OWN):
            node.get_logger().warning(
                f"{name}={override.value!r}: this node has no such parameter; "
                f"ignored{parameter_names.nearest(name, node._parameters)}"
            )

    def refuse(changes: list[Parameter]) -> SetParametersResult:
        names = [change.name for change in changes if not change.name.startswith(_ROS_OWN)]
        reason = f"{', '.join(names)}: fixed at start; start the plant with the value"
        return SetParametersResult(successful=not names, reason=reason if names else "")

    node.add_on_set_parameters_callback(refuse)
