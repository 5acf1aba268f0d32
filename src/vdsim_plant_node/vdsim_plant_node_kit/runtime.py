"""A VDS1 client in plain Python, from a captured frame and the protocol's published offsets.

The client shares no code with vdsim_protocol, so that a fault there cannot hide itself. Below it:
a real server on a thread, to talk to.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node.settings.server_settings import ServerSettings

CAPTURED_CMD = bytes.fromhex(
    "31534456030001000100000000000000bd9e879198c0b0407b14ae47e17a943f333333333333d33f"
    "00000000000000000100000000000000000000000000f87f000000000000f87f5a6c0327"
)
"""A CMD of another implementation: version 3, seq 1, steer 0.02 rad, throttle 0.3, D."""

_PATIENCE_S = 60.0
"""What a busy machine may keep a test waiting; no limit of what is tested."""

_CMD_FIELDS = {
    "magic": (0, "<I"),
    "version": (4, "<H"),
    "msg_type": (6, "<H"),
    "seq": (8, "<I"),
    "vehicle_id": (12, "<I"),
    "timestamp": (16, "<d"),
    "steer": (24, "<d"),
    "throttle": (32, "<d"),
    "brake": (40, "<d"),
    "gear": (48, "<i"),
    "handbrake": (52, "<B"),
    "aux_accel": (56, "<d"),
    "aux_speed": (64, "<d"),
}


def command_bytes(**fields: float) -> bytes:
    """The captured CMD with some fields changed and the CRC made right again."""
    datagram = bytearray(CAPTURED_CMD)
    for name, value in fields.items():
        offset, form = _CMD_FIELDS[name]
        struct.pack_into(form, datagram, offset, value)
    struct.pack_into("<I", datagram, 72, zlib.crc32(bytes(datagram[:72])))
    return bytes(datagram)


@dataclass(frozen=True)
class StateFrame:
    """A STATE by the offsets of the protocol's table."""

    data: bytes
    arrival_s: float

    def __post_init__(self) -> None:
        sizes = {1: 220, 2: 372, 3: 436, 4: 436, 5: 452}
        assert self.data[:4] == b"1SDV"
        assert struct.unpack_from("<H", self.data, 6)[0] == 2
        assert len(self.data) == sizes[self.version]
        assert struct.unpack_from("<I", self.data, len(self.data) - 4)[0] == zlib.crc32(
            self.data[:-4]
        )

    def at(self, offset: int) -> float:
        """The float64 at an offset."""
        value: float = struct.unpack_from("<d", self.data, offset)[0]
        return value

    def wheels(self, offset: int) -> tuple[float, ...]:
        """The four float64 at an offset."""
        return struct.unpack_from("<4d", self.data, offset)

    @property
    def version(self) -> int:
        """Protocol version."""
        value: int = struct.unpack_from("<H", self.data, 4)[0]
        return value

    @property
    def seq(self) -> int:
        """Sequence number."""
        value: int = struct.unpack_from("<I", self.data, 8)[0]
        return value

    @property
    def vehicle_id(self) -> int:
        """Header word at byte 12."""
        value: int = struct.unpack_from("<I", self.data, 12)[0]
        return value

    @property
    def time_s(self) -> float:
        """Simulation time [s]."""
        return self.at(16)

    @property
    def x_m(self) -> float:
        """World x [m]."""
        return self.at(24)

    @property
    def vx_mps(self) -> float:
        """Forward speed [m/s]."""
        return self.at(72)

    @property
    def ax_mps2(self) -> float:
        """Forward acceleration [m/s2]."""
        return self.at(120)

    @property
    def steer_rad(self) -> float:
        """Applied tyre angle [rad]."""
        return self.at(168)


class PlainClient:
    """A controller on a socket of its own: sends CMD, receives STATE."""

    def __init__(self, server_port: int = 0, own_port: int = 0) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", own_port))
        self.socket.settimeout(_PATIENCE_S)
        self.server_port = server_port
        self.seq = 0

    @property
    def port(self) -> int:
        """Own port."""
        port: int = self.socket.getsockname()[1]
        return port

    def send(self, **fields: Any) -> None:
        """Send one CMD with the next sequence number."""
        fields.setdefault("seq", self.seq)
        fields.setdefault("timestamp", time.monotonic())
        self.seq = int(fields["seq"]) + 1
        self.send_bytes(command_bytes(**fields))

    def send_bytes(self, datagram: bytes) -> None:
        """Send anything."""
        self.socket.sendto(datagram, ("127.0.0.1", self.server_port))

    def receive(self) -> StateFrame:
        """The next STATE; fails after a minute without."""
        data = self.socket.recv(2048)
        return StateFrame(data, time.monotonic())

    def latest(self) -> StateFrame:
        """Drop what has piled up and take the next STATE."""
        self.socket.setblocking(False)
        try:
            while True:
                self.socket.recv(2048)
        except BlockingIOError:
            pass
        self.socket.settimeout(_PATIENCE_S)
        return self.receive()

    def drive(
        self,
        until: Callable[[StateFrame], bool],
        *,
        limit_s: float = 60.0,
        **fields: Any,
    ) -> StateFrame:
        """Send a CMD for each STATE until one of them satisfies the condition."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            self.send(**fields)
            frame = self.latest()
            if until(frame):
                return frame
        raise AssertionError(f"condition not met within {limit_s} s")

    def watch(self, until: Callable[[StateFrame], bool], *, limit_s: float = 60.0) -> StateFrame:
        """Receive without sending until a STATE satisfies the condition."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            frame = self.receive()
            if until(frame):
                return frame
        raise AssertionError(f"condition not met within {limit_s} s")

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


class LiveServer:
    """A real server on a thread of its own, on a port that the kernel chose."""

    def __init__(self, settings: ServerSettings) -> None:
        self.lines: list[str] = []
        self.server = PlantServer(settings, build_wire_vehicles(settings), log=self.lines.append)
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=self.server.serve, args=(self._stopping.is_set,), name="plant server"
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Port of the first vehicle."""
        return self.server.ports[0].address[1]

    def snapshot(self) -> ServerSnapshot:
        """What the server says about itself, taken between two ticks."""
        return self.server.call(lambda server: server.snapshot()).result(timeout=60.0)

    def wait_for(
        self, condition: Callable[[ServerSnapshot], bool], limit_s: float = 60.0
    ) -> ServerSnapshot:
        """The first snapshot that satisfies the condition."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            snapshot = self.snapshot()
            if condition(snapshot):
                return snapshot
        raise AssertionError(f"condition not met within {limit_s} s: {snapshot}")

    def __enter__(self) -> LiveServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(timeout=60.0)
        self.server.close()
        assert not self._thread.is_alive()


def lockstep_server(client: PlainClient, **options: Any) -> PlantServer:
    """A server whose time passes in `advance` alone; it logs to `log` when that is a list."""
    log = options.pop("log", [])
    settings = server_settings({"cmd_port": 0, "state_port": client.port, **options})
    server = PlantServer(settings, build_wire_vehicles(settings), log=log.append)
    client.server_port = server.ports[0].address[1]
    return server


def live_server(client: PlainClient, **options: Any) -> LiveServer:
    """A server that sends STATE to the client and takes its CMD."""
    given: dict[str, Any] = {"cmd_port": 0, "state_port": client.port, **options}
    live = LiveServer(server_settings(given))
    client.server_port = live.port
    return live
