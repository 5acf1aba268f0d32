"""The core of the node keyboard_teleop: keys and station together, without terminal and ROS."""

from __future__ import annotations

from vdsim_interface.extras.teleop.keyboard import Keyboard
from vdsim_interface.extras.teleop.panel import PanelData
from vdsim_interface.teleop.driver import Phase
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import KeyboardTeleopParameters
from vdsim_interface.teleop.station import Station, StationOutput
from vdsim_interface.values import Command, drive_direction


class KeyboardDriver:
    """Call `on_...` for keys and reports, and `tick` at the output rate."""

    def __init__(self, parameters: KeyboardTeleopParameters) -> None:
        self.station = Station(parameters.driver, parameters.safe_stop)
        self.keyboard = Keyboard(parameters.keyboard)
        self._driver = parameters.driver
        self._command: Command | None = None

    def on_key(self, key: str, now: float) -> None:
        """Receive a key, as curses names it."""
        motion = self.station.motion(now)
        direction = 1 if motion.gear is None else drive_direction(motion.gear)
        p = self._driver
        limit = p.speed_max_mps if direction >= 0 else p.reverse_speed_max_mps
        speed = max(0.0, (motion.velocity_mps or 0.0) * direction)
        for event in self.keyboard.on_key(key, speed, limit, now):
            if event.action is Action.EMERGENCY_STOP:
                self.keyboard.release("emergency stop")
            self.station.on_action(event, now)

    def let_go(self) -> None:
        """Control was given back, by whomever: command nothing until a driving key is pressed."""
        self.keyboard.release("control was given back")
        self.station.driver.release()

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back."""
        if success:
            self.let_go()
        self.station.on_give_back_answer(success, text)

    def tick(self, now: float) -> StationOutput:
        """Return what is due now."""
        for event in self.keyboard.tick(now):
            self.station.on_action(event, now)
        output = self.station.tick(self.keyboard.intent(self.station.driver.level), now)
        self._command = output.command
        return output

    @property
    def finished(self) -> bool:
        """True when the terminal was left and the car needs no more commands."""
        return self.keyboard.closed and self.station.driver.phase is Phase.IDLE

    def panel(self, link: str, in_control: str, refusal: str, now: float) -> PanelData:
        """Return what to show. refusal: the interface's last one, if this node has none."""
        driver = self.station.driver
        return PanelData(
            motion=self.station.motion(now),
            phase=driver.phase,
            why=self.keyboard.intent(driver.level).why,
            level=driver.level,
            command=self._command,
            link=link,
            in_control=in_control,
            last_refusal=self.station.last_refusal or refusal,
            attention_left_s=self.keyboard.attention_left_s(now),
        )
