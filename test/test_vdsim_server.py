"""`vdsim.launch.py plant:=false vehicle:=vdsim_ioniq5` at a server as VDSim's present one.

It reads version 5 alone, answers only whom it has accepted, and has VDSim's pedals. Virtual time
goes through every version: src/vdsim_interface/test/platforms/test_vdsim_servers.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.node_command import ros2_about_node
from vdsim_kit.one_version_server import OneVersionServer
from vdsim_kit.ports import free_ports
from vdsim_kit.processes import end, start
from vdsim_kit.served_car import ServedCar

PATIENT = Path(__file__).parent / "data/patient_car.yaml"


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    command_port, state_port = free_ports(2)
    return command_port, state_port


@pytest.fixture(scope="module")
def car(ports: tuple[int, int]) -> Iterator[ServedCar]:
    served = ServedCar(OneVersionServer(5), ports[0], None)
    yield served
    served.close()


@pytest.fixture(scope="module")
def stack(ports: tuple[int, int], car: ServedCar) -> Iterator[Stack]:
    process = start(
        [
            *("ros2", "launch", "vdsim_interface", "vdsim.launch.py", "plant:=false"),
            *("vehicle:=vdsim_ioniq5", "rig:=driverless", "auto_engage:=true", "dashboard:=off"),
            f"params_file:={PATIENT}",
            *(f"plant_port:={ports[0]}", f"state_port:={ports[1]}", "namespace:=served"),
        ]
    )
    opened = Stack("/served")
    yield opened
    opened.close()
    end(process)


def test_the_car_is_asked_engages_and_reaches_its_speed(stack: Stack, car: ServedCar) -> None:
    stack.drive(4.0)
    stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
    stack.wait(lambda: abs(car.speed_mps - 4.0) < 0.2, "4 m/s")
    stack.wait(lambda: abs(stack.speed - 4.0) < 0.2, "4 m/s in the odometry")


def test_its_pedal_map_is_that_of_the_argument(stack: Stack) -> None:
    stack.wait(lambda: stack.safety is not None, "the interface")
    done = ros2_about_node("param", "get", "/served/vehicle_interface", "vds1.pedal_map")
    assert "vdsim_ioniq5" in done.stdout, done.stdout + done.stderr


def test_it_stops_and_stands(stack: Stack, car: ServedCar) -> None:
    stack.drive(0.0)
    stack.wait(lambda: abs(car.speed_mps) < 0.02, "a car that stands")
