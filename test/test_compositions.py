"""One node, guard and shell, one container, or one process per stage: all drive the car alike.

A smoke test of processes and topics in real time, where load joins periods and shifts stages: it
asserts what does not depend on when a period runs. A test in virtual time shows that the
compositions compute bit-identical packets: src/vdsim_interface/test/nodes/test_same_packets.py.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start
from vdsim_kit.wire_car import Sent, WireCar

from vdsim_msgs.msg import HighLevelControlCommand

CAR = Path(__file__).parent / "data/patient_car.yaml"
COMPOSITIONS = ("single", "guarded", "container", "processes")
SPEED_MPS = 4.0
PERIOD_S = 0.01
STEER_STEP_RAD = 0.8 * PERIOD_S
"""What safety.steer_rate_max_radps allows in a period at this speed."""
AT_REST_N = 100
"""So many packets without a change: the limits and loops are at their ends."""
COMMAND = HighLevelControlCommand(velocity_mps=5.0, curvature=0.03)


@contextmanager
def interface(composition: str) -> Iterator[WireCar]:
    command_port, state_port = free_ports(2)
    car = WireCar(command_port, state_port, SPEED_MPS)
    arguments = {
        "composition": composition,
        "control_command": "high_level",
        "plant": "false",
        "auto_engage": "true",
        "plant_port": command_port,
        "state_port": state_port,
        "namespace": f"alike_{composition}",
        "car_params_file": str(CAR),
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


def packets_of(composition: str) -> list[Sent]:
    """The distinct packets from engaging until they have come to rest, in order."""
    with interface(composition) as car:
        stack = Stack(f"/alike_{composition}", rate_hz=100.0)
        try:
            stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the car")
            stack.spin(1.0)  # every stage has discovered the others
            before = len(car.packets)
            stack.command("high_level_command", COMMAND)
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
            drives = len(car.packets)
            stack.wait(lambda: at_rest(car.packets[drives:]), "packets that no longer change")
            assert stack.mode == AUTONOMOUS, stack.safety
        finally:
            stack.close()
        different: list[Sent] = []
        for packet in car.packets[before:]:
            if not different or packet != different[-1]:
                different.append(packet)
        return different


def at_rest(packets: list[Sent]) -> bool:
    """Whether the command has gone through every limit, and the loops to their ends."""
    latest = packets[-AT_REST_N:]
    if len(latest) < AT_REST_N:
        return False
    return all(
        max(values) - min(values) < 1e-4
        for values in zip(*((e.steer_rad, e.throttle, e.brake) for e in latest), strict=True)
    )


def test_every_composition_closes_the_same_loops() -> None:
    """The loops of HighLevel answer to the moments of the reports: the same end, another way."""
    seen = {composition: packets_of(composition) for composition in COMPOSITIONS}
    expected = seen["single"]
    for composition, packets in seen.items():
        assert len(set(packets)) > 10, f"{composition}: the command is approached step by step"
        steps = [abs(after.steer_rad - before.steer_rad) for before, after in pairwise(packets)]
        assert max(steps) <= STEER_STEP_RAD + 2e-6, f"{composition}: a packet beyond the rate"
        assert max(packet.brake for packet in packets) == 0.0, composition
        last = packets[-1]
        assert last.steer_rad == pytest.approx(expected[-1].steer_rad, abs=1e-4), composition
        assert last.throttle == pytest.approx(expected[-1].throttle, abs=1e-4), composition
