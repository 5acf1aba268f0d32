"""Timers that a step of the system clock does not delay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node


def every(node: Node, period_s: float, callback: Callable[[], None]) -> Any:
    """A timer on the steady clock, or on simulated time where the node uses that.

    rclpy's default is the system clock: set back by a minute, it would cause no tick, and so no
    command and no fail-safe, for that minute.
    """
    if not uses_simulated_time(node):
        return every_real(node, period_s, callback)
    return node.create_timer(period_s, callback, clock=node.get_clock())


def every_real(node: Node, period_s: float, callback: Callable[[], None]) -> Any:
    """A timer on the steady clock, also while simulated time does not advance."""
    return node.create_timer(period_s, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


def uses_simulated_time(node: Node) -> bool:
    """Whether the node's time comes from /clock."""
    return bool(node.get_parameter("use_sim_time").value)
