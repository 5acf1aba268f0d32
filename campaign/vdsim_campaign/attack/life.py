"""Memory and descriptors of every process while viewers come, look and go."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_campaign.attack.rig import HOST, Rig
from vdsim_campaign.attack.row import Row

VIEWERS = 30
_SETTLED = 0.3
"""Of the time: what is allocated until then is the start."""
MOST_GROWTH = 0.05
MOST_FILES = 5


def life(for_s: float) -> Callable[[Rig, Callable[[], bool]], Row]:
    """30 streams, each opened again now and then; memory and files stay as they are."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        row = Row(f"{VIEWERS} viewers for {for_s:.0f} s ({rig.composition})")
        begun = time.monotonic()
        first: dict[str, tuple[float, int]] = {}
        links: list[socket.socket] = []
        with contextlib.ExitStack() as opened:
            while time.monotonic() - begun < for_s and not is_over():
                if len(links) < VIEWERS:
                    links.append(_viewer(rig))
                    row.tried += 1
                for link in links:
                    with contextlib.suppress(OSError):
                        link.recv(65536)
                rig.stack.spin(0.2)
                if len(links) == VIEWERS:
                    links.pop(0).close()
                if not first and time.monotonic() - begun > _SETTLED * for_s:
                    first = sizes(rig)
            last = sizes(rig)
            for link in links:
                opened.callback(link.close)
        for name, (memory, files) in first.items():
            now = last.get(name)
            if now is None:
                row.fell.append(f"{name} has ended")
                continue
            row.notes.append(f"{name} {memory:.1f} to {now[0]:.1f} MiB, {files} to {now[1]} files")
            if now[0] > memory * (1.0 + MOST_GROWTH) + 1.0 or now[1] > files + MOST_FILES:
                row.fell.append(f"{name} grows: {row.notes[-1]}")
        return row

    return attack


def _viewer(rig: Rig) -> socket.socket:
    link = socket.create_connection((HOST, rig.http_port), timeout=5.0)
    link.sendall(f"GET /api/stream HTTP/1.1\r\nHost: {HOST}:{rig.http_port}\r\n\r\n".encode())
    link.setblocking(False)
    return link


def sizes(rig: Rig) -> dict[str, tuple[float, int]]:
    """Resident memory [MiB] and open files of each process."""
    found = {}
    for name, pid in rig.pids().items():
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
            memory = int(status.partition("VmRSS:")[2].split()[0]) / 1024
            found[name] = (memory, sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()))
    return found
