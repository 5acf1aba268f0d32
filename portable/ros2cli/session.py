"""A short-lived node for one command, and waiting with it until the graph is known.

There is no daemon that has watched the graph before: each command starts blind and learns of the
others within a few tenths of a second, through the middleware's own threads. A list is therefore
taken once the graph has stopped changing, and a named thing is waited for.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from ros2cli.names import full_node_name
from ros2cli.untyped_rclpy import Parameter, try_shutdown

T = TypeVar("T")

POLL_S = 0.02
QUIET_S = 0.4  # a graph unchanged for so long is taken as known
ALONE_S = 1.5  # so long an empty graph is given to show its first node
NAMELESS_S = 2.0  # so long topics are given to be joined by the names of their nodes
SETTLE_LIMIT_S = 5.0  # a graph that keeps changing is taken as it is
APPEAR_S = 3.0  # so long a thing that the user named may take to appear

UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"  # rmw's name for a node not yet discovered


class _Snapshot(NamedTuple):
    """The names in the graph at one moment."""

    nodes: frozenset[str]
    topics: frozenset[str]
    services: frozenset[str]


class Session:
    """The command's node and the waiting for discovery."""

    def __init__(self, node: Any, spin_time_s: float | None) -> None:
        self.node = node
        self._spin_time_s = spin_time_s
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)

    def settle(self) -> None:
        """Wait until the graph is known, or exactly the time that the user asked for."""
        if self._spin_time_s is not None:
            time.sleep(self._spin_time_s)
            return
        start = changed = time.monotonic()
        known = self._snapshot()
        while time.monotonic() - start < SETTLE_LIMIT_S:
            time.sleep(POLL_S)
            now = time.monotonic()
            seen = self._snapshot()
            if seen != known:
                known, changed = seen, now
            if now - changed > self._patience_s(known):
                return

    def wait_for(self, look: Callable[[], T | None], limit_s: float | None = None) -> T | None:
        """Return what `look` finds; None if it has found nothing when the time is over."""
        if limit_s is None:
            limit_s = self._spin_time_s or APPEAR_S
        end = time.monotonic() + limit_s
        while (found := look()) is None and time.monotonic() < end:
            time.sleep(POLL_S)
        return found

    def spin_once(self, timeout_s: float | None = None) -> None:
        """Handle the next event of the node, if one comes in time."""
        self._executor.spin_once(timeout_sec=timeout_s)

    def result_of(self, future: Any, timeout_s: float | None = None) -> Any:
        """Spin until a future is done and return its result; None when the time is over."""
        self._executor.spin_until_future_complete(future, timeout_sec=timeout_s)
        return future.result() if future.done() else None

    def _patience_s(self, known: _Snapshot) -> float:
        """Return how long this graph must stay unchanged before it is believed."""
        if known.nodes <= {self.node.get_fully_qualified_name()}:
            return ALONE_S
        return QUIET_S if self._all_ends_named(known.topics) else NAMELESS_S

    def _all_ends_named(self, topics: Iterable[str]) -> bool:
        """Tell whether the node behind every publisher and subscription is known."""
        ends = (
            end
            for topic in topics
            for look in (
                self.node.get_publishers_info_by_topic,
                self.node.get_subscriptions_info_by_topic,
            )
            for end in look(topic)
        )
        return all(end.node_name != UNKNOWN_NODE for end in ends)

    def _snapshot(self) -> _Snapshot:
        node = self.node
        return _Snapshot(
            frozenset(full_node_name(*pair) for pair in node.get_node_names_and_namespaces()),
            frozenset(name for name, _ in node.get_topic_names_and_types()),
            frozenset(name for name, _ in node.get_service_names_and_types()),
        )


@contextmanager
def open_session(args: argparse.Namespace, node_name: str | None = None) -> Iterator[Session]:
    """Start rclpy with one node, hidden unless it is named, and end both afterwards."""
    use_sim_time = getattr(args, "use_sim_time", False)
    rclpy.init(args=[])
    try:
        node: Any = Node(
            node_name or f"_ros2cli_{os.getpid()}",
            start_parameter_services=False,
            parameter_overrides=[Parameter("use_sim_time", value=True)] if use_sim_time else [],
        )
        try:
            yield Session(node, getattr(args, "spin_time", None))
        finally:
            node.destroy_node()
    finally:
        try_shutdown()
