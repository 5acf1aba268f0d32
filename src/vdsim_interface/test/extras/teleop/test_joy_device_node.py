"""The node joy_device on real ROS, with a fifo that stands for /dev/input/js0."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from vdsim_interface.extras.teleop.nodes.joy_device import JoyDeviceNode
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop import js_axis, js_button
from vdsim_interface_kit.teleop_ros import Lab


class Bench:
    """A fifo, the node that reads it, and what it publishes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lab = Lab("-p", f"device:={path}", "-p", "retry_s:=0.1")
        self.lab.listen(Joy, topics.JOY, QoSProfile(depth=50))
        self.lab.listen(String, topics.JOY_DEVICE, topics.REPORT_QOS)
        self.node = self.lab.add(JoyDeviceNode())
        self.fd = -1

    def plug(self) -> None:
        if not self.path.exists():
            os.mkfifo(self.path)
        self.lab.until(self._opened, "the node opens the device")
        events = [js_axis(0, 0, init=True), js_axis(1, -32767, init=True)]
        os.write(self.fd, b"".join([*events, js_button(0, 0, init=True)]))

    def _opened(self) -> bool:
        try:
            self.fd = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            return False
        return True

    def unplug(self) -> None:
        self.path.unlink()
        os.close(self.fd)

    @property
    def joys(self) -> list[Joy]:
        return self.lab.heard[topics.JOY]

    @property
    def names(self) -> list[str]:
        return [message.data for message in self.lab.heard[topics.JOY_DEVICE]]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "js0")
    yield made
    made.lab.close()


def test_a_device_is_published_lost_and_found_again(bench: Bench) -> None:
    bench.lab.run(0.3)
    assert bench.joys == []
    bench.plug()
    bench.lab.until(lambda: bench.joys, "the first Joy")
    assert list(bench.joys[-1].axes) == [0.0, 1.0]
    assert bench.joys[-1].header.frame_id == "joy"
    os.write(bench.fd, js_axis(0, -32767) + js_button(0, 1))
    bench.lab.until(lambda: list(bench.joys[-1].buttons) == [1], "the press")
    assert bench.joys[-1].axes[0] == 1.0, "left is positive"
    bench.unplug()
    bench.lab.until(lambda: bench.names and bench.names[-1] == "", "the loss is published")
    count = len(bench.joys)
    bench.lab.run(0.5)
    assert len(bench.joys) == count, "a device that is gone says nothing"
    bench.plug()
    bench.lab.until(lambda: len(bench.joys) > count, "Joy after plugging in again")
    assert bench.names == [str(bench.path), "", str(bench.path)]


def test_auto_repeat_keeps_the_stream_alive(bench: Bench) -> None:
    bench.plug()
    bench.lab.until(lambda: bench.joys, "the first Joy")
    count = len(bench.joys)
    bench.lab.until(lambda: len(bench.joys) > count + 40, "the stream")
    stamps_s = [m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in bench.joys[count:]]
    periods_s = [after - before for before, after in pairwise(stamps_s)]
    assert median(periods_s) == pytest.approx(0.05, rel=0.3), "20 Hz while nothing moves"
