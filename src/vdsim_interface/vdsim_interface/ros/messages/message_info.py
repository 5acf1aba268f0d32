"""When a message was sent, as its sender's middleware has stamped it, and by whom.

rclpy passes that to a callback with two arguments; the events executor of Jazzy passes both as one
tuple, so that such a callback ends the process. `with_info` makes a callback that takes either.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from rclpy.node import Node

NANOSECONDS = 1e9
Info: TypeAlias = Mapping[str, Any]
"""`source_timestamp` and `received_timestamp` of the system clock [ns]."""


def _two(message: Any, info: Info) -> None:
    """The signature by which rclpy sees that a callback wants both."""


class with_info:  # noqa: N801 (used as a function)
    """A callback of a subscription that receives the message and its Info."""

    __signature__ = inspect.signature(_two)

    def __init__(self, callback: Callable[[Any, Info], None]) -> None:
        self._callback = callback

    def __call__(self, *received: Any) -> None:
        """Pass on (message, info), or ((message, info),)."""
        message, info = received if len(received) > 1 else received[0]
        self._callback(message, info)


def sent_ago_s(info: Info) -> float:
    """How long ago a message was sent [s]; 0 where the middleware does not say."""
    stamp_ns = info["source_timestamp"]
    return (time.time_ns() - stamp_ns) / NANOSECONDS if stamp_ns else 0.0


def sender(node: Node, topic: str) -> str:
    """Name a topic, and the node that publishes on it where there is one alone."""
    try:
        names = {end.node_name for end in node.get_publishers_info_by_topic(topic)}
    except Exception:  # a name that is no text, a graph that is gone: what was sent counts
        names = set()
    return f"{names.pop()} (topic {topic})" if len(names) == 1 else f"topic {topic}"
