"""The options of a server as parameters have them: a default each, values in their own type."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from vdsim_plant.ground import flat
from vdsim_plant.parameters.errors import wrong_value

from vdsim_plant_node.settings.http_address import OFF
from vdsim_plant_node.settings.options import DEFAULT_STATE_IP, DEFAULT_STATE_PORT, Option
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


def default_of(option: Option, settings: VehicleSettings | ServerSettings) -> Any:
    """The default of an option as a parameter."""
    if option.name in _UNSET:
        return _UNSET[option.name]
    return attrgetter(option.key)(settings)


def typed(option: Option, value: Any) -> Any:
    """The value in the option's type; whole numbers may stand for real ones."""
    if option.many:
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
