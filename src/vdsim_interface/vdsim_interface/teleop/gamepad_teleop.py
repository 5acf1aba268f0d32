"""The whole core of the gamepad_teleop node: pad and station together, no ROS.

Joy, device name --Gamepad--> intent, actions --Station--> commands, requests, reports
"""

from __future__ import annotations

from dataclasses import replace

from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.mapping import GamepadMapping
from vdsim_interface.teleop.parameters import GamepadTeleopParameters
from vdsim_interface.teleop.station import ActionEvent, Station, StationOutput
from vdsim_interface.values import Notice


class GamepadTeleop:
    """Feed it Joy messages and the vehicle's reports; `tick` at the output rate."""

    def __init__(
        self, mappings: tuple[GamepadMapping, ...], parameters: GamepadTeleopParameters
    ) -> None:
        self.station = Station(parameters.driver, parameters.safe_stop)
        self.pad = Gamepad(mappings, parameters.gamepad)
        self._notices: list[Notice] = []

    def on_joy(self, axes: tuple[float, ...], buttons: tuple[int, ...], now: float) -> None:
        """A Joy message."""
        self._take(self.pad.on_joy(axes, buttons, now), now)

    def on_device(self, name: str, now: float) -> None:
        """The joystick device's name, empty when it was unplugged."""
        self._take(self.pad.on_device(name), now)

    def tick(self, now: float) -> StationOutput:
        """All that is due now."""
        self._take(self.pad.check(now), now)
        output = self.station.tick(self.pad.intent(), now)
        told, self._notices = tuple(self._notices), []
        return replace(output, notices=told + output.notices)

    def _take(self, heard: tuple[tuple[ActionEvent, ...], tuple[Notice, ...]], now: float) -> None:
        events, notices = heard
        for event in events:
            self.station.on_action(event, now)
        self._notices.extend(notices)
