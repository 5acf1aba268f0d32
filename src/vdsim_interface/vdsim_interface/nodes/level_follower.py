"""Tells the interface which command level to listen to: that of the source in control."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node

from vdsim_interface.values import (
    Command,
    ControlLevel,
    HighLevelCommand,
    RawCommand,
    VehicleCommand,
)

_LEVELS: dict[type[Command], ControlLevel] = {
    HighLevelCommand: ControlLevel.HIGH_LEVEL,
    VehicleCommand: ControlLevel.VEHICLE,
    RawCommand: ControlLevel.RAW,
}


class LevelFollower:
    """Sets `control_command` of the interface whenever the level of the output changes."""

    def __init__(self, node: Node, interface: str) -> None:
        self._logger = node.get_logger()
        self._interface = interface
        self._client = (
            node.create_client(SetParameters, f"{interface}/set_parameters") if interface else None
        )
        self._set: ControlLevel | None = None

    def follow(self, command: Command) -> None:
        """A command of some level is being sent."""
        level = _LEVELS[type(command)]
        if self._client is None or level is self._set or not self._client.service_is_ready():
            return
        self._set = level
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=level.value)
        request = SetParameters.Request(parameters=[Parameter(name="control_command", value=value)])
        self._client.call_async(request).add_done_callback(self._answered)

    def _answered(self, done: Any) -> None:
        for result in done.result().results:
            if not result.successful:
                self._logger.error(f"{self._interface} keeps its command level: {result.reason}")
