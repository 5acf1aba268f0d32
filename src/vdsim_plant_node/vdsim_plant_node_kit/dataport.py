"""A real server with its data port open, and a plain HTTP client for it."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from vdsim_plant_node.dataport.joy import JoyOutput
from vdsim_plant_node.dataport.service import DataPort, DataPortSocket, listening_socket
from vdsim_plant_node.interface.state import InterfaceOutput
from vdsim_plant_node.settings.http_address import HttpAddress
from vdsim_plant_node.settings.options import server_settings

from vdsim_plant_node_kit.runtime import LiveServer

LIMIT_S = 60.0
_ANSWER_LIMIT_S = 180.0
"""An answer may wait for a compiler, on a busy machine."""


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        text: str = self.json["error"]
        return text


class LivePort:
    """A running server and its data port."""

    def __init__(self, live: LiveServer, port: DataPort, lines: list[str]) -> None:
        self.live = live
        self.data_port = port
        self.lines = lines
        self.number = int(port.url.rstrip("/").rpartition(":")[2])

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request on a connection of its own; header names with _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.number, timeout=_ANSWER_LIMIT_S)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, **headers)

    def post(self, path: str, content: Any, **headers: str) -> Answer:
        return self.request("POST", path, json.dumps(content).encode(), **headers)

    def drive_until(self, condition: Callable[[Any], bool], **command: Any) -> Any:
        """Post an io command at 50 Hz until an answer satisfies the condition."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            answer = self._io(command)
            if condition(answer):
                return answer
            time.sleep(0.02)
        raise AssertionError(f"not within {LIMIT_S} s: {answer}")

    def watch_until(self, condition: Callable[[Any], bool], vehicle: int = 0) -> Any:
        """Ask for the state without commanding until it satisfies the condition."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            answer = self._io({"vehicle": vehicle})
            if condition(answer):
                return answer
            time.sleep(0.02)
        raise AssertionError(f"not within {LIMIT_S} s: {answer}")

    def post_when_allowed(self, path: str, content: Any) -> Any:
        """The answer to a request, asked again while other clients use up the rate."""
        end = time.monotonic() + LIMIT_S
        while (answer := self.post(path, content)).status == 429 and time.monotonic() < end:
            time.sleep(0.02)
        assert answer.status == 200, answer.body
        return answer.json

    def _io(self, command: dict[str, Any]) -> Any:
        return self.post_when_allowed("/api/io", command)

    def wait_until_no_stream_is_open(self) -> None:
        """Return when the server has noticed that every listener has gone."""
        end = time.monotonic() + LIMIT_S
        while "vdsim_http_streams 0\n" not in (text := self.get("/metrics").body.decode()):
            assert time.monotonic() < end, text
            time.sleep(0.02)

    @contextmanager
    def stream(self, query: str = "") -> Iterator[Iterator[tuple[str, Any]]]:
        """The events of a stream, as (name, content)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.number, timeout=LIMIT_S)
        try:
            connection.request("GET", f"/api/stream{query}")
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            assert answer.getheader("Content-Type") == "text/event-stream"
            yield _events(answer)
            answer.close()
        finally:
            connection.close()


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    name = ""
    while line := answer.readline():
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)
            name = ""  # a name is for one event


@contextmanager
def live_port(
    token: str | None = None,
    *,
    can_pause: bool = True,
    joy: JoyOutput | None = None,
    interface: InterfaceOutput | None = None,
    number: int = 0,
    **options: Any,
) -> Iterator[LivePort]:
    """A server on free ports with its data port open, by default on a free one too."""
    given = {"cmd_port": 0, "state_port": 0, **options}
    with LiveServer(server_settings(given)) as live:
        lines: list[str] = []
        address = HttpAddress(port=number, token=token)
        claimed = DataPortSocket(address, listening_socket(address))
        port = DataPort(
            live.server,
            claimed,
            can_pause=can_pause,
            joy=joy,
            interface=interface,
            log=lines.append,
        )
        try:
            yield LivePort(live, port, lines)
        finally:
            port.close()
        assert lines == [], "the data port had nothing to complain about"
