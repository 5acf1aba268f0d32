"""keyboard_teleop as its users run it: in a real terminal (tmux), driven by real keys."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.tools import has_tool

from vdsim_msgs.msg import (
    HighLevelControlCommand,
    SafetyStatus,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)

COMMAND = "keyboard/high_level_command"
STATE = "keyboard/state_command"
PROGRAM = "from vdsim_interface.extras.teleop.nodes.keyboard_teleop import main; main()"


class Terminal:
    """A terminal of its own, with the program running in it."""

    def __init__(self, folder: Path) -> None:
        self.pid_file = folder / "pid"
        self._tmux = ["tmux", "-S", str(folder / "tmux.sock"), "-f", "/dev/null"]
        wanted = dict(os.environ)
        wanted["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        keep = ("PATH", "PYTHON", "LD_", "AMENT", "ROS", "_ROS", "RMW", "FAST", "HOME")
        settings = [f"{name}={value}" for name, value in wanted.items() if name.startswith(keep)]
        program = shlex.join(["env", *settings, sys.executable, "-c", PROGRAM])
        command = f"echo $$ > {shlex.quote(str(self.pid_file))}; exec {program}"
        self.tmux("new-session", "-d", "-s", "drive", "-x", "100", "-y", "30", command)

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "drive", *keys)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", "drive")

    def close_window(self) -> None:
        self.tmux("kill-session", "-t", "drive")

    @property
    def running(self) -> bool:
        return Path(f"/proc/{int(self.pid_file.read_text())}").exists()

    def close(self) -> None:
        self.tmux("kill-server")


class Seat:
    """The terminal, and a car that applies each command at once."""

    def __init__(self, folder: Path) -> None:
        self.lab = Lab()
        self.lab.listen(HighLevelControlCommand, COMMAND, topics.COMMAND_QOS)
        self.lab.listen(VehicleStateCommand, STATE, topics.STATE_COMMAND_QOS)
        probe = self.lab.probe
        self._odometry = probe.create_publisher(VehicleOdometry, topics.ODOMETRY, topics.SENSOR_QOS)
        self._report = probe.create_publisher(
            VehicleStateReport, topics.STATE_REPORT, topics.REPORT_QOS
        )
        self._safety = probe.create_publisher(SafetyStatus, topics.SAFETY_STATUS, topics.REPORT_QOS)
        probe.create_timer(0.05, self._speak)
        self.terminal = Terminal(folder)
        self.lab.until(lambda: "gear  DRIVE" in self.terminal.screen(), "the panel", 60.0)

    def _speak(self) -> None:
        self._odometry.publish(VehicleOdometry(velocity_mps=self.speed))
        self._report.publish(VehicleStateReport(mode=VehicleStateReport.MODE_AUTONOMOUS))
        self._safety.publish(
            SafetyStatus(vehicle_link_ok=True, last_refusal_reason="PARK refused: the car moves")
        )

    @property
    def speed(self) -> float:
        heard = self.lab.heard[COMMAND]
        return float(heard[-1].velocity_mps) if heard else 0.0

    def close(self) -> None:
        self.terminal.close()
        self.lab.until(lambda: not self.terminal.running, "the end of the program", 60.0)
        self.lab.close()


if has_tool("tmux"):

    @pytest.fixture
    def seat(tmp_path: Path) -> Iterator[Seat]:
        made = Seat(tmp_path)
        yield made
        made.close()

    def drive(seat: Seat) -> None:
        seat.terminal.press("w", "w", "w")
        seat.lab.until(lambda: seat.speed > 2.0, "the car to move")

    def test_keys_drive_and_the_panel_shows_it(seat: Seat) -> None:
        drive(seat)
        seat.terminal.press("a")
        seat.lab.until(lambda: seat.lab.heard[COMMAND][-1].curvature > 0.0, "steering left")
        words = ("state driving", "mode  AUTONOMOUS", "link  ok", "PARK refused")
        shown = ""

        def is_whole() -> bool:
            """A screen is also taken while it is drawn, and before every report has come."""
            nonlocal shown
            shown = seat.terminal.screen()
            return all(each in shown for each in words)

        seat.lab.until(is_whole, "the panel")
        assert "[INFO]" not in shown, "log lines would spoil the panel"
        seat.terminal.press("h")
        seat.lab.until(lambda: seat.lab.heard[STATE], "the hazard lamps")
        hazard = VehicleStateCommand.BLINKER_HAZARD
        assert seat.lab.heard[STATE][-1].blinker == hazard

    def test_space_stops(seat: Seat) -> None:
        drive(seat)
        seat.terminal.press("Space")
        seat.lab.until(lambda: seat.speed == 0.0, "the stop")
        seat.lab.until(lambda: "space was pressed" in seat.terminal.screen(), "the reason")

    @pytest.mark.parametrize("leave", ["q", "C-c"])
    def test_leaving_stops_the_car_before_the_program_ends(seat: Seat, leave: str) -> None:
        drive(seat)
        seat.terminal.press(leave)
        seat.lab.until(lambda: seat.speed == 0.0, "the stop")
        seat.lab.until(lambda: not seat.terminal.running, "the end of the program")

    def test_a_closed_window_stops_the_car(seat: Seat) -> None:
        drive(seat)
        count = len(seat.lab.heard[COMMAND])
        seat.terminal.close_window()
        seat.lab.until(lambda: seat.speed == 0.0, "the stop")
        assert len(seat.lab.heard[COMMAND]) > count + 10, "a stop is a stream of commands"
        seat.lab.until(lambda: not seat.terminal.running, "the end of the program")

    def test_no_key_stops_the_car(seat: Seat) -> None:
        began = time.monotonic()  # of the last key or a little earlier, however slow the machine
        drive(seat)
        seat.lab.until(lambda: seat.speed == 0.0, "the stop")
        assert time.monotonic() - began > 3.0
        seat.lab.until(lambda: "no key for 5 s" in seat.terminal.screen(), "the reason")


def test_without_a_terminal_it_says_so() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )
    assert done.returncode == 2
    assert done.stderr == "keyboard_teleop: needs a terminal; start it in a terminal of its own\n"
