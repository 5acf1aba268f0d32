"""From a CMD leaving the controller to the first STATE that shows its effect.

    ./ws bench runtime/latency [--rate 200] [--count 500]

The floor of the same run: the same exchange with a process that replies at once, that is two
wake-ups and two trips through the kernel. A command waits for the next tick, so the expected
latency is half a tick plus the floor, at most a tick plus the floor. The real VDSim: median 13 ms,
p95 16 ms with the same tick of 5 ms.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import socket
import struct
import time

from server_process import ServerProcess, command, controller_socket

_STEER_APPLIED = struct.Struct("<d")


def echo(ready: multiprocessing.Queue[tuple[str, int]], count: int) -> None:
    """Reply to each datagram with one as long as a STATE."""
    with controller_socket() as opened:
        opened.settimeout(10.0)
        ready.put(opened.getsockname())
        for _ in range(count):
            _, sender = opened.recvfrom(2048)
            opened.sendto(bytes(436), sender)


def floor_us(count: int) -> list[float]:
    """Round trips through a process that replies at once."""
    ready: multiprocessing.Queue[tuple[str, int]] = multiprocessing.Queue()
    answering = multiprocessing.Process(target=echo, args=(ready, count))
    answering.start()
    address = ready.get(timeout=10.0)
    times_us = []
    with controller_socket() as opened:
        for seq in range(count):
            time.sleep(0.004)
            start = time.monotonic()
            opened.sendto(command(seq, 0.0), address)
            opened.recv(2048)
            times_us.append((time.monotonic() - start) * 1e6)
    answering.join()
    return times_us


def effect_us(rate_hz: float, count: int) -> list[float]:
    """Time until a new steering angle comes back as the applied one, sent at random phases."""
    chance = random.Random(1)
    times_us = []
    with controller_socket() as controller:
        port = controller.getsockname()[1]
        with ServerProcess("--rate", f"{rate_hz:g}", "--state-port", str(port)) as server:
            for seq in range(count):
                angle_rad = 0.0001 * (seq + 1)
                time.sleep(chance.uniform(0.008, 0.016))
                drain(controller)
                start = time.monotonic()
                controller.sendto(command(seq, angle_rad), server.address)
                while _STEER_APPLIED.unpack_from(controller.recv(2048), 168)[0] != angle_rad:
                    pass
                times_us.append((time.monotonic() - start) * 1e6)
    return times_us


def drain(opened: socket.socket) -> None:
    """Discard the received datagrams."""
    opened.setblocking(False)
    try:
        while True:
            opened.recv(2048)
    except BlockingIOError:
        opened.settimeout(1.0)


def report(name: str, values_us: list[float]) -> list[float]:
    """Print and return p50, p95, p99, max [us]."""
    ordered = sorted(values_us)
    marks = [ordered[min(len(ordered) - 1, int(len(ordered) * q))] for q in (0.5, 0.95, 0.99, 1.0)]
    print(f"{name:28s} p50 {marks[0]:7.0f}  p95 {marks[1]:7.0f}  p99 {marks[2]:7.0f}  "
          f"max {marks[3]:7.0f} us")  # fmt: skip
    return marks


def main() -> None:
    """Measure floor, effect, floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    floors = floor_us(options.count // 2)
    effects = effect_us(options.rate, options.count)
    floors += floor_us(options.count // 2)
    tick_us = 1e6 / options.rate
    floor = report("floor (answers at once)", floors)
    effect = report(f"effect (tick {tick_us:.0f} us)", effects)
    print(
        f"beyond half a tick and the floor at p50: {effect[0] - 0.5 * tick_us - floor[0]:+.0f} us; "
        f"beyond a tick and the floor at p95: {effect[1] - tick_us - floor[1]:+.0f} us"
    )


if __name__ == "__main__":
    main()
