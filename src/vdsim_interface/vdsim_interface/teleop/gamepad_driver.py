"""The core of the node gamepad_teleop: gamepad and station together, without ROS.

Joy, device name --Gamepad--> intent, actions --Station--> commands, requests, notices
"""

from __future__ import annotations

from dataclasses import replace

from vdsim_interface.teleop.feedback import Feedback, PadFeedback
from vdsim_interface.teleop.gamepad import Gamepad
from vdsim_interface.teleop.mapping import Action, GamepadMapping
from vdsim_interface.teleop.parameters import GamepadTeleopParameters
from vdsim_interface.teleop.station import ActionEvent, Station, StationOutput
from vdsim_interface.values import Notice


class GamepadDriver:
    """Call `on_...` for Joy messages and reports, and `tick` at the output rate."""

    def __init__(
        self, mappings: tuple[GamepadMapping, ...], parameters: GamepadTeleopParameters
    ) -> None:
        self.station = Station(parameters.driver, parameters.safe_stop)
        self.pad = Gamepad(mappings, parameters.gamepad)
        driver = parameters.driver
        self._feedback = PadFeedback(driver.wheelbase_m, driver.lateral_accel_max_mps2)
        self._notices: list[Notice] = []

    def on_joy(self, axes: tuple[float, ...], buttons: tuple[int, ...], now: float) -> None:
        """Receive a Joy message."""
        self._process(self.pad.on_joy(axes, buttons, now), now)

    def on_device(self, name: str, now: float) -> None:
        """Receive the joystick device's name; empty when it was disconnected."""
        self._process(self.pad.on_device(name), now)

    def let_go(self) -> None:
        """Control was given back, by whomever: command nothing until the dead-man is held again."""
        self.pad.rearm("control was given back")
        self.station.driver.release()

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back."""
        if success:
            self.let_go()
        self.station.on_give_back_answer(success, text)

    def tick(self, now: float) -> StationOutput:
        """Return what is due now."""
        self._process(self.pad.tick(now), now)
        output = self.station.tick(self.pad.intent(), now)
        notices, self._notices = tuple(self._notices), []
        return replace(output, notices=notices + output.notices)

    def feedback(self, output: StationOutput, now: float) -> tuple[Feedback, ...]:
        """Return what the pad shows after this output, where the pad can."""
        return self._feedback.tick(output.notices, self.station.motion(now), now)

    def _process(
        self, result: tuple[tuple[ActionEvent, ...], tuple[Notice, ...]], now: float
    ) -> None:
        events, notices = result
        for event in events:
            if event.pressed and event.action is Action.EMERGENCY_STOP:
                self.pad.rearm("emergency stop")
            self.station.on_action(event, now)
        self._notices.extend(notices)
