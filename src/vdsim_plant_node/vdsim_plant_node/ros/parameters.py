"""The options of a server as ROS parameters of the node: same names, same meaning, same checks."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

from operator import attrgetter
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from vdsim_plant.ground import flat
from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.errors import wrong_value

from vdsim_plant_node.settings.http_address import OFF
from vdsim_plant_node.settings.options import (
    DEFAULT_STATE_IP,
    DEFAULT_STATE_PORT,
    SERVER_OPTIONS,
    VEHICLE_OPTIONS,
    Option,
)
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings

NAMES = (
    Option(name="vehicle", kind=str, key="vehicle", help="vehicle preset or file"),
    Option(
        name="tyre", kind=str, key="tyre", help="tyre preset or file; 'vehicle': the vehicle's own"
    ),
)
# None in the settings has a value of its own here: parameters always have one.
_UNSET: dict[str, Any] = {
    "mu": flat().base_mu,
    "state_ip": DEFAULT_STATE_IP,
    "state_port": DEFAULT_STATE_PORT,
    "state_to": [],
    "allow_from": [],
    "tick_rate": 0.0,
    "protocol_version": "auto",
    "record": "",
    "vehicles": "",
    "http": "",
    "http_token": "",
}
_ROS_OWN = ("use_sim_time", "qos_overrides.", "start_type_description_service")


def declare_options(node: Node) -> dict[str, Any]:
    """Declare every option; returns those that differ from the default, by name."""
    given: dict[str, Any] = {}
    vehicle, server = VehicleSettings(), ServerSettings()
    for option in (*NAMES, *VEHICLE_OPTIONS):
        given.update(_declare(node, option, _default(option, vehicle)))
    for option in SERVER_OPTIONS:
        given.update(_declare(node, option, _default(option, server)))
    return given


def _default(option: Option, settings: VehicleSettings | ServerSettings) -> Any:
    if option.name in _UNSET:
        return _UNSET[option.name]
    return attrgetter(option.key)(settings)


def declare_one(node: Node, name: str, kind: type, default: Any, text: str) -> Any:
    """Declare a parameter of the node itself; returns its checked value."""
    option = Option(name=name, kind=kind, key=name, help=text)
    return _declare(node, option, default).get(name, default)


def _declare(node: Node, option: Option, default: Any) -> dict[str, Any]:
    descriptor = ParameterDescriptor(
        description=option.help, additional_constraints="fixed at start", dynamic_typing=True
    )
    value = node.declare_parameter(option.name, default, descriptor).value
    checked = _typed(option, value)
    return {} if checked == default else {option.name: checked}


def _typed(option: Option, value: Any) -> Any:
    """The value in the option's type; whole numbers may stand for real ones."""
    if option.many:
        if isinstance(value, str):  # a launch argument is one text
            return [value] if value else []
        return [str(item) for item in value]
    if option.name == "http" and value is False:
        return OFF  # what YAML makes of the word off
    if option.kind is str and not isinstance(value, bool):
        return str(value)
    whole_for_real = option.kind is float and type(value) is int
    if type(value) is not option.kind and not whole_for_real:
        raise wrong_value(option.name, value, f"a {_WORDS[option.kind]}")
    return option.kind(value)


_WORDS = {float: "number", int: "whole number", bool: "truth value", str: "text"}


def seal(node: Node) -> None:
    """Refuse parameters that do not exist, and every change from now on."""
    for name, override in node._parameter_overrides.items():  # rclpy shows them nowhere else
        if not node.has_parameter(name) and not name.startswith(_ROS_OWN):
            raise ParameterError(name, f"={override.value!r}: no such parameter")

    def refuse(changes: list[Parameter]) -> SetParametersResult:
        names = [change.name for change in changes if not change.name.startswith(_ROS_OWN)]
        reason = f"{', '.join(names)}: fixed at start; start the plant with the value"
        return SetParametersResult(successful=not names, reason=reason if names else "")

    node.add_on_set_parameters_callback(refuse)
