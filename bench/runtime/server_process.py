"""A real `vdsim_realtime` process and the controller's socket."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    str(ROOT / "src" / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")
]
sys.path[:0] = SOURCES
_COMMAND = struct.Struct("<IHHIId ddd i4x dd")
NAN = float("nan")


def command(seq: int, steer_rad: float, *, version: int = 3, vehicle_id: int = 0) -> bytes:
    """A CMD with a little throttle."""
    head = (0x56445331, version, 1, seq & 0xFFFFFFFF, vehicle_id, time.monotonic())
    body = _COMMAND.pack(*head, steer_rad, 0.2, 0.0, 1, NAN, NAN)
    return body + struct.pack("<I", zlib.crc32(body))


class ServerProcess:
    """`vdsim_realtime` on a free port; stopped at the end of a `with`."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vdsim_plant_node.cli.realtime", "--cmd-port", "0", *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(SOURCES)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        match = re.search(r"CMD at [\d.]+:(\d+)", self.process.stdout.readline())
        if match is None:
            raise SystemExit("the server did not start")
        self.address = ("127.0.0.1", int(match.group(1)))
        self.summary = ""

    def cpu_s(self) -> float:
        """CPU time of the process so far [s], as the scheduler counts it, to the nanosecond."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) * 1e-9

    def resident_kb(self) -> int:
        """Resident memory [kB]."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        match = re.search(r"VmRSS:\s+(\d+)", status)
        return int(match.group(1)) if match else 0

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=20.0)
        self.summary = out.strip().splitlines()[-1]


def controller_socket() -> socket.socket:
    """A socket for CMD and STATE."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.bind(("127.0.0.1", 0))
    opened.settimeout(1.0)
    return opened
