"""The options of a server as ROS parameters of the node: same names, same meaning, same checks."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

import time
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy import parameter_service
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from vdsim_plant.parameters import ParameterError
from vdsim_protocol.checked_node import AUTO, SERVICE_CHOICES
from vdsim_protocol.parameter_requests import ChecksRequests

from vdsim_plant_node.ros.option_values import default_of
from vdsim_plant_node.settings.options import (
    NAMES,
    SERVER_OPTIONS,
    VEHICLE_OPTIONS,
    Option,
    typed,
)
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings
from vdsim_protocol import checked_node, parameter_names

_ROS_OWN = ("use_sim_time", "qos_overrides.", "start_type_description_service")
_DECLARED_LATER = "qos_overrides."
"""Beginning of the names that rclpy declares with each topic: a declaration is a change, too."""
PARAMETER_SERVICES = "process.parameter_services"
DATA_GROWTH = "process.data_growth_mb"
DATA_GROWTH_MB = 1024
_MOST_DATA_MB = 1 << 20


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


def declare_process(node: Node) -> None:
    """Declare what the process of the node may do."""
    text = "whether a request can reach the parameters: " + ", ".join(SERVICE_CHOICES)
    value = declare_one(node, PARAMETER_SERVICES, str, AUTO, text)
    if value not in SERVICE_CHOICES:
        rule = f"={value}: must be one of " + ", ".join(SERVICE_CHOICES)
        raise ParameterError(PARAMETER_SERVICES, rule)
    text = "memory that the process may allocate after its start [MiB]; 0: no limit"
    growth_mb = declare_one(node, DATA_GROWTH, int, DATA_GROWTH_MB, text)
    if not 0 <= growth_mb <= _MOST_DATA_MB:
        raise ParameterError(DATA_GROWTH, f"={growth_mb}: must be within 0..{_MOST_DATA_MB}")


def _declare(node: Node, option: Option, default: Any) -> dict[str, Any]:
    descriptor = ParameterDescriptor(
        description=option.help, additional_constraints="fixed at start", dynamic_typing=True
    )
    value = node.declare_parameter(option.name, default, descriptor).value
    checked = typed(option, value)
    return {} if checked == default else {option.name: checked}


class ParameterService(ChecksRequests, parameter_service.ParameterService):  # type: ignore[misc, unused-ignore]
    """The six services; every request is measured and answered."""

    RESULT = SetParametersResult
    FROM_MESSAGE = Parameter.from_parameter_msg
    NOW = time.monotonic


class CheckedNode(checked_node.CheckedNode):
    """Base of the node, before rclpy's."""

    RESULT = SetParametersResult
    SERVICE = ParameterService
    PARAMETER = Parameter
    DECODE = staticmethod(deserialize_message)

    @property
    def parameter_services(self) -> str:
        """The parameter process.parameter_services."""
        node: Any = self
        return str(node.get_parameter(PARAMETER_SERVICES).value)


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
        names = [change.name for change in changes if not change.name.startswith(_DECLARED_LATER)]
        reason = f"{', '.join(names)}: fixed at start; start the plant with the value"
        return SetParametersResult(successful=not names, reason=reason if names else "")

    node.add_on_set_parameters_callback(refuse)
