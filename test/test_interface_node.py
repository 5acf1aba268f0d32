"""The node `vehicle_interface` by itself: levels, lifecycle, parameters, QoS."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from vdsim_kit import processes
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.node_command import ros2_about_node
from vdsim_kit.ports import free_ports
from vdsim_kit.spinning import PATIENCE_S
from vdsim_kit.wire_car import WireCar

from vdsim_msgs.msg import (
    HighLevelControlCommand,
    RawControlCommand,
    VdsState,
    VehicleControlCommand,
    VehicleStateCommand,
)

LEVELS: dict[str, tuple[str, Any]] = {
    "high_level": ("high_level_command", HighLevelControlCommand(velocity_mps=3.0)),
    "vehicle": ("vehicle_command", VehicleControlCommand(long_accel_mps2=1.0)),
    "raw": ("raw_command", RawControlCommand(throttle=400)),
}


class Running:
    """The process and its output."""

    def __init__(self, namespace: str, parameters: dict[str, object]) -> None:
        arguments = ["--ros-args", "-r", f"__ns:=/{namespace}"]
        for name, value in parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["-p", f"{name}:={text}"]
        command = ["ros2", "run", "vdsim_interface", "vehicle_interface", *arguments]
        self._process = processes.start(command)
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self.output += line

    def end(self) -> str:
        """Press Ctrl-C once; return the output."""
        if self._reader.is_alive():
            processes.press_ctrl_c(self._process)
            self._reader.join(timeout=60.0)
        processes.kill(self._process)
        self._process.wait(timeout=60.0)
        return self.output


@contextmanager
def interface(namespace: str, **parameters: object) -> Iterator[tuple[Running, Stack]]:
    values = {name.replace("__", "."): value for name, value in parameters.items()}
    with ExitStack() as open_now:
        running = Running(namespace, values)
        open_now.callback(running.end)
        stack = Stack(f"/{namespace}")
        open_now.callback(stack.close)
        yield running, stack


def ros2(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ros2", *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_each_level_drives_the_car(level: str) -> None:
    with interface(
        f"level_{level}", platform="fake", control_command=level, safety__auto_engage=True
    ) as (_, stack):
        stack.wait(lambda: stack.odometry is not None, "odometry")
        stack.command(*LEVELS[level])
        stack.wait(lambda: stack.speed > 1.5, "a car that moves")


def test_another_level_than_the_configured_one_is_told() -> None:
    with interface("other_level", platform="fake") as (running, stack):
        stack.wait(lambda: stack.odometry is not None, "odometry")
        stack.command(*LEVELS["vehicle"])
        expected = "control_command is high_level"
        stack.wait(lambda: expected in running.output, "the notice")


def test_the_vehicles_whole_packet_is_told() -> None:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port, 4.0)
    ports = {"vds1__plant_port": command_port, "vds1__listen_port": state_port}
    try:
        with interface("packet", platform="vds1", **ports) as (_, stack):
            states: list[VdsState] = []
            stack.listen(VdsState, "/packet/vds_state", states.append)
            stack.wait(lambda: len(states) > 3, "packets")
    finally:
        car.close()
    assert (states[-1].vx_mps, states[-1].wheel_radius_nominal_m) == (4.0, 0.338)
    assert states[-1].protocol_version == 3
    assert states[-1].sequence > states[0].sequence


def test_nothing_moves_before_it_is_engaged_and_change_mode_engages() -> None:
    with interface("not_engaged", platform="fake") as (_, stack):
        stack.drive(3.0)
        stack.wait(lambda: stack.odometry is not None, "odometry")
        stack.spin(1.0)
        assert stack.speed == 0.0
        stack.wait(lambda: stack.change_mode(True).success, "an accepted request")
        stack.wait(lambda: stack.speed > 1.5, "a car that moves")
        stack.request(gear=VehicleStateCommand.GEAR_DRIVE, autonomous=True)
        assert stack.change_mode(False).success
        stack.wait(lambda: stack.mode != AUTONOMOUS, "the end of autonomy")


def test_lifecycle_nothing_before_activation_and_the_last_packet_is_a_safe_one() -> None:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port, speed_mps=4.0)
    name = "/lifecycle/vehicle_interface"
    try:
        with interface(
            "lifecycle",
            platform="vds1",
            autostart=False,
            safety__auto_engage=True,
            safety__rig="driverless",
            vds1__plant_port=command_port,
            vds1__listen_port=state_port,
        ) as (_, stack):
            stack.spin(1.5)
            assert not car.packets
            for transition in ("configure", "activate"):
                done = ros2_about_node("lifecycle", "set", name, transition)
                assert done.returncode == 0, done.stdout + done.stderr
            stack.wait(lambda: bool(car.packets), "packets")
            first = car.packets[0]
            assert first.throttle == 0.0
            stack.drive(8.0)
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
            stack.wait(lambda: car.packets[-1].throttle > 0.0, "throttle")
            done = ros2_about_node("lifecycle", "set", name, "deactivate")
            assert done.returncode == 0, done.stdout + done.stderr
            stack.spin(0.5)
            last, count = car.packets[-1], len(car.packets)
            assert last.throttle == 0.0, "the last command does not drive"
            assert last.brake > 0.0
            stack.spin(0.5)
            assert len(car.packets) == count, "an inactive node sends nothing"
    finally:
        car.close()


@pytest.mark.parametrize(
    ("parameter", "error"),
    [
        ("safety.accel_max_mps2:=-1.0", "safety.accel_max_mps2=-1.0: must be >= 0.1"),
        ("safety.acel_max_mps2:=1.0", "safety.acel_max_mps2=1.0: no such parameter"),
        ("platform:=hovercraft", "platform=hovercraft: must be one of"),
        ("rate_hz:=fast", "rate_hz=fast: must be a number"),
    ],
)
def test_a_wrong_parameter_ends_with_one_line(parameter: str, error: str) -> None:
    done = ros2("run", "vdsim_interface", "vehicle_interface", "--ros-args", "-p", parameter)
    assert done.returncode == 2
    assert done.stderr.startswith(f"vehicle_interface: {error}"), done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("platform", ["fake", "morai"])
def test_a_relay_that_nothing_would_use_is_refused(platform: str) -> None:
    arguments = "faults:=true", f"platform:={platform}"
    done = ros2("launch", "vdsim_interface", "vdsim.launch.py", *arguments)
    assert done.returncode == 1
    output = done.stdout + done.stderr
    assert f"{' '.join(arguments)}: the relay is for the VDS1 link; use platform:=vds1" in output
    assert "process started" not in output


def test_a_port_that_is_taken_ends_with_one_line() -> None:
    command_port, state_port = free_ports(2)
    other = WireCar(state_port, command_port, 0.0)
    try:
        ports = [f"vds1.plant_port:={command_port}", f"vds1.listen_port:={state_port}"]
        arguments = [part for port in ports for part in ("-p", port)]
        done = ros2(
            "run", "vdsim_interface", "vehicle_interface", "--ros-args", "-p", "platform:=vds1",
            *arguments,
        )  # fmt: skip
        assert done.returncode == 2
        assert f"UDP 127.0.0.1:{state_port} is taken" in done.stderr
    finally:
        other.close()


def test_a_publisher_with_a_qos_that_does_not_fit_is_named() -> None:
    with interface("qos", platform="fake") as (running, stack):
        stack.wait(lambda: stack.odometry is not None, "odometry")
        context = rclpy.Context()
        rclpy.init(context=context)
        node = rclpy.create_node("best_effort_publisher", context=context)
        node.create_publisher(
            HighLevelControlCommand,
            "/qos/high_level_command",
            QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT),
        )
        expected = "high_level_command: a publisher offers an incompatible QoS"
        stack.wait(lambda: expected in running.output, "the notice")
        node.destroy_node()
        context.try_shutdown()


NOBODY = ": nobody publishes there; is it running?\n"


def explained(namespace: str) -> subprocess.CompletedProcess[str]:
    topic = f"/{namespace}/command_trace"
    return ros2("run", "vdsim_interface", "vdsim_explain", "--topic", topic, "--seconds", "0.2")


def explained_once_discovered(namespace: str) -> subprocess.CompletedProcess[str]:
    """Discovery takes what it takes: the command itself waits five seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while (done := explained(namespace)).stderr.endswith(NOBODY):
        assert time.monotonic() < deadline, done.stderr
    return done


def test_explain_waits_until_it_hears_the_running_interface() -> None:
    with interface("explained", platform="fake") as (_, stack):
        stack.wait(lambda: stack.safety is not None, "the interface")
        done = explained_once_discovered("explained")
    assert done.returncode == 0, done.stderr
    assert "MANUAL: no command of level high_level has come" in done.stdout


def test_explain_says_whether_nobody_publishes_or_somebody_is_silent() -> None:
    unpublished = explained("nobody")
    assert unpublished.returncode == 2
    assert unpublished.stderr.endswith(NOBODY)
    with interface("inactive", platform="fake", autostart=False):
        # Configured, it has its topics; before it is active no period publishes a trace.
        done = ros2_about_node("lifecycle", "set", "/inactive/vehicle_interface", "configure")
        assert done.returncode == 0, done.stdout + done.stderr
        idle = explained_once_discovered("inactive")
    assert idle.returncode == 2
    assert idle.stderr.endswith(": its publisher is silent: inactive, or its time stands still\n")
