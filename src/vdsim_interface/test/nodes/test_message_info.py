"""A callback receives the stamp of its message from every executor that node_main may use."""

from __future__ import annotations

import time
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future
from std_msgs.msg import Bool
from vdsim_interface.ros.messages.message_info import sent_ago_s, with_info
from vdsim_interface.ros.node_main import _events_executor
from vdsim_interface_kit.teleop_ros import Lab

PATIENCE_S = 60.0


@pytest.mark.parametrize("make", [SingleThreadedExecutor, _events_executor])
def test_the_stamp_of_a_message_comes_with_it(make: Any) -> None:
    lab = Lab()
    heard: list[tuple[Any, float]] = []
    done = Future()

    def receive(message: Any, info: Any) -> None:
        heard.append((message, sent_ago_s(info)))
        done.set_result(None)

    node = rclpy.create_node("receiver")
    node.create_subscription(Bool, "stamped", with_info(receive), 10)
    publisher = node.create_publisher(Bool, "stamped", 10)
    node.create_timer(0.05, lambda: publisher.publish(Bool(data=True)))
    executor = make()
    executor.add_node(node)
    begun_s = time.monotonic()
    executor.spin_until_future_complete(done, timeout_sec=PATIENCE_S)
    assert heard[0][0] == Bool(data=True)
    assert 0.0 < heard[0][1] < time.monotonic() - begun_s
    executor.shutdown()
    node.destroy_node()
    lab.close()


def test_a_middleware_without_stamps_makes_nothing_old() -> None:
    assert sent_ago_s({"source_timestamp": 0}) == 0.0
