"""One node, one container, or a process a stage, as launched: all drive the car alike.

A smoke test of processes and topics on a machine's own time, where a busy moment joins two periods
or shifts a stage by one. That the compositions compute the same, to the last bit, is shown in
virtual time: src/vdsim_interface/test/nodes/test_same_packets.py.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import Any

import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.ports import free_ports
from vdsim_kit.wire_car import Sent, WireCar

from vdsim_msgs.msg import HighLevelControlCommand, VehicleControlCommand

COMPOSITIONS = ("single", "container", "processes")
SPEED_MPS = 4.0
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


def packets(composition: str, level: str) -> list[Sent]:
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
        different: list[Sent] = []
        for packet in car.packets[before:]:
            if not different or packet != different[-1]:
                different.append(packet)
        return different


@pytest.mark.parametrize("level", sorted(COMMANDS))
def test_every_composition_drives_alike(level: str) -> None:
    seen = {composition: packets(composition, level) for composition in COMPOSITIONS}
    wanted = seen["single"]
    assert len(set(wanted)) > 10, "the command is approached step by step"
    for composition in COMPOSITIONS[1:]:
        found = seen[composition]
        blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
        # Where ticks were joined a step of the ramp is left out, or one between is there.
        assert same >= 0.7 * min(len(wanted), len(found)), f"{composition} differs: {found[:20]}"
        strange = set(found) - set(wanted)
        assert len(strange) <= 0.3 * len(found), f"{composition} sends packets of its own"
