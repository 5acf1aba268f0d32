"""Nothing outlives its launch, however that one ends: each process of ours ends in order."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import PATIENCE_S, Launched, is_alive
from vdsim_kit.ports import free_ports, is_free
from vdsim_kit.wire_car import WireCar

from vdsim_msgs.msg import VehicleControlCommand

PATIENT_CAR = Path(__file__).parent / "data/patient_car.yaml"
GO = VehicleControlCommand(long_accel_mps2=1.0, front_wheel_angle_rad=0.1)
_PR_SET_CHILD_SUBREAPER = 36


@contextlib.contextmanager
def parent_of_orphans() -> Iterator[None]:
    """Be the parent of every process below this one that loses its own: to see its exit code."""
    libc = ctypes.CDLL(None)
    assert libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def exit_code(pid: int) -> int | None:
    """Wait for the end of a process; None when its launch has taken the exit code."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:  # its launch still lives
            if not is_alive(pid):
                return None
        else:
            if found:
                return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    raise AssertionError(f"process {pid} outlives its launch")


def codes_after(launch: Launched, number: int) -> dict[str, int | None]:
    """End the process of the launch alone; return how each of the others ends, by name."""
    with parent_of_orphans():
        latest = {name: pids[-1] for name, pids in launch.pids().items()}
        os.kill(launch.process.pid, number)
        launch.process.wait(PATIENCE_S)
        return {name: exit_code(pid) for name, pid in latest.items()}


@pytest.mark.parametrize(
    ("composition", "number"),
    [
        ("single", signal.SIGKILL),
        ("guarded", signal.SIGKILL),
        ("guarded", signal.SIGTERM),
        ("container", signal.SIGHUP),
        ("processes", signal.SIGKILL),
    ],
)
def test_the_last_packet_is_a_safe_command(
    composition: str, number: signal.Signals, tmp_path: Path
) -> None:
    command_port, state_port = free_ports(2)
    namespace = f"gone_{composition}_{number.name}"
    launch = Launched(
        tmp_path, "vdsim", plant="false", composition=composition, namespace=namespace,
        plant_port=command_port, state_port=state_port, control_command="vehicle",
        auto_engage="true", rig="driverless", car_params_file=PATIENT_CAR,
    )  # fmt: skip
    car = WireCar(command_port, state_port, 4.0)
    stack = Stack(f"/{namespace}", rate_hz=50.0)
    try:
        stack.command("vehicle_command", GO)
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy")
        stack.wait(lambda: car.packets[-1].throttle > 0.0, "throttle")
        codes = codes_after(launch, number)
        assert is_free(state_port)
    finally:
        launch.end()
        stack.close()
        car.close()
    assert len(codes) == {"guarded": 2, "processes": 3}.get(composition, 1)
    allowed = {0} if number == signal.SIGKILL else {0, None}
    assert set(codes.values()) <= allowed, codes
    last = car.packets[-1]
    assert last.throttle == 0.0
    assert last.brake > 0.0


def test_every_process_and_a_restarted_one_end(tmp_path: Path) -> None:
    names = ("plant_port", "state_port", "relay_command_port", "relay_state_port",
             "relay_control_port")  # fmt: skip
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    launch = Launched(
        tmp_path, "vdsim", namespace="gone_all", dashboard="off", teleop="gamepad", faults="true",
        **ports,
    )  # fmt: skip
    try:
        launch.wait(lambda: "vehicle link up" in launch.output, "the link")
        os.kill(launch.pids()["vehicle_interface"][0], signal.SIGKILL)
        launch.wait(lambda: len(launch.pids()["vehicle_interface"]) == 2, "the restart")
        launch.wait(lambda: launch.output.count("vehicle link up") == 2, "the link")
        codes = codes_after(launch, signal.SIGKILL)
    finally:
        launch.end()
    assert codes.keys() >= {"plant", "vehicle_interface", "vdsim_chaos", "link_faults"}
    assert codes.keys() >= {"gamepad_teleop", "joy_device"}
    assert set(codes.values()) == {0}, codes
    assert all(is_free(port) for port in ports.values())
