"""Autoware's emergency_cmd as a topic; its message is of a package that need not be there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rclpy.node import Node
from vdsim_interface.ros.topics import STOP_QOS

from vdsim_autoware.adapter.ros import topics as names


def subscribe_to_emergency(node: Node, on_emergency: Callable[[bool], None]) -> None:
    """Subscribe; a warning where the message is not installed."""
    try:
        kind = import_module("tier4_vehicle_msgs.msg").VehicleEmergencyStamped
    except (ModuleNotFoundError, AttributeError):
        node.get_logger().warning(f"{names.EMERGENCY} is not heard: it needs tier4_vehicle_msgs")
        return

    node.create_subscription(kind, names.EMERGENCY, lambda m: on_emergency(m.emergency), STOP_QOS)
