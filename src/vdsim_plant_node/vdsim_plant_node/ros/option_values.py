"""The options of a server as parameters have them: a default each."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from vdsim_plant.ground import flat

from vdsim_plant_node.settings.options import DEFAULT_STATE_IP, DEFAULT_STATE_PORT, Option
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings

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
    "config": "",
    "vehicles": "",
    "http": "",
    "http_token": "",
}


def default_of(option: Option, settings: VehicleSettings | ServerSettings) -> Any:
    """The default of an option as a parameter."""
    if option.name in _UNSET:
        return _UNSET[option.name]
    return attrgetter(option.key)(settings)
