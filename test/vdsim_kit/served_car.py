"""A server as VDSim's are, on real sockets, in a thread of the test."""

from __future__ import annotations

import socket
import threading
import time

from vdsim_kit.one_version_server import OneVersionServer

TICK_S = 0.005


class ServedCar:
    """Runs a server until it is closed. STATE goes to `state_port` and to whom the server knows."""

    def __init__(self, server: OneVersionServer, command_port: int, state_port: int | None) -> None:
        self._server = server
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", command_port))
        self._socket.settimeout(TICK_S)
        self._configured = () if state_port is None else (("127.0.0.1", state_port),)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def speed_mps(self) -> float:
        """Of the first vehicle."""
        return self._server.speeds_mps[0]

    def close(self) -> None:
        """End the thread, close the socket."""
        self._stop.set()
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        due_s = time.monotonic()
        while not self._stop.is_set():
            # Every tick is driven, also those that a busy machine has let pass.
            while time.monotonic() >= due_s:
                due_s += TICK_S
                for datagram in self._server.step(due_s, TICK_S):
                    for client in {*self._configured, *self._server.clients}:
                        self._socket.sendto(datagram, client)
            try:
                data, client = self._socket.recvfrom(2048)
            except (TimeoutError, ConnectionError):
                continue
            self._server.receive(data, time.monotonic(), client)
