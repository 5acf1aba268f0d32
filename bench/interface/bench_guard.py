"""What the guard costs: one hop of its socket, the latency of a command, the CPU of both processes.

    ./ws bench interface/guard [--seconds 20]

The hop is a Front frame, written, sent, received and read between two processes that sleep in
between; its floor are bare bytes on the same socket. The way of a frame to the vehicle's datagram
is printed step by step (guard_hop.py). Latency and floor are those of `interface/latency`, each
beside the other.
"""

from __future__ import annotations

import argparse
import os
import select
import socket
import statistics
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench_latency import measure, row
from guard_hop import split
from vdsim_interface.guard.frames import TO_GUARD, Frame, FrameReader, FrameWriter, Front
from vdsim_interface.guard.local_socket import Connection
from vdsim_interface.values import VehicleCommand

HOP_US, RATIO, CPU = 100.0, 1.8, 0.20
FRAMES_N = 500
PERIOD_S = 0.01
_KIND = socket.SOCK_SEQPACKET
DELAY = struct.Struct("d")


def hop_us(*, bare: bool) -> list[float]:
    """From before a frame, or bare bytes, are written until they are read in the other process."""
    here, there = (Connection(end) for end in socket.socketpair(socket.AF_UNIX, _KIND))
    results_in, results_out = os.pipe()
    child = os.fork()
    if child == 0:
        _receive(there, results_out, bare=bare)
        os._exit(0)
    writer = FrameWriter()
    for _ in range(FRAMES_N):
        now = time.monotonic()
        command = VehicleCommand(now, 1.0, 0.1)
        front = Front(command, command, command, None)
        here.send(DELAY.pack(now) if bare else writer.write(front, now)[1])
        time.sleep(PERIOD_S)
    os.waitpid(child, 0)
    data = os.read(results_in, FRAMES_N * DELAY.size)
    return sorted(1e6 * delay for (delay,) in DELAY.iter_unpack(data))


def _receive(connection: Connection, results: int, *, bare: bool) -> None:
    reader, poll = FrameReader(TO_GUARD), select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    delays = []
    while len(delays) < FRAMES_N:
        poll.poll()
        data = connection.receive()
        assert data is not None
        if bare:
            (sent_s,) = DELAY.unpack(data)
        else:
            frame = reader.read(data, time.monotonic())
            assert isinstance(frame, Frame)
            sent_s = frame.sent_s
        delays.append(DELAY.pack(time.monotonic() - sent_s))
    os.write(results, b"".join(delays))


def print_split() -> None:
    """Print how long each step takes from a frame to the vehicle's datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as vehicle:
        vehicle.bind(("127.0.0.1", 0))
        print(f"{'a frame becomes a CMD datagram [us]':38}{'p50':>7}{'p99':>7}")
        for step in split(vehicle.getsockname()[1]):
            print(f"  {step.name:36}{step.p50_us:7.1f}{step.p99_us:7.1f}")


def main() -> int:
    """Print the figures, and whether each target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    os.environ.setdefault("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    hops, floor = hop_us(bare=False), hop_us(bare=True)
    hop = statistics.median(hops)
    p99 = hops[int(0.99 * len(hops))]
    bare = statistics.median(floor)
    print(f"hop of a frame [us]: p50 {hop:.0f}, p99 {p99:.0f}; of bare bytes: p50 {bare:.0f}")
    print_split()
    print("publish -> CMD on the wire [us]              floor    ratio   CPU of the")
    print(f"{'':12}{'p50':>9}{'p99':>9}{'max':>9}{'p50':>12}{'p50':>9}   interface")
    print(row("single", *measure("single", seconds)), flush=True)
    measured, base, share = measure("guarded", seconds)
    print(row("guarded", measured, base, share))
    ratio = statistics.median(measured) / statistics.median(base)
    figures = (("hop [us]", hop, HOP_US), ("ratio", ratio, RATIO), ("CPU", share, CPU))
    for name, figure, limit in figures:
        word = "met" if figure <= limit else "missed"
        print(f"{name}: {figure:.3g}, target {limit:g}: {word}")
    return int(any(figure > limit for _, figure, limit in figures))


if __name__ == "__main__":
    sys.exit(main())
