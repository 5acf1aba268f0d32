"""The checks of `ros2 doctor` that need rclpy: the middleware and the running graph."""

from __future__ import annotations

import argparse
from itertools import product

from rclpy import get_rmw_implementation_identifier
from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible

from ros2cli import graph
from ros2cli.doctor_checks import Section
from ros2cli.session import open_session

OWN_TOPICS = ("/rosout", "/parameter_events")  # every node has them


def middleware() -> Section:
    """Name the middleware in use."""
    return Section("RMW MIDDLEWARE", (("middleware name", get_rmw_implementation_identifier()),))


def running_graph(args: argparse.Namespace) -> list[Section]:
    """Describe the topics and check the QoS of publishers against subscriptions."""
    with open_session(args) as session:
        session.settle()
        node = session.node
        topics = [name for name, _ in graph.topics(node) if name not in OWN_TOPICS]
        counts = tuple(
            (name, f"{node.count_publishers(name)} pub, {node.count_subscribers(name)} sub")
            for name in topics
        )
        conflicts = tuple(line for name in topics for line in _qos_conflicts(node, name))
        nodes = graph.node_names(node)
    return [
        Section("NODES", tuple((str(i), name) for i, name in enumerate(nodes, start=1))),
        Section("TOPICS", counts),
        Section("QOS COMPATIBILITY", (("conflicts", str(len(conflicts))),), conflicts),
    ]


def _qos_conflicts(node: Node, topic: str) -> list[str]:
    """Return a line for each pair of publisher and subscription with incompatible QoS."""
    pairs = product(
        node.get_publishers_info_by_topic(topic), node.get_subscriptions_info_by_topic(topic)
    )
    conflicts = []
    for publisher, subscription in pairs:
        result, reason = qos_check_compatible(publisher.qos_profile, subscription.qos_profile)
        if result == QoSCompatibility.ERROR:
            ends = f"{publisher.node_name} -> {subscription.node_name}"
            conflicts.append(f"{topic}, {ends}: {reason.strip().rstrip(';')}")
    return conflicts
