"""Wait until topics have delivered messages."""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor


class WaitForTopics:
    """Subscribes to topics with its own node until each has delivered a message.

    Use it as a context, which fails when a topic delivers none in time, or call ``wait()`` and
    ``shutdown()``. ``topic_tuples`` are pairs of a name and a message type; ``timeout`` is in
    seconds; the last ``messages_received_buffer_length`` messages of each topic are kept.
    """

    def __init__(
        self,
        topic_tuples: Iterable[tuple[str, Any]],
        timeout: float = 5.0,
        messages_received_buffer_length: int = 10,
    ) -> None:
        self._types = dict(topic_tuples)
        self._timeout_s = timeout
        self._received: dict[str, deque[Any]] = {
            name: deque(maxlen=messages_received_buffer_length) for name in self._types
        }
        self._changed = threading.Condition()
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node(
            f"wait_for_topics_{uuid.uuid4().hex[:8]}", context=self._context
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        for name, message_type in self._types.items():
            self._node.create_subscription(message_type, name, self._keeper(name), 10)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return

    def _keeper(self, name: str) -> Any:
        def keep(message: Any) -> None:
            with self._changed:
                self._received[name].append(message)
                self._changed.notify_all()

        return keep

    def wait(self) -> bool:
        """Return whether every topic delivers a message in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.topics_not_received(), self._timeout_s)

    def topics_received(self) -> set[str]:
        """Return the topics that have delivered a message."""
        return {name for name, messages in self._received.items() if messages}

    def topics_not_received(self) -> set[str]:
        """Return the topics that have delivered none."""
        return set(self._types) - self.topics_received()

    def received_messages(self, topic_name: str) -> list[Any]:
        """Return the last messages of a topic, the oldest first."""
        if topic_name not in self._received:
            raise KeyError(f"'{topic_name}' is none of the topics: {', '.join(self._types)}")
        with self._changed:
            return list(self._received[topic_name])

    def shutdown(self) -> None:
        """Stop receiving."""
        if not self._context.ok():
            return
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def __enter__(self) -> WaitForTopics:
        """Wait, and fail when a topic delivers no message in time."""
        if not self.wait():
            silent = ", ".join(sorted(self.topics_not_received()))
            self.shutdown()
            raise RuntimeError(f"Did not receive messages on these topics: {silent}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop receiving."""
        self.shutdown()
