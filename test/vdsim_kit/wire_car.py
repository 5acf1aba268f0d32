"""The vehicle's side of the link: a car that always drives straight on at one speed.

The packets then depend on the interface alone, and a test can check each one.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from dataclasses import fields
from typing import NamedTuple

from vdsim_protocol import vds1

STATE_PERIOD_S = 0.005
_PER_WHEEL = {
    "wheel_spin_radps",
    "tire_fz_n",
    "slip_ratio",
    "slip_angle_rad",
    "tire_fx_n",
    "tire_fy_n",
    "susp_compression_m",
}


class Sent(NamedTuple):
    """The content of a CMD packet; when it was made, by the monotonic clock of this machine."""

    made_s: float
    steer_rad: float
    throttle: float
    brake: float
    gear: int
    handbrake: bool


def state_at(speed_mps: float) -> vds1.State:
    """A STATE of a car that drives straight on."""
    values = {
        field.name: (0.0,) * 4 if field.name in _PER_WHEEL else 0.0 for field in fields(vds1.State)
    }
    values["vx_mps"] = speed_mps
    values["wheel_radius_nominal_m"] = 0.338
    return vds1.State(**values)  # type: ignore[arg-type]


class WireCar:
    """Sends STATE at 200 Hz, `delay_s` late, and keeps every CMD packet in order."""

    def __init__(self, command_port: int, state_port: int, speed_mps: float) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", command_port))
        self._socket.settimeout(STATE_PERIOD_S)
        self._state_address = ("127.0.0.1", state_port)
        self._state = state_at(speed_mps)
        self.delay_s = 0.0
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._stop = threading.Event()
        self.packets: list[Sent] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def drive_at(self, speed_mps: float) -> None:
        """Report another speed from now on."""
        self._state = state_at(speed_mps)

    def close(self) -> None:
        """End the thread, keep what has arrived and was not read yet, close the socket."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        self._socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self._keep(self._socket.recv(2048))
        self._socket.close()

    def _run(self) -> None:
        sender = vds1.Sender()
        due_s = time.monotonic()
        while not self._stop.is_set():
            now_s = time.monotonic()
            if now_s >= due_s:
                due_s = now_s + STATE_PERIOD_S
                self._waiting.append((now_s, sender.state(self._state, now_s)))
            while self._waiting and self._waiting[0][0] + self.delay_s <= now_s:
                self._socket.sendto(self._waiting.popleft()[1], self._state_address)
            try:
                data = self._socket.recv(2048)
            except (TimeoutError, ConnectionError):
                continue
            self._keep(data)

    def _keep(self, data: bytes) -> None:
        packet = vds1.decode(data)
        assert isinstance(packet, vds1.Packet), packet
        command = packet.body
        self.packets.append(
            Sent(
                packet.header.timestamp_s,
                command.steering_tire_angle_rad,
                command.throttle,
                command.brake,
                int(command.gear),
                bool(command.handbrake),
            )
        )
