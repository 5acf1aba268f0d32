"""One node, one container, or a process a stage: the same commands give the same CMD packets."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import Any

import pytest
from driving_kit import AUTONOMOUS, Stack, free_ports

from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand
from vdsim_protocol import vds1

COMPOSITIONS = ("single", "container", "processes")
SPEED_MPS = 4.0
STANDING = (0.0,) * 4
COMMANDS: dict[str, tuple[str, Any]] = {
    "vehicle": (
        "vehicle_command",
        VehicleControlCommand(long_accel_mps2=1.0, front_wheel_angle_rad=0.1),
    ),
    "high_level": (
        "high_level_command",
        HighLevelControlCommand(velocity_mps=5.0, curvature=0.03),
    ),
}


class WireCar:
    """A car that always goes straight on at one speed, so that the packets depend on us alone."""

    def __init__(self, command_port: int, state_port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", command_port))
        self._socket.settimeout(0.005)
        self._state_address = ("127.0.0.1", state_port)
        self._stop = threading.Event()
        self.packets: list[tuple[float, float, float, int, bool]] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        sender = vds1.Sender()
        state = _state()
        due_s = time.monotonic()
        while not self._stop.is_set():
            if time.monotonic() >= due_s:
                due_s += 0.005
                self._socket.sendto(sender.state(state, time.monotonic()), self._state_address)
            try:
                data = self._socket.recv(2048)
            except (TimeoutError, ConnectionError):
                continue
            packet = vds1.decode(data)
            assert isinstance(packet, vds1.Packet)
            command = packet.body
            self.packets.append(
                (
                    command.steering_tire_angle_rad,
                    command.throttle,
                    command.brake,
                    int(command.gear),
                    bool(command.handbrake),
                )
            )


def _state() -> vds1.State:
    from dataclasses import fields

    four = {"wheel_spin_radps", "tire_fz_n", "slip_ratio", "slip_angle_rad", "tire_fx_n"}
    four |= {"tire_fy_n", "susp_compression_m"}
    values: dict[str, Any] = {
        field.name: STANDING if field.name in four else 0.0 for field in fields(vds1.State)
    }
    values["vx_mps"] = SPEED_MPS
    values["wheel_radius_nominal_m"] = 0.338
    return vds1.State(**values)


@contextmanager
def interface(composition: str, level: str) -> Iterator[WireCar]:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port)
    arguments = {
        "composition": composition,
        "control_command": level,
        "plant": "false",
        "auto_engage": "true",
        "plant_port": command_port,
        "state_port": state_port,
        "namespace": f"{composition}_{level}",
    }
    launch = subprocess.Popen(
        ["ros2", "launch", "vdsim_interface", "vdsim.launch.py"]
        + [f"{name}:={value}" for name, value in arguments.items()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield car
    finally:
        launch.send_signal(signal.SIGINT)
        launch.wait(30.0)
        car.close()


def packets(composition: str, level: str) -> list[tuple[float, ...]]:
    """The different packets from engaging on, in their order."""
    with interface(composition, level) as car:
        stack = Stack(f"/{composition}_{level}", rate_hz=100.0)
        try:
            stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
            stack.spin(1.0)  # every stage has found the others
            before = len(car.packets)
            stack.command(*COMMANDS[level])
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
            stack.spin(1.5)
        finally:
            stack.close()
        different: list[tuple[float, ...]] = []
        for packet in car.packets[before:]:
            if not different or packet != different[-1]:
                different.append(packet)
        return different


@pytest.mark.parametrize("level", sorted(COMMANDS))
def test_compositions_send_the_same_packets(level: str) -> None:
    seen = {composition: packets(composition, level) for composition in COMPOSITIONS}
    wanted = seen["single"]
    assert len(set(wanted)) > 10, "the command is approached step by step"
    for composition in COMPOSITIONS[1:]:
        found = seen[composition]
        blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
        # Ticks that a busy machine joined leave out a step of the ramp; none is ever different.
        assert same >= 0.7 * min(len(wanted), len(found)), f"{composition} differs: {found[:20]}"
        strange = set(found) - set(wanted)
        assert len(strange) <= 0.3 * len(found), f"{composition} sends packets of its own"
