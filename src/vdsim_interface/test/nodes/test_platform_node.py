"""The node platform_interface, with a vehicle's socket at the other end and time of the test."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.ros.sides import safe_command_message
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    SafeCommand,
    VehicleCommand,
)
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_protocol import vds1


class Vehicle:
    """The node and its vehicle; `now` is the time of both."""

    def __init__(self, *parameters: str) -> None:
        self.plant = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.plant.bind(("127.0.0.1", 0))
        self.plant.settimeout(60.0)
        self.now = 1000.0
        port = self.plant.getsockname()[1]
        given = (f"vds1.plant_port:={port}", "vds1.listen_port:=0", *parameters)
        self.lab = Lab(*(word for each in given for word in ("-p", each)))
        self.node: Any = PlatformInterfaceNode()
        self.node.now = lambda: self.now
        self.node.ros_time = SimulatedTime()
        self.lab.add(self.node)
        self.peer = Peer()

    def start(self) -> "Vehicle":
        self.node.start()
        return self

    def report(self, velocity_mps: float) -> None:
        """A STATE packet, and the node's look at its socket."""
        [(name, address)] = self.node.vehicle_port.sockets.bound().items()
        for datagram, _ in self.peer.report(PeerMotion(velocity_mps), self.now):
            assert datagram.endpoint == name
            self.plant.sendto(datagram.data, address)
        self.node.poll(self.now)

    def told(self) -> vds1.Command:
        """The last command on the wire."""
        self.plant.setblocking(False)
        data = b""
        while True:
            try:
                data = self.plant.recv(2048)
            except BlockingIOError:
                break
        packet = vds1.decode(data)
        assert isinstance(packet, vds1.Packet)
        assert isinstance(packet.body, vds1.Command)
        return packet.body

    def command(self, gear: Gear, accel_mps2: float = 1.0) -> None:
        """The safety stage's word."""
        wanted = VehicleCommand(self.now, accel_mps2, 0.0, 0.0)
        value = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, wanted, BodyCommand(gear))
        self.node._on_safe(safe_command_message(SafeCommand(self.now, value)))

    def close(self) -> None:
        self.lab.close()
        self.plant.close()


@pytest.fixture
def reversing() -> Iterator[Vehicle]:
    vehicle = Vehicle("platform:=vds1", "vds1.initial_gear:=REVERSE")
    yield vehicle
    vehicle.close()


@pytest.mark.parametrize("velocity_mps", [0.0, 1e-4, -1e-4, -1.0])
def test_a_silent_safety_stage_is_brake_in_reverse_gear_too(
    reversing: Vehicle, velocity_mps: float
) -> None:
    reversing.start().report(velocity_mps)
    reversing.command(Gear.REVERSE, -1.0)
    reversing.node.tick(reversing.now)
    assert reversing.told().throttle > 0.0
    reversing.now += 1.0
    reversing.node.tick(reversing.now)
    told = reversing.told()
    assert (told.throttle, told.gear) == (0.0, vds1.Gear.REVERSE)
    assert told.brake > 0.1


@pytest.fixture
def driving() -> Iterator[Vehicle]:
    vehicle = Vehicle("platform:=vds1")
    yield vehicle
    vehicle.close()


def test_the_first_packet_of_a_new_activation_is_the_safe_one(driving: Vehicle) -> None:
    node = driving.start().node
    driving.report(5.0)
    driving.command(Gear.DRIVE, 2.0)
    node.tick(driving.now)
    assert driving.told().throttle > 0.0
    node.trigger_deactivate()
    driving.command(Gear.PARK, 2.0)
    assert driving.told().throttle == 0.0
    node.trigger_activate()
    driving.now += node.parameters.safety.report_timeout_s  # so long it waits for a report
    node.tick(driving.now)
    told = driving.told()
    assert (told.throttle, told.gear, told.handbrake) == (0.0, vds1.Gear.NEUTRAL, False)
    assert told.brake > 0.1
    assert node.side.mode is Mode.MANUAL
    driving.command(Gear.DRIVE, 2.0)
    node.tick(driving.now)
    assert driving.told().throttle == 0.0, "the vehicle has not reported to this activation"
    for _ in range(100):  # the stop is released by the jerk
        driving.now += 0.01
        driving.report(5.0)
        driving.command(Gear.DRIVE, 2.0)
        node.tick(driving.now)
    assert driving.told().throttle > 0.0


@pytest.mark.parametrize(
    ("parameters", "silent_s"),
    [
        (("command_timeout_s:=10.0",), 0.1),
        (("command_timeout_s:=10.0", "safety.report_timeout_s:=0.3"), 0.3),
        (("command_timeout_s:=10.0", "rate_hz:=40.0"), 0.125),
        (("command_timeout_s:=0.05",), 0.05),
    ],
)
def test_a_safety_stage_that_is_gone_is_noticed_before_a_slow_stack_would_be(
    parameters: tuple[str, ...], silent_s: float
) -> None:
    vehicle = Vehicle("platform:=vds1", *parameters)
    try:
        vehicle.start().report(5.0)
        vehicle.command(Gear.DRIVE, 1.0)
        for _ in range(2):  # the vehicle goes on to report
            vehicle.now += (silent_s - 0.001) / 2
            vehicle.report(5.0)
        vehicle.node.tick(vehicle.now)
        assert vehicle.told().throttle > 0.0
        vehicle.now += 0.002
        vehicle.node.tick(vehicle.now)
        told = vehicle.told()
        assert told.throttle == 0.0
        assert told.brake > 0.0
        for _ in range(4):  # the brake rises, and does not step
            vehicle.now += 0.025
            vehicle.report(5.0)
            vehicle.node.tick(vehicle.now)
        assert vehicle.told().brake > 0.1
    finally:
        vehicle.close()
