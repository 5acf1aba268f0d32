"""The README's launch line alone: a keyboard takes over from the stack, stops hard, gives back.

One launch, one keyboard_teleop in a terminal (a pseudo-terminal here), a stack that drives all the
time, and the dashboard's Joy; the tests run in their order and share the running system.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_srvs.srv import Trigger
from vdsim_interface.ros import topics
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

from vdsim_msgs.msg import ControlSource

NAMESPACE = "by_hand"
SPEED_MPS = 4.0


class Terminal:
    """keyboard_teleop in a terminal of its own."""

    def __init__(self) -> None:
        self._keys, end = pty.openpty()
        os.set_blocking(self._keys, False)
        command = ["ros2", "run", "vdsim_interface", "keyboard_teleop", "--ros-args"]
        self.process = subprocess.Popen(
            [*command, "-r", f"__ns:=/{NAMESPACE}"],
            stdin=end,
            stdout=end,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(end)
        self.shown = b""

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keys, keys.encode())

    def read(self) -> str:
        """What the terminal has shown so far."""
        try:
            while data := os.read(self._keys, 65536):
                self.shown += data
        except (BlockingIOError, OSError):
            pass
        return self.shown.decode(errors="replace")

    def close(self) -> None:
        """Quit, as its user does; what it still draws is read, or it would wait for that."""
        deadline_s = time.monotonic() + 60.0
        self.press("q")
        while self.process.poll() is None and time.monotonic() < deadline_s:
            self.read()
            time.sleep(0.05)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        assert self.process.wait() == 0
        os.close(self._keys)


class Road(Stack):
    """A stack that commands 4 m/s all the time, and sees who drives."""

    def __init__(self) -> None:
        super().__init__(f"/{NAMESPACE}")
        self.control = ControlSource()
        listen = self._node.create_subscription
        topic = f"/{NAMESPACE}/{topics.CONTROL_SOURCE}"
        listen(ControlSource, topic, self._on_control, topics.REPORT_QOS)
        self.terminal: Terminal | None = None
        self._joy = self._node.create_publisher(
            Joy, f"/{NAMESPACE}/dashboard/joy", QoSProfile(depth=10)
        )
        self.pad: PlayedPad | None = None
        self._node.create_timer(0.03, self._publish_joy)

    def _on_control(self, message: ControlSource) -> None:
        self.control = message

    def _publish_joy(self) -> None:
        if self.pad is not None:
            axes, buttons = self.pad.joy()
            self._joy.publish(Joy(axes=list(axes), buttons=list(buttons)))

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for a state while the terminal is read, as its window does."""

        def seen() -> bool:
            if self.terminal is not None:
                self.terminal.read()
            return bool(condition())

        self.wait(seen, f"{what} ({self.control.source}: {self.control.reason})")

    def drives(self, source: str) -> Callable[[], bool]:
        """Whether a source is in control."""
        return lambda: bool(self.control.source == source)

    def stands(self) -> bool:
        """Whether the car stands."""
        return abs(self.speed) < 0.05

    def give_back(self) -> str:
        """Call the service; returns its text."""
        answer = self.call(Trigger, f"/{NAMESPACE}/{topics.GIVE_BACK}")
        assert answer.success, answer.message
        return str(answer.message)


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    """The README's launch, its stack at 4 m/s, and the keyboard in a second terminal."""
    plant_port, state_port = free_ports(2)
    launched = Launched(
        tmp_path_factory.mktemp("by_hand"),
        "vdsim",
        namespace=NAMESPACE,
        dashboard="off",
        plant_port=plant_port,
        state_port=state_port,
    )
    made = Road()
    try:
        made.drive(SPEED_MPS)
        made.until(lambda: made.mode == AUTONOMOUS and made.speed > 3.0, "the stack to drive")
        yield made
    finally:
        if made.terminal is not None:
            made.terminal.close()
        made.close()
        launched.end()


def test_1_the_stack_drives_and_control_source_names_it(road: Road) -> None:
    road.until(road.drives("autonomy"), "the stack in control_source")
    assert [source.name for source in road.control.sources][-1] == "autonomy"


def test_2_the_keyboard_takes_over_and_the_stack_waits(road: Road) -> None:
    road.terminal = Terminal()
    terminal = road.terminal
    road.until(lambda: "ok" in terminal.read(), "the panel")
    terminal.press("s")
    road.until(road.drives("keyboard"), "the keyboard to drive")
    terminal.press(" ")
    road.until(road.stands, "space to stop the car")
    road.until(lambda: "waits for give_back" in road.control.reason, "the stack to wait")


def test_3_g_gives_control_back(road: Road) -> None:
    assert road.terminal is not None
    road.terminal.press("g")
    road.until(lambda: road.drives("autonomy")() and road.speed > 3.0, "the stack to drive again")


def test_4_backspace_stops_hard_and_two_acts_lead_back(road: Road) -> None:
    assert road.terminal is not None
    road.terminal.press("\x7f")
    road.until(lambda: "emergency_stop" in road.control.active_locks, "the emergency stop")
    assert "emergency stop by keyboard_teleop" in road.control.reason
    road.until(road.stands, "the car to stand")
    assert road.give_back() == "the emergency stop is reset; give_back again lets autonomy drive"
    road.until(lambda: not road.control.active_locks, "the reset")
    assert road.stands()
    assert road.give_back() == "control is given back to autonomy"
    road.until(lambda: road.drives("autonomy")() and road.speed > 3.0, "the stack to drive again")


def test_5_the_dashboards_joy_drives(road: Road) -> None:
    road.pad = PlayedPad(load_mapping(Path(GAMEPADS) / "game_controller.yaml"))
    road.spin(1.0)
    road.pad.hold("deadman")
    road.until(road.drives("dashboard"), "the dashboard to drive")
    road.pad.steer(1.0)
    road.until(
        lambda: road.odometry is not None and road.odometry.front_wheel_angle_rad > 0.05,
        "the wheels to turn left",
    )
    road.pad = None  # the page was closed with the dead-man button held
    road.until(road.stands, "the car to stand")
    road.give_back()
    road.until(road.drives("autonomy"), "the stack to drive again")
