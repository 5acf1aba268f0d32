"""One node, guard and shell, one container, or one process per stage: all drive the car alike.

A smoke test of processes and topics in real time, where load can join two periods or shift a stage
by one. A test in virtual time shows that the compositions compute bit-identical packets:
src/vdsim_interface/test/nodes/test_same_packets.py.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import Any

import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start
from vdsim_kit.wire_car import Sent, WireCar

from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand

COMPOSITIONS = ("single", "guarded", "container", "processes")
SPEED_MPS = 4.0
COMMANDS: dict[str, tuple[str, Any]] = {
    "vehicle": (
        "vehicle_command",
        VehicleControlCommand(long_accel_mps2=1.0, front_wheel_angle_rad=0.3),
    ),
    "high_level": (
        "high_level_command",
        HighLevelControlCommand(velocity_mps=5.0, curvature=0.03),
    ),
}


@contextmanager
def interface(composition: str, level: str) -> Iterator[WireCar]:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port, SPEED_MPS)
    arguments = {
        "composition": composition,
        "control_command": level,
        "plant": "false",
        "auto_engage": "true",
        "plant_port": command_port,
        "state_port": state_port,
        "namespace": f"{composition}_{level}",
    }
    launch = start(
        ["ros2", "launch", "vdsim_interface", "vdsim.launch.py"]
        + [f"{name}:={value}" for name, value in arguments.items()],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield car
    finally:
        end(launch)
        car.close()


def packets_of(composition: str, level: str) -> list[Sent]:
    """The distinct packets after engaging, in order."""
    with interface(composition, level) as car:
        stack = Stack(f"/{composition}_{level}", rate_hz=100.0)
        try:
            stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
            stack.spin(1.0)  # every stage has discovered the others
            before = len(car.packets)
            stack.command(*COMMANDS[level])
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
            stack.spin(1.5)
        finally:
            stack.close()
        different: list[Sent] = []
        for packet in car.packets[before:]:
            if not different or packet != different[-1]:
                different.append(packet)
        return different


def test_every_composition_closes_the_same_loops() -> None:
    """The loops of HighLevel answer to the moments of the reports: alike, not equal."""
    seen = {composition: packets_of(composition, "high_level") for composition in COMPOSITIONS}
    expected = seen["single"]
    assert len(set(expected)) > 10, "the command is approached step by step"
    for composition in COMPOSITIONS[1:]:
        last = seen[composition][-1]
        assert last.steer_rad == pytest.approx(expected[-1].steer_rad, abs=0.02), composition
        assert last.throttle == pytest.approx(expected[-1].throttle, abs=0.05), composition
        assert max(packet.brake for packet in seen[composition]) == 0.0, composition


def test_every_composition_sends_the_same_packets() -> None:
    seen = {composition: packets_of(composition, "vehicle") for composition in COMPOSITIONS}
    expected = seen["single"]
    assert len(set(expected)) > 10, "the command is approached step by step"
    for composition in COMPOSITIONS[1:]:
        packets = seen[composition]
        blocks = SequenceMatcher(None, expected, packets, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
        # Joined ticks skip a step of the ramp or add one between two steps.
        assert same >= 0.7 * min(len(expected), len(packets)), (
            f"{composition} differs: {packets[:20]}"
        )
        unexpected = set(packets) - set(expected)
        assert len(unexpected) <= 0.3 * len(packets), f"{composition} sends packets of its own"
