"""Timers that a step of the machine's clock does not hold up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node


def every(node: Node, period_s: float, callback: Callable[[], None]) -> Any:
    """A timer on the steady clock, or on simulated time where the node follows that.

    rclpy's own default is the system's clock: set back by a minute, it would give no tick, and so
    no command and no fail-safe, for that minute.
    """
    if not follows_simulation(node):
        return every_real(node, period_s, callback)
    return node.create_timer(period_s, callback, clock=node.get_clock())


def every_real(node: Node, period_s: float, callback: Callable[[], None]) -> Any:
    """A timer on the steady clock, also while simulated time stands still."""
    return node.create_timer(period_s, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


def follows_simulation(node: Node) -> bool:
    """Whether the node's time comes from /clock."""
    return bool(node.get_parameter("use_sim_time").value)
