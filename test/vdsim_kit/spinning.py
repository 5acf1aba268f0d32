"""A node in its own context, spun by the test's thread while it waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from vdsim_kit.launched import describe_running

PATIENCE_S = 180.0
"""A car makes no way while a busy machine lets its commands go stale, and rightly."""
KNOWN_S = 0.3
"""From the client's discovery of a server to the server's of the client."""


class SpinningNode:
    """Base of the nodes that publish and subscribe in a test."""

    def __init__(self, name: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._clients: dict[str, Any] = {}

    @property
    def node(self) -> Any:
        """Who looks at the graph."""
        return self._node

    def wait(self, until: Callable[[], bool], what: str, limit_s: float = PATIENCE_S) -> None:
        """Spin until a condition holds; otherwise fail with the latest messages."""
        deadline = time.monotonic() + limit_s
        while not until():
            if time.monotonic() >= deadline:
                raise AssertionError(f"waited for {what}; {self._known()}\n{describe_running()}")
            self._executor.spin_once(timeout_sec=0.05)

    def shows(self, check: Callable[[], None], what: str, limit_s: float = PATIENCE_S) -> None:
        """Spin until the assertions of a function hold together, on the latest messages.

        For what a stall of the machine interrupts for a moment: a fail-safe, a brake.
        """
        failed: list[AssertionError] = []

        def holds() -> bool:
            try:
                check()
            except AssertionError as error:
                failed[:] = [error]
                return False
            return True

        try:
            self.wait(holds, what, limit_s)
        except AssertionError as error:
            raise error from (failed[0] if failed else None)

    def spin(self, duration_s: float) -> None:
        """Spin for a while."""
        deadline = time.monotonic() + duration_s
        while time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.02)

    def listen(self, kind: Any, topic: str, on_message: Callable[[Any], None]) -> None:
        """Subscribe to a topic with any publisher's QoS."""
        best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._node.create_subscription(kind, topic, on_message, best_effort)

    def latched(self, kind: Any, topic: str) -> Any:
        """Subscribe late; return the message that a latched topic keeps."""
        qos = QoSProfile(
            depth=1,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        received: list[Any] = []
        late = self._node.create_subscription(kind, topic, received.append, qos)
        self.wait(lambda: bool(received), f"the latched {topic}")
        self._node.destroy_subscription(late)
        return received[-1]

    def ask(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service, and do not wait for its response."""
        return self._client(kind, name).call_async(kind.Request(**fields))

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service and wait for its response."""
        future = self.ask(kind, name, **fields)
        self.wait(future.done, f"an answer of {name}")
        return future.result()

    def _client(self, kind: Any, name: str) -> Any:
        """Return the one client of a service, once its server knows it.

        Nothing tells when it does, and what it answers before is lost.
        """
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self._node.create_client(kind, name)
        if not client.service_is_ready():
            self.wait(client.service_is_ready, f"the service {name}")
            self.spin(KNOWN_S)
        return client

    def close(self) -> None:
        """Destroy the node and its context."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _known(self) -> str:
        """The latest messages, for the text of a failure."""
        return ""
