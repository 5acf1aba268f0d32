"""Topics are waited for with a real node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from launch_testing_ros import WaitForTopics
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import Int32, String


@pytest.fixture
def publisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node that counts on /test_count, in a thread, until the test ends."""
    import threading

    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("counter", context=context)
    topic = node.create_publisher(Int32, "/test_count", 10)
    count = iter(range(1_000_000))
    node.create_timer(0.05, lambda: topic.publish(Int32(data=next(count))))
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    yield node
    executor.shutdown()
    thread.join()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_messages_come(publisher: Any) -> None:
    with WaitForTopics([("/test_count", Int32)], timeout=60.0) as topics:
        assert topics.topics_received() == {"/test_count"}
        assert topics.topics_not_received() == set()
        assert topics.received_messages("/test_count")[0].data >= 0
        with pytest.raises(KeyError, match="'/other' is none of the topics"):
            topics.received_messages("/other")


def test_a_silent_topic_is_named(publisher: Any) -> None:
    topics = WaitForTopics([("/test_count", Int32), ("/test_silent", String)], timeout=1.0)
    with pytest.raises(RuntimeError, match=r"on these topics: .*/test_silent"), topics:
        pass
    topics.shutdown()
