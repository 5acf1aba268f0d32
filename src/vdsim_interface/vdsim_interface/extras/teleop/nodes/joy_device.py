"""ROS node joy_device: a Linux joystick -> sensor_msgs/Joy, and its name on `joy/device`.

One thread waits for the device and publishes the core's samples; the executor serves parameters.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String

from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.extras.teleop import device_io
from vdsim_interface.extras.teleop.device_search import DeviceQuery, HotPlug, protocol_of
from vdsim_interface.extras.teleop.joystick import JoySample, Joystick, JoystickParameters
from vdsim_interface.extras.teleop.linux_input import DeviceLayout
from vdsim_interface.ros import topics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode

_IDLE_WAIT_S = 1.0


class JoyDeviceNode(CheckedNode, Node):
    """Publishes one joystick; after a disconnect it searches again."""

    def __init__(self) -> None:
        super().__init__("joy_device")
        self._settings = declare(self, JoystickParameters())
        seal(self)
        self._query = DeviceQuery(self._settings.device)
        self._plug = HotPlug(self._settings.retry_s)
        self._joy = self.create_publisher(Joy, topics.JOY, QoSProfile(depth=10))
        self._name = self.create_publisher(String, topics.JOY_DEVICE, topics.REPORT_QOS)
        self._fd: int | None = None
        self._stick: Joystick | None = None
        self._wake_read, self._wake_write = os.pipe()
        self._ending = False
        self._thread = threading.Thread(target=self._work, name="joystick", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wake and join the thread, close the device."""
        self._ending = True
        os.write(self._wake_write, b"x")
        self._thread.join()
        self._close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _work(self) -> None:
        while not self._ending:
            now = time.monotonic()
            if self._stick is None and self._plug.due(now):
                self._open(now)
            if self._stick is None:
                device_io.wait(self._wake_read, self._plug.next_deadline() - now)
            else:
                self._serve(self._stick, now)

    def _open(self, now: float) -> None:
        nodes = () if self._query.is_path else device_io.list_devices()
        path = self._query.choose(nodes)
        if path is None:
            self._on_failure(self._query.missing(nodes), now)
            return
        protocol = protocol_of(path, self._settings.protocol)
        try:
            self._fd = device_io.open_device(path)
            layout = device_io.describe(self._fd, protocol, DeviceLayout(path))
        except OSError as error:
            self._close()
            self._on_failure(device_io.why_not_open(path, error), now)
            return
        self._stick = Joystick(protocol, layout, self._settings, now)
        self._plug.opened()
        self.get_logger().info(f"{path}: {layout.name}")
        self._name.publish(String(data=layout.name))

    def _serve(self, stick: Joystick, now: float) -> None:
        assert self._fd is not None, "samples come from an open device"
        sample = stick.poll(now)
        if sample is not None:
            self._publish(sample)
        timeout_s = min(stick.next_deadline() - now, _IDLE_WAIT_S)
        data = device_io.read_device(self._fd, timeout_s, self._wake_read)
        if data is None:
            self._on_disconnect(stick)
            return
        stick.on_bytes(data, time.monotonic())
        if stick.needs_resync:
            stick.resync(*device_io.read_whole_state(self._fd, stick.layout), time.monotonic())

    def _on_disconnect(self, stick: Joystick) -> None:
        self.get_logger().error(f"{stick.layout.name} was disconnected")
        self._name.publish(String(data=""))
        self._stick = None
        self._close()
        self._plug.lost(time.monotonic())

    def _publish(self, sample: JoySample) -> None:
        message = Joy(axes=list(sample.axes), buttons=list(sample.buttons))
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = self._settings.frame_id
        self._joy.publish(message)

    def _on_failure(self, why: str, now: float) -> None:
        text = self._plug.failed(why, now)
        if text is not None:
            self.get_logger().warning(f"{text}; trying again every {self._settings.retry_s:g} s")

    def _close(self) -> None:
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.close(self._fd)
            self._fd = None


def main() -> None:
    """Console entry."""
    sys.exit(run("joy_device", lambda: [JoyDeviceNode()]))
