"""Every kind of bad packet, a thousand times each: nothing changes but its counter."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable, Iterator

import pytest
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.live.snapshots import ServerSnapshot
from vdsim_plant_node_kit.runtime import (
    CAPTURED_CMD,
    LiveServer,
    PlainClient,
    command_bytes,
    live_server,
)
from vdsim_protocol.vds1 import Reason

COUNT = 1000
CHUNK = 100
NOW = 5000.0
"""Stamp and number of the last good command in these tests."""
LAST_SEQ = 10_000


@pytest.fixture(scope="module")
def client() -> Iterator[PlainClient]:
    opened = PlainClient()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def live(client: PlainClient) -> Iterator[LiveServer]:
    """A server that has heard one command and then nothing for long: in fail-safe, standing."""
    with live_server(client, cmd_timeout=60.0) as server:
        client.send(seq=LAST_SEQ - 1, timestamp=NOW, throttle=0.0, brake=0.7)
        client.send(seq=LAST_SEQ, timestamp=NOW, throttle=0.0, brake=0.7)
        server.wait_for(lambda s: s.ports[0].counters.accepted == 2)
        yield server


def signed(datagram: bytes) -> bytes:
    return datagram[:-4] + struct.pack("<I", zlib.crc32(datagram[:-4]))


def flipped(datagram: bytes, bit: int) -> bytes:
    damaged = bytearray(datagram)
    damaged[bit // 8] ^= 1 << (bit % 8)
    return bytes(damaged)


def good(**fields: float) -> bytes:
    return command_bytes(**{"seq": LAST_SEQ + 1, "timestamp": NOW, **fields})


KINDS: dict[str, tuple[Reason, Callable[[int], bytes]]] = {
    "empty": (Reason.LENGTH, lambda i: b""),
    "short": (Reason.LENGTH, lambda i: CAPTURED_CMD[: i % 76]),
    "long": (Reason.LENGTH, lambda i: CAPTURED_CMD + bytes(1 + i % 100)),
    "huge": (Reason.LENGTH, lambda i: bytes(1400)),
    "magic": (Reason.MAGIC, lambda i: good(magic=i)),
    "version 0": (Reason.VERSION, lambda i: good(version=0)),
    "later version": (Reason.VERSION, lambda i: good(version=6 + i % 1000)),
    "unknown type": (Reason.TYPE, lambda i: good(msg_type=3 + i % 1000)),
    "wrong CRC": (Reason.CRC, lambda i: good()[:-4] + struct.pack("<I", i)),
    "flipped bit": (Reason.CRC, lambda i: flipped(good(), 24 * 8 + i % (48 * 8))),
    "other vehicle": (Reason.VEHICLE, lambda i: good(version=4, vehicle_id=1 + i)),
    "duplicate": (Reason.DUPLICATE, lambda i: good(seq=LAST_SEQ)),
    "older": (Reason.STALE, lambda i: good(seq=LAST_SEQ - 1000 - i)),
    "NaN steer": (Reason.NON_FINITE, lambda i: good(steer=math.nan)),
    "infinite steer": (Reason.NON_FINITE, lambda i: good(steer=math.inf)),
    "NaN throttle": (Reason.NON_FINITE, lambda i: good(throttle=math.nan)),
    "NaN brake": (Reason.NON_FINITE, lambda i: good(brake=-math.nan)),
    "infinite brake": (Reason.NON_FINITE, lambda i: good(brake=-math.inf)),
    "NaN stamp": (Reason.NON_FINITE, lambda i: good(timestamp=math.nan)),
}


def flood(live: LiveServer, client: PlainClient, make: Callable[[int], bytes]) -> None:
    """Send a thousand, waiting for each chunk to be counted so that no buffer overflows."""
    before = live.snapshot().ports[0].counters.rejected_total
    for start in range(0, COUNT, CHUNK):
        for index in range(start, start + CHUNK):
            client.send_bytes(make(index))
        live.wait_for(
            lambda s, sent=start + CHUNK: s.ports[0].counters.rejected_total >= before + sent  # type: ignore[misc]
        )


def what_must_not_change(snapshot: ServerSnapshot) -> tuple[object, ...]:
    vehicle = snapshot.vehicles[0]
    counters = snapshot.ports[0].counters
    motion = vehicle.output.motion
    return (
        *(counters.accepted, counters.clamped, counters.sessions),
        *(vehicle.status.drive, vehicle.status.commands, vehicle.status.failsafes),
        *(vehicle.output.commanded, vehicle.output.realized),
        *(motion.x_m, motion.y_m, motion.yaw_rad, motion.vx_mps, motion.wheel_spin_radps),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_bad_packets_change_their_counter_only(
    client: PlainClient, live: LiveServer, kind: str
) -> None:
    reason, make = KINDS[kind]
    before = live.snapshot()
    flood(live, client, make)
    after = live.snapshot()
    assert what_must_not_change(after) == what_must_not_change(before)
    grown = {
        name: after.ports[0].counters.rejected[name] - before.ports[0].counters.rejected[name]
        for name in Reason
    }
    assert grown == {name: COUNT if name is reason else 0 for name in Reason}


def test_a_thousand_overtaken_packets(client: PlainClient, live: LiveServer) -> None:
    """Twenty times a packet arrives ahead of fifty older ones; those come late and are dropped."""
    start = live.snapshot().ports[0].counters
    late = start.rejected[Reason.REORDERED]
    for burst in range(1, COUNT // 50 + 1):
        newest = LAST_SEQ + 51 * burst
        client.send_bytes(command_bytes(seq=newest, timestamp=NOW, throttle=0.0, brake=0.7))
        for behind in range(50, 0, -1):
            client.send_bytes(command_bytes(seq=newest - behind, timestamp=NOW, throttle=1.0))
        late += 50
        live.wait_for(lambda s, n=late: s.ports[0].counters.rejected[Reason.REORDERED] == n)  # type: ignore[misc]
    end = live.snapshot()
    assert end.ports[0].counters.accepted == start.accepted + COUNT // 50
    assert end.ports[0].counters.rejected_total == start.rejected_total + COUNT
    assert end.vehicles[0].output.realized.throttle == 0.0


def test_a_sender_that_is_not_allowed_is_not_heard() -> None:
    client = PlainClient()
    try:
        with live_server(client, allow_from=["127.0.0.2"]) as live:
            for start in range(0, COUNT, CHUNK):
                for _ in range(CHUNK):
                    client.send(throttle=1.0, brake=0.0)
                live.wait_for(
                    lambda s, sent=start + CHUNK: (  # type: ignore[misc]
                        s.ports[0].counters.rejected[Reason.SOURCE] == sent
                    )
                )
            after = live.snapshot()
            assert after.ports[0].counters.accepted == 0
            assert after.vehicles[0].status.drive is Drive.WAITING
    finally:
        client.close()


def test_a_flood_does_not_stop_the_car(client: PlainClient, live: LiveServer) -> None:
    """Ticks keep coming while a sender does nothing but send."""
    first = live.snapshot().ticks
    for index in range(20_000):
        client.send_bytes(CAPTURED_CMD[: index % 70])
    live.wait_for(lambda s: s.ticks > first + 20)
