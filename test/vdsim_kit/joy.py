"""Recorded Joy messages played to a running system, and the car's motion meanwhile."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from pathlib import Path

from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from vdsim_interface.extras.teleop.joystick import JoySample, TimedSample, parse_recording, replay
from vdsim_interface.ros import topics

from vdsim_kit.driving import Stack
from vdsim_msgs.msg import ControlSource, VehicleOdometry, VehicleStateReport

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "teleop"
REPEAT_S = 0.05


def load(name: str) -> tuple[TimedSample, ...]:
    """A recorded drive, with the repetitions that a joystick driver sends."""
    text = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(replay(tuple(parse_recording(text.splitlines())), REPEAT_S))


def xbox(*states: tuple[float, set[int], dict[int, float]]) -> tuple[TimedSample, ...]:
    """States of an Xbox pad: how long [s], the buttons held, the axes that are not at rest."""
    samples, time_s = [], 0.0
    for duration_s, held, moved in states:
        axes = tuple(moved.get(i, 1.0 if i in (2, 5) else 0.0) for i in range(8))
        sample = JoySample(axes, tuple(int(i in held) for i in range(11)))
        for _ in range(round(duration_s / REPEAT_S)):
            samples.append(TimedSample(time_s, sample))
            time_s += REPEAT_S
    return tuple(samples)


@dataclass
class Received:
    """Everything received; speeds [m/s] with their time of receipt [s]."""

    speeds: list[tuple[float, float]] = field(default_factory=list)
    angles_rad: list[float] = field(default_factory=list)
    states: list[VehicleStateReport] = field(default_factory=list)
    control: list[ControlSource] = field(default_factory=list)

    def distance_m(self, since_s: float) -> float:
        """Distance travelled since a time."""
        part = [item for item in self.speeds if item[0] >= since_s]
        return sum(abs(a[1] + b[1]) / 2.0 * (b[0] - a[0]) for a, b in itertools.pairwise(part))

    def sequence(self, name: str) -> list[int]:
        """The successive values of a field of the state report."""
        values = [int(getattr(report, name)) for report in self.states]
        return [v for i, v in enumerate(values) if i == 0 or v != values[i - 1]]


class JoyStack(Stack):
    """A driving stack that publishes Joy and keeps everything that it receives."""

    def __init__(self, namespace: str = "/vehicle") -> None:
        self.seen = Received()
        super().__init__(namespace)
        publisher = self._node.create_publisher
        self._joy = publisher(Joy, f"{namespace}/{topics.JOY}", QoSProfile(depth=10))
        self._who = publisher(String, f"{namespace}/{topics.JOY_DEVICE}", topics.REPORT_QOS)
        self._node.create_subscription(
            ControlSource,
            f"{namespace}/{topics.CONTROL_SOURCE}",
            self.seen.control.append,
            topics.REPORT_QOS,
        )

    @property
    def joy_is_matched(self) -> bool:
        """Whether Joy has a subscriber."""
        return bool(self._joy.get_subscription_count() > 0)

    def plug(self, name: str) -> None:
        """Publish the name of the joystick; empty when it is unplugged."""
        self._who.publish(String(data=name))

    def play(self, samples: tuple[TimedSample, ...]) -> float:
        """Publish a recording at its own times; returns the time of the last message."""
        start = time.monotonic()
        for timed in samples:
            self.spin(start + timed.time_s - time.monotonic())
            self._publish_joy(timed)
        return time.monotonic()

    def _publish_joy(self, timed: TimedSample) -> None:
        message = Joy(axes=list(timed.sample.axes), buttons=list(timed.sample.buttons))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._joy.publish(message)

    def _on_odometry(self, message: VehicleOdometry) -> None:
        super()._on_odometry(message)
        self.seen.speeds.append((self.odometry_s, message.velocity_mps))
        self.seen.angles_rad.append(message.front_wheel_angle_rad)

    def _on_state(self, message: VehicleStateReport) -> None:
        super()._on_state(message)
        self.seen.states.append(message)
