"""Nodes under test and a probe on one private ROS domain, spun by the test's own thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

KEPT_N = 1000
"""Messages that wait for the probe, however long the machine keeps it from spinning."""


class Lab:
    """Everything of one test: nodes, a probe, the messages it received."""

    def __init__(self, *arguments: str) -> None:
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        rclpy.init(args=["--ros-args", *arguments])
        self.executor = SingleThreadedExecutor()
        self.probe = rclpy.create_node("probe")
        self.nodes: list[Node] = [self.probe]
        self.executor.add_node(self.probe)
        self.heard: dict[str, list[Any]] = {}

    def add(self, node: Node) -> Node:
        """Add a node under test."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def listen(self, kind: type, topic: str, qos: QoSProfile) -> None:
        """Store every message of a topic. `qos`: its publisher's, whatever depth it has."""
        self.heard[topic] = []
        every = QoSProfile(depth=KEPT_N, reliability=qos.reliability, durability=qos.durability)
        self.probe.create_subscription(kind, topic, self.heard[topic].append, every)

    def publisher(self, kind: type, topic: str, qos: QoSProfile) -> Any:
        """A publisher of the probe, once it has a subscriber."""
        made = self.probe.create_publisher(kind, topic, qos)
        self.until(lambda: made.get_subscription_count() > 0, f"a subscriber of {topic}")
        return made

    def run(self, duration_s: float) -> None:
        """Spin for a while."""
        end = time.monotonic() + duration_s
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.01)

    def until(self, condition: Callable[[], object], what: str, timeout_s: float = 180.0) -> None:
        """Spin until something is true."""
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, f"not within {timeout_s:g} s: {what}"
            self.executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        """End all nodes."""
        for node in reversed(self.nodes):
            end = getattr(node, "end", None)
            if end is not None:
                end()
        self.executor.shutdown()
        for node in reversed(self.nodes):
            node.destroy_node()
        rclpy.try_shutdown()
