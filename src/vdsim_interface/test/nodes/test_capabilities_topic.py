"""What is real is published with the first report, and again when the vehicle's wire changes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from sensor_msgs.msg import Imu
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.messages.imu import imu_message
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.sensors.standard import UNKNOWN_VARIANCE
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_kit.wire_car import state_at

from vdsim_msgs.msg import Capabilities, Capability
from vdsim_protocol import vds1

PARAMETERS = (
    *("platform:=vds1", "vds1.listen_port:=0"),
    *("output.origin_latitude_deg:=37.5", "output.origin_longitude_deg:=127.0"),
)


class Link:
    """A node with VDS1, in virtual time, and a car that may send any version."""

    def __init__(self, kind: type[StageNode]) -> None:
        self.lab = Lab(*(word for each in PARAMETERS for word in ("-p", each)))
        self.now = 1000.0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.node: Any = self.lab.add(kind())
        self.node.now = lambda: self.now
        self.node.ros_time = SimulatedTime()
        self.node.start()
        self.published: list[Capabilities] = []
        self.node.vehicle_port._capabilities._publisher.publish = self.published.append

    def send(self, version: int, count: int = 3) -> None:
        """Send STATE packets of a new sender, after a silence."""
        sender = vds1.Sender(version)
        [address] = self.node.vehicle_port.sockets.bound().values()
        self.now += 1.0
        for _ in range(count):
            self.now += 0.01
            self._socket.sendto(sender.state(state_at(3.0), self.now), address)
            self.node.poll(self.now)

    def close(self) -> None:
        """End the node."""
        self.lab.close()
        self._socket.close()


@pytest.fixture(params=[VehicleInterface, PlatformInterfaceNode], ids=lambda kind: kind.__name__)
def link(request: pytest.FixtureRequest) -> Iterator[Link]:
    made = Link(request.param)
    yield made
    made.close()


def sources(message: Capabilities) -> dict[str, int]:
    entries = (*message.states, *message.sensors)
    return {item.name: item.source for item in entries}


def test_nothing_is_claimed_of_a_vehicle_that_has_not_reported(link: Link) -> None:
    link.node.tick(link.now)
    assert link.published == []
    assert link.node.vehicle_port._capabilities.diagnostics() == []


def test_a_change_of_the_wires_version_is_published_once(link: Link) -> None:
    link.send(1)
    [first] = link.published
    assert (first.platform, first.wire) == ("vds1", "VDS1 version 1")
    assert sources(first)["gnss"] == Capability.ABSENT
    assert {item.topic for item in first.sensors if item.name == "gnss"} == {""}
    link.send(5)
    assert len(link.published) == 2
    assert link.published[1].wire == "VDS1 version 5"
    assert sources(link.published[1])["gnss"] == Capability.VEHICLE
    assert sources(link.published[1])["pedals"] == Capability.VEHICLE
    [line] = link.node.vehicle_port._capabilities.diagnostics()
    assert line.message.startswith("VDS1 version 5; modelled: command.blinker, ")


def test_diagnostics_have_no_line_for_what_the_version_lacks(link: Link) -> None:
    def lines() -> set[str]:
        found = link.node.vehicle_port.sensors.diagnostics(link.now)
        return {line.name.partition("sensor ")[2] for line in found}

    link.send(1)
    assert lines() == {"wheel_speeds", "vds_state", "tyres"}
    link.send(2)
    assert lines() == {"gnss", "wheel_speeds", "vds_state", "tyres"}


def test_a_fix_is_placed_at_the_origin_of_the_parameters(link: Link) -> None:
    link.send(3)
    outputs = link.node.vehicle_port.sensors._outputs
    [gnss] = [each for each in outputs if each.feed.sensor.name == "gnss"]
    fixes: list[Any] = []
    gnss._publisher.publish = fixes.append
    gnss.publish(link.node.vehicle_port.sensors._published, link.now)
    assert (fixes[0].latitude, fixes[0].longitude) == pytest.approx((37.5, 127.0))


def test_the_imu_follows_the_version(link: Link) -> None:
    link.send(3)
    publisher = link.node.vehicle_port.vehicle
    sent: list[Imu] = []
    publisher._imu.publish = sent.append
    publisher._subscribed["imu"] = True
    link.node.tick(link.now)
    # The rates of roll and pitch are exactly 0: nobody has computed them.
    assert sent[-1].angular_velocity_covariance[0] == UNKNOWN_VARIANCE
    assert sent[-1].angular_velocity_covariance[8] == pytest.approx(2.5e-5)
    assert sent[-1].linear_acceleration_covariance[8] == UNKNOWN_VARIANCE
    assert sent[-1].linear_acceleration.z == pytest.approx(9.80665)


def test_tilt_rates_that_the_vehicle_computes_are_measured(link: Link) -> None:
    link.send(3)
    report = link.node.vehicle_port.sensors._published._replace(pitch_rate_radps=0.01)
    known = [2.5e-5, 0.0, 0.0, 0.0, 2.5e-5, 0.0, 0.0, 0.0, 2.5e-5]
    message = imu_message(report, "imu", ([0.0] * 9, known, [0.0] * 9))
    assert list(message.angular_velocity_covariance) == known


def test_a_vertical_acceleration_is_added_to_gravity(link: Link) -> None:
    link.send(3)
    report = link.node.vehicle_port.sensors._published
    lifted = report._replace(sensors=report.sensors._replace(accel_z_mps2=0.5))
    message = imu_message(lifted, "imu", ([0.0] * 9,) * 3)
    assert message.linear_acceleration.z == pytest.approx(10.30665)


def test_a_packet_function_that_raises_leaves_the_other_sensors(link: Link) -> None:
    """As in the shell of a guard: the details come from the datagram."""

    def fails(datagram: bytes) -> object:
        raise ValueError("no packet of mine")

    link.send(3)
    sensors = link.node.vehicle_port.sensors
    sensors._packet = fails
    report = sensors._published._replace(details=None)
    sensors._wanted = list(sensors._outputs)
    messages: dict[str, list[Any]] = {}
    for output in sensors._outputs:
        kept = messages[output.feed.sensor.name] = []
        output._publisher.publish = kept.append
    sensors.publish(report, b"datagram")
    assert len(messages["wheel_speeds"]) == 1
    assert messages["tyres"] == []
    last = list(sensors.diagnostics(link.now))[-1]
    assert last.name.endswith("sensor packet")
    assert last.message == "not decoded: ValueError: no packet of mine"
