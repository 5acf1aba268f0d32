"""Guard and shell as processes: what each does when the other ends, freezes or comes back.

A car that reports 4 m/s whatever it receives keeps every packet, so that each can be checked.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from vdsim_kit.driving import AUTONOMOUS, DISENGAGED, Stack
from vdsim_kit.guarded import GuardedProcesses
from vdsim_kit.interface_processes import GUARD, PATIENT, modules_of
from vdsim_kit.node_command import ros2_about_node
from vdsim_kit.wire_car import Sent, WireCar

from vdsim_msgs.msg import VehicleControlCommand

PATIENCE_S = 180.0
GO = VehicleControlCommand(long_accel_mps2=1.0, front_wheel_angle_rad=0.1)
HOLD = VehicleControlCommand()


def wait_for(holds: Callable[[], bool], what: str) -> None:
    """Wait for a fact that another process makes true."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"waited for {what}"
        time.sleep(0.01)


class Drive:
    """Both processes, a car and a stack that drives it."""

    def __init__(self, processes: GuardedProcesses, car: WireCar, stack: Stack) -> None:
        self.processes, self.car, self.stack = processes, car, stack

    def engage(self) -> None:
        """Drive until packets with throttle leave."""
        self.stack.command("vehicle_command", GO)
        self.stack.wait(lambda: self.stack.mode == AUTONOMOUS, "autonomy")
        self.stack.wait(lambda: self.last.throttle > 0.0, "throttle")

    def holds(self) -> bool:
        """Whether the stack holds the car at rest, by a brake that no longer changes."""
        brakes = {packet.brake for packet in self.car.packets[-20:]}
        return (
            self.stack.mode == AUTONOMOUS
            and self.stack.speed == 0.0
            and len(brakes) == 1
            and min(brakes) > 0.0
        )

    @property
    def last(self) -> Sent:
        """The latest packet."""
        return self.car.packets[-1]

    def new_packets(self, count: int) -> list[Sent]:
        """Packets that come from now on."""
        before_n = len(self.car.packets)
        wait_for(lambda: len(self.car.packets) >= before_n + count, f"{count} packets")
        return self.car.packets[before_n:]

    def brakes(self) -> bool:
        """Whether the guard brakes now."""
        return all(packet.brake > 0.0 for packet in self.new_packets(20))


@contextmanager
def driving(namespace: str, **parameters: object) -> Iterator[Drive]:
    with GuardedProcesses(namespace, **parameters) as processes:
        car = WireCar(processes.command_port, processes.state_port, 4.0)
        stack = Stack(f"/{namespace}", rate_hz=100.0)
        try:
            stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
            drive = Drive(processes, car, stack)
            drive.engage()
            yield drive
        finally:
            stack.close()
            car.close()


def test_the_guard_has_no_ros() -> None:
    with driving("guard_without_ros") as drive:
        libraries = modules_of(drive.processes.guard)
        assert "librcl" not in libraries
        assert "fastrtps" not in libraries
        assert "librcl" in modules_of(drive.processes.shell)  # the test sees what it looks for


def test_ros_cannot_be_imported_in_the_guard() -> None:
    code = "from vdsim_interface.guard import vehicle_guard as g; g.forbid_ros(); import rclpy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: import of rclpy halted" in done.stderr


def test_a_killed_shell_is_stopped_for_and_its_successor_engages_again() -> None:
    with driving("guard_kill_shell") as drive:
        drive.processes.shell.kill()
        drive.processes.shell.wait()
        wait_for(drive.brakes, "the guard's stop")
        held_rad = {round(packet.steer_rad, 3) for packet in drive.new_packets(50)}
        assert len(held_rad) == 1, "the steering is held"
        drive.stack.fall_silent()
        drive.processes.start_shell()
        drive.stack.wait(lambda: drive.stack.mode == DISENGAGED, "the shell's report")
        assert drive.stack.safety is not None
        assert "ROS shell has ended" in drive.stack.safety.last_disengage_reason
        assert drive.brakes()
        drive.engage()


def test_a_frozen_shell_is_a_stale_command() -> None:
    with driving("guard_stop_shell") as drive:
        drive.processes.shell.send_signal(signal.SIGSTOP)
        wait_for(drive.brakes, "the guard's stop")
        drive.processes.shell.send_signal(signal.SIGCONT)
        drive.stack.wait(
            lambda: bool(
                drive.stack.safety
                and "ROS shell does not send" in drive.stack.safety.last_disengage_reason
            ),
            "the reason",
        )


def test_a_killed_guard_is_reported_and_its_successor_is_set_up_by_the_shell() -> None:
    with driving("guard_kill_guard") as drive:
        drive.processes.guard.kill()
        drive.processes.guard.wait()
        drive.stack.wait(lambda: drive.stack.mode == DISENGAGED, "the shell's report")
        drive.stack.fall_silent()
        drive.processes.start_guard()
        wait_for(drive.brakes, "the new guard's stop")
        drive.engage()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_last_packet_of_a_guard_that_ends_brakes(number: signal.Signals) -> None:
    with driving(f"guard_end_{number.name.lower()}") as drive:
        drive.processes.guard.send_signal(number)
        assert drive.processes.guard.wait(PATIENCE_S) == 0
        wait_for(lambda: drive.last.brake > 0.1, "the last packet")
        drive.car.close()  # with the packets that were not read yet
        assert drive.last.brake > 0.1
        assert drive.last.throttle == 0.0
        assert not drive.processes.socket.exists()
        wait_for(lambda: "the guard has ended" in drive.processes.log(), "the shell's line")
        # A machine that stalled before may have made it complain of the vehicle's reports.
        said, end, after = drive.processes.log().partition("the guard has ended")
        assert "[ERROR]" not in said.rpartition("\n")[2] + end + after


def test_a_parameter_reaches_the_guard_and_a_wrong_one_is_refused() -> None:
    with driving("guard_parameters") as drive:
        node = "/guard_parameters/vehicle_interface"
        hold = "safety.standstill_hold_mps2"
        drive.stack.wait(
            # A machine that stalls ends autonomy, and then a change is allowed.
            lambda: (
                "disengage first; it cannot change in mode AUTONOMOUS"
                in _set_parameter(node, hold, "6.0")
            ),
            "the refusal of a change in autonomy",
        )
        drive.stack.command("vehicle_command", HOLD)
        drive.car.drive_at(0.0)
        drive.stack.wait(drive.holds, "the brake that holds")
        weaker = drive.last.brake
        assert drive.stack.change_mode(False).success
        drive.stack.wait(
            lambda: "successful" in _set_parameter(node, hold, "6.0"), "the accepted change"
        )
        drive.stack.command("vehicle_command", GO)
        drive.stack.wait(lambda: drive.stack.change_mode(True).success, "an accepted request")
        drive.engage()
        drive.stack.command("vehicle_command", HOLD)
        drive.stack.wait(lambda: drive.holds() and drive.last.brake > 1.2 * weaker, "more brake")
        refused = _set_parameter(node, "rate_hz", "50.0")
        assert "cannot change while the node is active" in refused


def _set_parameter(node: str, name: str, value: str) -> str:
    done = ros2_about_node("param", "set", node, name, value)
    return done.stdout + done.stderr


def test_a_refused_real_time_class_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from vdsim_interface.guard import realtime

    def refuse(*arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.sched_setscheduler", refuse)
    line = realtime.use_fifo(20)
    assert line.startswith("guard.fifo_priority=20: refused: Operation not permitted")
    assert "\n" not in line


# ---- the socket ----------------------------------------------------------------------------------


@contextmanager
def guard_alone(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", GUARD, "--socket", str(path)], stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def test_a_socket_belongs_to_one_guard_and_outlives_a_killed_one(tmp_path: Path) -> None:
    path = tmp_path / "run" / "guard.sock"
    with guard_alone(path) as first:
        wait_for(path.exists, "the socket")
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        second = subprocess.run(
            [sys.executable, "-m", GUARD, "--socket", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 2
        expected = f"vehicle_guard: guard.socket={path}: another guard listens there\n"
        assert second.stderr == expected
        first.kill()
        first.wait()
        assert path.exists()
        with guard_alone(path):
            wait_for(lambda: _answers(path), "the next guard")


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        return probe.connect_ex(str(path)) == 0


def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    done = subprocess.run(
        [sys.executable, "-m", GUARD, "--socket", str(folder / "guard.sock")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "its folder must be yours, with mode 700" in done.stderr


def test_a_second_shell_is_refused_while_the_first_sends() -> None:
    with driving("guard_second_shell", **PATIENT) as drive:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
            stranger.connect(str(drive.processes.socket))
            stranger.settimeout(PATIENCE_S)
            assert stranger.recv(100) == b""
        assert "a second ROS shell was refused" in drive.processes.log()
        before_n = len(drive.car.packets)
        drive.stack.wait(  # it has published no command since the stranger came
            lambda: (
                len(drive.car.packets) >= before_n + 20
                and all(packet.throttle > 0.0 for packet in drive.car.packets[-20:])
            ),
            "throttle as before",
        )
        assert drive.stack.safety is not None
        assert drive.stack.safety.last_disengage_reason == ""
