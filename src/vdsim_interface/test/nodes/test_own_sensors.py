"""Sensors that a platform of one's own declares are published by the node that has the platform."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Range
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.ros_time import SimulatedTime
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.sensors.declaration import SensorError
from vdsim_interface_kit.documented_platform import write_documented_platform
from vdsim_interface_kit.teleop_ros import Lab

REPORT = dict.fromkeys(("v", "steer", "accel", "x", "y", "yaw"), 0.0)
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class Car:
    """A node on the documented platform, in virtual time, and the car that sends to it."""

    def __init__(self, kind: type[StageNode], folder: Path) -> None:
        given = ("platform:=my_car", f"platform_path:={folder}", "my_car.listen_port:=0")
        self.lab = Lab(*(word for each in given for word in ("-p", each)))
        self.now = 1000.0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.node: Any = self.lab.add(kind())
            self.node.now = lambda: self.now
            self.node.ros_time = SimulatedTime()
            self.node.start()
        except Exception:
            self.close()
            raise

    def report(self, **more: Any) -> None:
        """Send a report, 10 ms after the one before."""
        self.now += 0.01
        data = json.dumps({**REPORT, "t": self.now, "gear": "D", **more}).encode()
        [address] = self.node.vehicle_port.sockets.bound().values()
        self._socket.sendto(data, address)
        self.node.poll(self.now)

    def lines(self) -> dict[str, DiagnosticStatus]:
        """The lines of /diagnostics about sensors, by their name."""
        found = self.node.vehicle_port.sensors.diagnostics(self.now)
        return {line.name.partition("sensor ")[2]: line for line in found}

    def close(self) -> None:
        """End the node."""
        self.lab.close()
        self._socket.close()


@pytest.fixture(params=[VehicleInterface, PlatformInterfaceNode], ids=lambda kind: kind.__name__)
def car(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Car]:
    write_documented_platform(tmp_path)
    made = Car(request.param, tmp_path)
    yield made
    made.close()


def test_a_declared_sensor_is_published_at_its_rate(car: Car) -> None:
    car.lab.listen(Range, "sensors/rear_range", BEST_EFFORT)
    heard = car.lab.heard["sensors/rear_range"]
    publishers = car.node.vehicle_port.sensors

    def is_connected() -> bool:
        publishers.update_subscribers()
        return any(each.subscribers_n for each in publishers._outputs)

    car.lab.until(is_connected, "a subscriber")
    sent: list[Range] = []
    [output] = [each for each in publishers._outputs if each.feed.sensor.name == "rear_range"]
    publish = output._publisher.publish
    output._publisher.publish = lambda message: (sent.append(message), publish(message))
    for _ in range(100):
        car.report(ultrasonic=1.5)
    assert len(sent) == 10, "10 Hz of the 100 Hz of reports"
    assert sent[-1].range == pytest.approx(1.5)
    assert sent[-1].header.frame_id == "rear_ultrasonic"
    assert sent[-1].header.stamp.sec in (1000, 1001)
    car.lab.until(lambda: heard, "a reading on the topic")


def test_without_a_subscriber_nothing_is_read(car: Car) -> None:
    publishers = car.node.vehicle_port.sensors
    read: list[object] = []
    for output in publishers._outputs:
        output.feed.take = lambda report, now: read.append(report)
    car.report(ultrasonic=1.5)
    assert read == []


def test_diagnostics_name_the_reason_of_what_is_discarded(car: Car) -> None:
    car.report(ultrasonic=1.5, radar=[[20.0, 0.0, 1.0]])
    lines = car.lines()
    assert lines["rear_range"].message == "nobody subscribes"
    assert lines["rear_range"].level == DiagnosticStatus.OK
    car.report(ultrasonic=float("nan"), radar=[[20.0, 0.0]])
    lines = car.lines()
    assert lines["rear_range"].message == "discarded: range=nan: must be finite"
    assert lines["rear_range"].level == DiagnosticStatus.WARN
    assert "discarded: ValueError" in lines["front_radar"].message
    values = {pair.key: pair.value for pair in lines["front_radar"].values}
    assert values["discarded_raised"] == "1"
    assert "gnss" not in lines, "the car has no receiver"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            ('"sensor_msgs/msg/Range"', '"sensor_msgs/msg/Rang"'),
            "sensor rear_range: message=sensor_msgs/msg/Rang: must be a message type of an",
        ),
        (
            ('name="rear_range",', 'name="rear_range", topic="odometry",'),
            "sensor rear_range: topic=odometry: is a topic of the interface",
        ),
    ],
)
def test_what_only_ros_knows_ends_the_node_in_one_line(
    tmp_path: Path, change: tuple[str, str], line: str
) -> None:
    write_documented_platform(tmp_path)
    file = tmp_path / "my_car" / "sensors.py"
    file.write_text(file.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(SensorError, match=f"platform my_car: {line}"):
        Car(VehicleInterface, tmp_path)
