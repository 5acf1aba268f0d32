"""The node of the launch itself, through which its actions reach services and topics.

rclpy is imported when the first node is created: it takes 0.1 s, and most launches need none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

from launch.actions import RegisterEventHandler
from launch.event_handlers import OnShutdown

from launch import LaunchContext

_KEY = "launch_ros_adapter"


class RosAdapter:
    """A node that spins in its own thread; what it receives is passed to the launch's loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from ros2cli import udp_ports

        self._loop = loop
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        with udp_ports.reserved():
            self.node: Any = rclpy.create_node(f"launch_ros_{os.getpid()}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        from rclpy.executors import ExternalShutdownException

        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def in_loop(self, function: Callable[..., None]) -> Callable[..., None]:
        """Return a callback for the node's thread that calls ``function`` in the launch's loop."""

        def call(*args: Any) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(function, *args)

        return call

    def close(self) -> None:
        """End the thread and the node."""
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()
        self._context.shutdown()


def ros_adapter(context: LaunchContext) -> RosAdapter:
    """Return the adapter of this launch; the first call creates it, the shutdown closes it."""
    known: RosAdapter | None = context.get_locals_as_dict().get(_KEY)
    if known is not None:
        return known
    assert context.asyncio_loop is not None
    adapter = RosAdapter(context.asyncio_loop)
    context.extend_globals({_KEY: adapter})

    def close(event: Any, context: LaunchContext) -> None:
        context.extend_globals({_KEY: None})
        adapter.close()

    RegisterEventHandler(OnShutdown(on_shutdown=close, handle_once=True)).execute(context)
    return adapter
