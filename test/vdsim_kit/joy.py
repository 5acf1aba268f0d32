"""Joy messages: recorded drives, and a pad that is held before a running system."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from vdsim_interface.extras.teleop.joystick import JoySample, TimedSample, parse_recording, replay
from vdsim_interface.ros import topics

from vdsim_kit.driving import Stack
from vdsim_kit.spinning import PATIENCE_S
from vdsim_msgs.msg import ControlSource, VehicleStateReport

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "teleop"
REPEAT_S = 0.05
DEADMAN = 4
"""The dead-man button of an Xbox pad: LB."""
HELD_S = 6.0
PadState = tuple[float, Collection[int], Mapping[int, float]]
"""How long [s], the buttons held, the axes that are not at rest."""


def load(name: str) -> tuple[TimedSample, ...]:
    """A recorded drive, with the repetitions that a joystick driver sends."""
    text = (RECORDINGS / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(replay(tuple(parse_recording(text.splitlines())), REPEAT_S))


def xbox(*states: PadState) -> tuple[TimedSample, ...]:
    """What an Xbox pad sends, in these states, one after the other."""
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
    """What was received of the state and of who is in control."""

    states: list[VehicleStateReport] = field(default_factory=list)
    control: list[ControlSource] = field(default_factory=list)


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

    def hold(
        self,
        until: Callable[[], object],
        what: str,
        buttons: Collection[int] = (),
        axes: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        """Hold the dead-man button of an Xbox pad, and these, until a condition holds.

        Where the machine stalled, the pad counted as silent: it drives again once the dead-man
        button was let go and the pedals were, too. So they are, every `HELD_S`.
        """
        end_s = time.monotonic() + PATIENCE_S
        while not self.held(until, buttons, axes):
            assert time.monotonic() < end_s, f"waited for {what}; {self._known()}"

    def held(
        self,
        until: Callable[[], object],
        buttons: Collection[int] = (),
        axes: Mapping[int, float] = MappingProxyType({}),
    ) -> bool:
        """Hold them for as long as `HELD_S`; whether the condition held meanwhile."""
        all_held = {DEADMAN, *buttons}
        released = (0.2, set[int](), {})
        return self.show(
            until, released, (0.3, {DEADMAN}, {}), (0.3, all_held, {}), (HELD_S, all_held, axes)
        )

    def show(self, until: Callable[[], object], *states: PadState) -> bool:
        """Publish these states of the pad until a condition holds; whether it did."""
        for timed in xbox(*states):
            self._publish_joy(timed)
            self.spin(REPEAT_S)
            if until():
                return True
        return False

    def _publish_joy(self, timed: TimedSample) -> None:
        message = Joy(axes=list(timed.sample.axes), buttons=list(timed.sample.buttons))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._joy.publish(message)

    def _on_state(self, message: VehicleStateReport) -> None:
        super()._on_state(message)
        self.seen.states.append(message)
