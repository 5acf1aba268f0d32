"""Which nodes publish on a topic, by their full names."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import ReliabilityPolicy

from vdsim_interface.arbitration.mux_notices import UNNAMED

_UNKNOWN = "_NODE_NAME_UNKNOWN_"  # the middleware's name for a publisher outside of ROS


def publisher_names(node: Node, topic: str) -> list[str]:
    """One full name for each publisher, sorted; a node with two publishers appears twice."""
    publishers = node.get_publishers_info_by_topic(topic)
    return sorted(_full_name(info.node_namespace, info.node_name) for info in publishers)


def best_effort_publishers(node: Node, topic: str) -> str:
    """Name the best-effort publishers, which a reliable subscription does not match."""
    names = sorted(
        _full_name(info.node_namespace, info.node_name)
        for info in node.get_publishers_info_by_topic(topic)
        if info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
    )
    if not names:
        return ""
    return f" (not received: {', '.join(names)} offers BEST_EFFORT, RELIABLE is required)"


def _full_name(namespace: str, name: str) -> str:
    return UNNAMED if name in ("", _UNKNOWN) else f"{namespace.rstrip('/')}/{name}"
