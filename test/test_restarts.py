"""The end of a process does not end the launch: it is killed, and the car drives again.

The plant's own topic is the judge: the car must come to rest while a process is missing. All of a
composition are killed at once, as a launch starts each by the same rule; what a single one's end
does to the drive is in simulate/test/test_killed_processes.py, on virtual time.
"""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from vdsim_kit.driving import AUTONOMOUS, NOT_READY, Stack
from vdsim_kit.launched import PATIENCE_S, Launched, is_alive, launch_briefly
from vdsim_kit.ports import free_ports

SPEED_MPS = 2.0
SLOW_MPS = 0.3
CASES = {
    "single": ({"composition": "single"}, ["vehicle_interface"]),
    "guarded": ({"composition": "guarded"}, ["vehicle_guard", "guarded_interface"]),
    "container": ({"composition": "container"}, ["component_container"]),
    "processes": (
        {"composition": "processes"},
        ["velocity_controller", "low_pass_filter", "safety_state_machine", "platform_interface"],
    ),
    "teleop": (
        {"teleop": "gamepad", "joy_dev": "none", "mux": "true"},
        ["command_mux", "gamepad_teleop"],
    ),
}


class Drive:
    """A launch, a stack that drives it, and the car's true speed."""

    def __init__(self, folder: Path, name: str, arguments: dict[str, str]) -> None:
        command_port, state_port = free_ports(2)
        self.launch = Launched(
            folder,
            "vdsim",
            namespace=f"restarts_{name}",
            plant_namespace=f"restarts_{name}",
            plant_port=command_port,
            state_port=state_port,
            dashboard="off",
            auto_engage="false",
            **arguments,
        )
        self.stack = Stack(f"/restarts_{name}")
        self.speeds: list[float] = []
        self.stack.listen(Odometry, f"/restarts_{name}/plant/odom", self._on_truth)
        self.stack.drive(SPEED_MPS, source="autonomy/" if "teleop" in arguments else "")

    def _on_truth(self, message: Odometry) -> None:
        self.speeds.append(message.twist.twist.linear.x)

    def speed(self) -> float:
        return self.speeds[-1] if self.speeds else float("nan")

    def drive(self) -> None:
        """Engage whenever the car is not engaged, until it drives.

        A busy machine may lose autonomy again: by silence at rest, or when the vehicle's report is
        late in the handshake.
        """
        stack = self.stack
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the link")
        stack.wait(
            lambda: self._is_engaged() and self.speed() > 0.8 * SPEED_MPS,
            f"a car that drives; {self.text()}",
        )

    def _is_engaged(self) -> bool:
        if self.stack.mode not in (AUTONOMOUS, NOT_READY):
            self.stack.change_mode(True)
        return self.stack.mode == AUTONOMOUS

    def kill(self, names: list[str]) -> None:
        """Kill processes; wait until the car has slowed down and each of them is back.

        The launch is suspended meanwhile: a process that is back within the time of the stop would
        let the car drive on before it stands.
        """
        before = self.launch.pids()
        launch = self.launch.process.pid
        os.kill(launch, signal.SIGSTOP)
        try:
            self.speeds.clear()
            for name in names:
                os.kill(before[name][-1], signal.SIGKILL)
            self.stack.wait(lambda: min(self.speeds, default=9.0) < SLOW_MPS, "a slow car")
        finally:
            os.kill(launch, signal.SIGCONT)
        self.stack.wait(lambda: self._are_back(before, names), f"{names} again; {self.text()}")
        self.stack.safety = None  # that of a killed process, perhaps

    def _are_back(self, before: dict[str, list[int]], names: list[str]) -> bool:
        now = self.launch.pids()
        return all(len(now[name]) > len(before[name]) for name in names)

    def text(self) -> str:
        return self.launch.output[-2000:]

    def close(self) -> None:
        self.stack.close()
        self.launch.end()


@pytest.mark.parametrize("name", sorted(CASES))
def test_killed_processes_are_started_again_while_the_plant_lives(
    name: str, tmp_path: Path
) -> None:
    arguments, processes = CASES[name]
    drive = Drive(tmp_path, name, arguments)
    try:
        drive.drive()
        [plant] = drive.launch.pids()["plant"]
        drive.kill(processes)
        drive.drive()
        for process in processes:
            assert f"{process} has ended (SIGKILL) and is started again" in drive.launch.output
        assert drive.launch.pids()["plant"] == [plant]
        assert is_alive(plant)
    finally:
        drive.close()
    assert drive.launch.process.returncode == 0, drive.text()
    pids = [pid for started in drive.launch.pids().values() for pid in started]
    assert not [pid for pid in pids if is_alive(pid)]


def test_the_end_of_the_plant_is_that_of_the_launch(tmp_path: Path) -> None:
    command_port, state_port = free_ports(2)
    launch = Launched(
        tmp_path, "vdsim", plant_port=command_port, state_port=state_port, dashboard="off",
        namespace="plant_dies",
    )  # fmt: skip
    try:
        launch.wait(lambda: "vehicle link up" in launch.output, "the vehicle's reports")
        os.kill(launch.pids()["plant"][0], signal.SIGKILL)
        assert launch.process.wait(PATIENCE_S) == 1
    finally:
        launch.end()
    assert "the plant has ended: SIGKILL" in launch.output
    assert not [pid for pids in launch.pids().values() for pid in pids if is_alive(pid)]


@pytest.mark.parametrize("end", ["plant", "interface"])
def test_a_node_that_dies_at_its_start_ends_the_launch_with_an_error(end: str) -> None:
    """What no check can see: a port that is taken."""
    command_port, state_port = free_ports(2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind(("127.0.0.1", command_port if end == "plant" else state_port))
        done = launch_briefly(
            "vdsim",
            *(f"plant_port:={command_port}", f"state_port:={state_port}", "dashboard:=off"),
            f"namespace:=taken_{end}",
        )
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert "is taken" in output
    assert "has ended: exit code" in output
