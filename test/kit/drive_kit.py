"""Replays recorded Joy messages to a running system and writes down what the car does."""

from __future__ import annotations

import itertools
import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from vdsim_interface.nodes import topics
from vdsim_interface.teleop.joystick import JoySample
from vdsim_interface.teleop.recording import TimedSample, parse_recording, replay

from vdsim_msgs.msg import ControlSource, VehicleOdometry, VehicleStateReport

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "teleop"
REPEAT_S = 0.05
STANDSTILL_MPS = 0.1


def load(name: str) -> tuple[TimedSample, ...]:
    """A recorded drive, with the repetitions that a joystick driver sends."""
    text = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(replay(tuple(parse_recording(text.splitlines())), REPEAT_S))


def xbox(*states: tuple[float, set[int], dict[int, float]]) -> tuple[TimedSample, ...]:
    """States of an Xbox pad: how long [s], the buttons held, the axes that are off their rest."""
    samples, time_s = [], 0.0
    for duration_s, held, moved in states:
        axes = tuple(moved.get(i, 1.0 if i in (2, 5) else 0.0) for i in range(8))
        sample = JoySample(axes, tuple(int(i in held) for i in range(11)))
        for _ in range(round(duration_s / REPEAT_S)):
            samples.append(TimedSample(time_s, sample))
            time_s += REPEAT_S
    return tuple(samples)


def free_ports(count: int) -> list[int]:
    """UDP ports of the loopback that the kernel says are free."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


@dataclass
class Seen:
    """What was heard, each with the time of its arrival [s]."""

    speeds: list[tuple[float, float]] = field(default_factory=list)
    angles_rad: list[float] = field(default_factory=list)
    states: list[tuple[float, VehicleStateReport]] = field(default_factory=list)
    control: list[ControlSource] = field(default_factory=list)

    @property
    def speed(self) -> float:
        """The last speed; NaN before the first."""
        return self.speeds[-1][1] if self.speeds else float("nan")

    @property
    def state(self) -> VehicleStateReport | None:
        """The last state report."""
        return self.states[-1][1] if self.states else None

    def distance_m(self, since_s: float) -> float:
        """Way travelled since a time."""
        part = [item for item in self.speeds if item[0] >= since_s]
        return sum(abs(a[1] + b[1]) / 2.0 * (b[0] - a[0]) for a, b in itertools.pairwise(part))

    def sequence(self, name: str) -> list[int]:
        """The values that a field of the state report went through."""
        values = [int(getattr(report, name)) for _, report in self.states]
        return [v for i, v in enumerate(values) if i == 0 or v != values[i - 1]]


class DriveWatch:
    """A node that plays Joy and listens. Give it the domain of the system under test."""

    def __init__(self, domain_id: int, namespace: str = "vehicle") -> None:
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain_id)
        self.node = rclpy.create_node("drive_watch", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.seen = Seen()
        self._joy = self.node.create_publisher(Joy, topics.JOY, QoSProfile(depth=10))
        self._who = self.node.create_publisher(String, topics.JOY_DEVICE, topics.REPORT_QOS)
        listen = self.node.create_subscription
        listen(VehicleOdometry, topics.ODOMETRY, self._on_odometry, topics.SENSOR_QOS)
        listen(VehicleStateReport, topics.STATE_REPORT, self._on_state, topics.REPORT_QOS)
        listen(ControlSource, topics.CONTROL_SOURCE, self._on_control, topics.REPORT_QOS)

    def close(self) -> None:
        """End the node."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    @property
    def heard(self) -> bool:
        """True when somebody listens to Joy."""
        return bool(self._joy.get_subscription_count() > 0)

    def plug(self, name: str) -> None:
        """Say which joystick is here; an empty name: it was unplugged."""
        self._who.publish(String(data=name))

    def wait(self, condition: Any, timeout_s: float, what: str) -> None:
        """Listen until something is true."""
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, f"not within {timeout_s:g} s: {what}"
            self.executor.spin_once(timeout_sec=0.05)

    def listen_for(self, duration_s: float) -> None:
        """Listen for a while."""
        end = time.monotonic() + duration_s
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def play(self, samples: tuple[TimedSample, ...]) -> float:
        """Publish a recording in its own time; gives the time of the last message."""
        start = time.monotonic()
        for timed in samples:
            while time.monotonic() < start + timed.time_s:
                self.executor.spin_once(
                    timeout_sec=max(0.0, start + timed.time_s - time.monotonic())
                )
            self.publish(timed)
        return time.monotonic()

    def publish(self, timed: TimedSample) -> None:
        """One Joy message."""
        axes, buttons = list(timed.sample.axes), list(timed.sample.buttons)
        message = Joy(axes=axes, buttons=buttons)
        message.header.stamp = self.node.get_clock().now().to_msg()
        self._joy.publish(message)

    def _on_odometry(self, message: VehicleOdometry) -> None:
        self.seen.speeds.append((time.monotonic(), message.velocity_mps))
        self.seen.angles_rad.append(message.front_wheel_angle_rad)

    def _on_state(self, message: VehicleStateReport) -> None:
        self.seen.states.append((time.monotonic(), message))

    def _on_control(self, message: ControlSource) -> None:
        self.seen.control.append(message)
