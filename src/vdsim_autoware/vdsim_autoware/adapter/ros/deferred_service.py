"""A service that answers when another service has answered.

rclpy offers a coroutine for this, which the events executor does not take, and which keeps every
other callback of the node waiting in the others. Both send a response by `Service.send_response`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

Handle = Callable[[Any, Any, Callable[[], None]], None]
"""Called with request, response and the function that sends the response, now or later."""


class _Exchange:
    """One request: its response is sent once both its header and its content are there."""

    def __init__(self, send: Callable[[Any, Any], None], response: Any) -> None:
        self._send = send
        self._response = response
        self._header: Any = None
        self._is_complete = False
        self._is_sent = False

    def complete(self) -> None:
        """The response is filled in."""
        self._is_complete = True
        self._send_if_ready()

    def on_header(self, header: Any) -> None:
        """The callback has returned."""
        self._header = header
        self._send_if_ready()

    def _send_if_ready(self) -> None:
        if self._is_complete and self._header is not None and not self._is_sent:
            self._is_sent = True
            self._send(self._response, self._header)


class DeferredService:
    """`handle(request, response, send)` fills the response in and calls `send`."""

    def __init__(self, node: Node, kind: type, name: str, handle: Handle) -> None:
        self._handle = handle
        self._exchanges: dict[int, _Exchange] = {}
        service: Any = node.create_service(kind, name, self._on_request)
        self._send = service.send_response
        service.send_response = self._on_return

    def _on_request(self, request: Any, response: Any) -> Any:
        exchange = self._exchanges[id(response)] = _Exchange(self._send, response)
        self._handle(request, response, exchange.complete)
        return response

    def _on_return(self, response: Any, header: Any) -> None:
        self._exchanges.pop(id(response)).on_header(header)
