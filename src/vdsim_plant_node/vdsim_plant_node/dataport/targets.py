"""The telemetry settings of every vehicle: who gets its state as JSON over UDP, how often. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport.schema import TargetsRequest
from vdsim_plant_node.settings.server_settings import Endpoint


@dataclass(frozen=True)
class Telemetry:
    """What is sent about one vehicle, and where to."""

    enabled: bool = False
    send_state: bool = True
    send_cmd: bool = True
    rate_hz: float = 60.0
    targets: tuple[Endpoint, ...] = ()

    @property
    def active(self) -> bool:
        """Whether anything is sent."""
        return self.enabled and bool(self.targets)

    def changed(self, request: TargetsRequest) -> Telemetry:
        """These settings with those of a request; raises when they make no sense together."""
        named = {
            name: getattr(request, name)
            for name in ("enabled", "send_state", "send_cmd", "rate_hz", "targets")
            if getattr(request, name) is not None
        }
        after = replace(self, **named)
        if after.enabled and not (after.send_state or after.send_cmd):
            raise ParameterError(
                "enabled", "=true: must have send_state or send_cmd true, else nothing is sent"
            )
        return after

    def described(self, vehicle: int) -> dict[str, Any]:
        """As JSON, in the words of the request."""
        return {
            "vehicle": vehicle,
            "enabled": self.enabled,
            "send_state": self.send_state,
            "send_cmd": self.send_cmd,
            "rate": self.rate_hz,
            "targets": [{"ip": target.ip, "port": target.port} for target in self.targets],
        }


class TelemetryTable:
    """The settings of all vehicles."""

    def __init__(self, vehicles: Iterable[int]) -> None:
        self._settings = {vehicle: Telemetry() for vehicle in vehicles}

    def of(self, vehicle: int) -> Telemetry:
        """The settings of a vehicle that is there."""
        return self._settings[vehicle]

    def change(self, vehicle: int, request: TargetsRequest) -> Telemetry:
        """Apply a request to a vehicle that is there."""
        self._settings[vehicle] = self._settings[vehicle].changed(request)
        return self._settings[vehicle]

    def described(self) -> list[dict[str, Any]]:
        """All of them as JSON."""
        return [settings.described(vehicle) for vehicle, settings in self._settings.items()]
