"""HTTP requests and WebSocket frames at the data port of the plant."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import socket
import struct
from collections.abc import Callable

from vdsim_campaign.attack.judging import attack_in_batches
from vdsim_campaign.attack.rig import HOST, Rig
from vdsim_campaign.attack.row import Row

BATCH = 60
_PATHS = (
    *("/", "/api/state", "/api/io", "/api/manual", "/api/io/targets", "/api/stream", "/api/drive"),
    *("/api/road", "/api/vehicles", "/api/settings", "/metrics", "/../../etc/passwd", "/%00"),
    *("/api/state?vehicle=" + "9" * 5000, "/" + "a" * 9000),
)
_METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "X" * 300)
_BODIES = (
    *("", "{}", "[]", "null", "[" * 50_000, '{"a":' * 5000, '{"steer": NaN}', '{"brake": 1e999}'),
    *('{"vehicle": 1e400}', '{"targets": ["0.0.0.0:1"]}', "\0" * 1000, '{"mu": "x"}'),
)
_HEADERS = (
    *("Host: evil.example", "Origin: http://evil.example", "Content-Length: 99999999999"),
    *("Content-Length: -1", "Transfer-Encoding: chunked", "Sec-Fetch-Site: cross-site"),
    *("Range: bytes=0-1,2-3", "X: " + "y" * 9000, "Content-Type: text/evil", "Expect: x"),
)
_FRAMES = ("text", "binary", "huge", "unmasked", "fragment", "control", "reserved", "deep", "half")


def http(seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Requests of every shape; each has an answer, or an end of the connection."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} http")
        row = Row("HTTP requests")

        def batch(number: int) -> int:
            waiting = 0
            for _ in range(BATCH):
                answer = _exchange(rig.http_port, _request(chance))
                waiting += answer is None
                rig.stack.spin(0.005)
            if not rig.metrics():
                row.fell.append(f"batch {number}: the data port does not answer")
            if waiting:
                row.notes[:] = [f"{waiting} of the last {BATCH} were left waiting by us"]
            return BATCH

        return attack_in_batches(row, rig, is_over, batch)

    return attack


def _request(chance: random.Random) -> bytes:
    body = chance.choice(_BODIES).encode()
    lines = [f"{chance.choice(_METHODS)} {chance.choice(_PATHS)} HTTP/1.{chance.choice('019')}"]
    lines += [f"Host: {HOST}"] * (chance.random() < 0.8)
    lines += chance.sample(_HEADERS, chance.randrange(4))
    lines += [f"Content-Length: {len(body)}"] * (chance.random() < 0.7)
    made = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    if chance.random() < 0.1:
        return made[: chance.randrange(len(made))]
    return chance.randbytes(500) if chance.random() < 0.05 else made


def _exchange(port: int, data: bytes, *more: bytes) -> bytes | None:
    """What comes back first; None where nothing did before we left."""
    with socket.create_connection((HOST, port), timeout=5.0) as link:
        link.settimeout(0.3)
        with contextlib.suppress(OSError):
            for part in (data, *more):
                link.sendall(part)
        try:
            return link.recv(4096)
        except OSError:
            return None


def websocket(seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Frames that no browser sends, on the socket by which a page drives."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} websocket")
        row = Row("WebSocket frames")

        def batch(number: int) -> int:
            for _ in range(BATCH):
                frames = [_frame(chance.choice(_FRAMES), chance) for _ in range(5)]
                _exchange(rig.http_port, _handshake(), *frames)
                rig.stack.spin(0.005)
            if not rig.metrics():
                row.fell.append(f"batch {number}: the data port does not answer")
            return 5 * BATCH

        return attack_in_batches(row, rig, is_over, batch)

    return attack


def _handshake() -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = (
        *("GET /api/drive HTTP/1.1", f"Host: {HOST}", "Upgrade: websocket", "Connection: Upgrade"),
        *(f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""),
    )
    return "\r\n".join(lines).encode()


def _frame(kind: str, chance: random.Random) -> bytes:
    text = json.dumps({"axes": [chance.choice((0.5, 1e999, -3))] * 6, "buttons": [0] * 21}).encode()
    bodies = {
        "text": text,
        "binary": chance.randbytes(40),
        "deep": b"[" * 3000,
        "fragment": text[:5],
        "control": b"x" * 126,
        "reserved": b"x",
    }
    body = bodies.get(kind, text)
    codes = {"text": 0x81, "binary": 0x82, "deep": 0x81, "fragment": 0x01, "control": 0x89}
    first = codes.get(kind, 0xF3 if kind == "reserved" else 0x81)
    if kind == "huge":
        return bytes([first, 0x80 | 127]) + struct.pack(">Q", 1 << 62) + b"\0\0\0\0" + b"x" * 99
    if kind == "unmasked":
        return bytes([first, min(len(body), 125)]) + body[:125]
    head = bytes([first, 0x80 | min(len(body), 125)])
    if len(body) > 125:
        head = bytes([first, 0x80 | 126]) + struct.pack(">H", len(body))
    made = head + b"\0\0\0\0" + body
    return made[: len(made) // 2] if kind == "half" else made
