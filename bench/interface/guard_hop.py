"""Where the time goes from a Front frame in the shell to the CMD datagram of the guard.

Two processes that sleep in between, as in a vehicle: one writes and sends a frame each period, the
other is a Guard with platform vds1, woken by its socket, that has a STATE for every period. Each
step is stamped where it happens; both processes read the same monotonic clock.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import socket
import statistics
import struct
import time
from typing import NamedTuple

from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import FrameWriter, Front
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.local_socket import Connection
from vdsim_interface.guard.process import VehicleSockets
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Mode, VehicleCommand

from vdsim_protocol import vds1

FRAMES_N, WARM_N = 500, 50
PERIOD_S = 0.01
SPEED_MPS, RADIUS_M = 8.0, 0.338
_STAMPS = struct.Struct("5d")
_SOURCE = ("127.0.0.1", 7001)


class Step(NamedTuple):
    """One part of the way, and how long it takes [us]."""

    name: str
    p50_us: float
    p99_us: float


STEPS = (
    "write the frame",
    "send it, wake the guard",
    "receive it",
    "check and read it, take the command",
    "SafetySide, VehicleSide, encode CMD",
    "send the datagram",
)


def split(port: int) -> list[Step]:
    """Measure every step; the last row is all of them. `port`: of somebody who receives CMD."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here, there = (Connection(end) for end in ends)
    results_in, results_out = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            _guard(there, results_out, port)
        os._exit(0)
    os.close(results_out)
    writer = FrameWriter()
    here.send(writer.write(_activation(port), time.monotonic())[1])
    written = []
    for _ in range(FRAMES_N):
        time.sleep(PERIOD_S)
        begin = time.monotonic()
        command = VehicleCommand(begin, 0.3 * math.sin(begin), 0.01 * math.sin(begin))
        data = writer.write(Front(command, command, command, None), begin)[1]
        written.append((begin, time.monotonic()))
        here.send(data)
    os.waitpid(child, 0)
    raw = os.read(results_in, FRAMES_N * _STAMPS.size)
    assert raw, "the guard must drive the car"
    rows = [
        (begin, ready, *stamps)
        for (begin, ready), stamps in zip(written, _STAMPS.iter_unpack(raw), strict=True)
    ][WARM_N:]
    steps = [_step(name, [row[n + 1] - row[n] for row in rows]) for n, name in enumerate(STEPS)]
    return [*steps, _step("frame to datagram", [row[-1] - row[0] for row in rows])]


def _step(name: str, durations_s: list[float]) -> Step:
    ordered = sorted(1e6 * duration for duration in durations_s)
    return Step(name, statistics.median(ordered), ordered[int(0.99 * len(ordered))])


def _activation(port: int) -> frames.Activate:
    interface = InterfaceParameters(
        control_command="vehicle", safety=SafetyParameters(auto_engage=True)
    )
    parameters = platform_spec("vds1").parameters(plant_port=port, listen_port=0)
    return frames.Activate("vds1", "", flat_values(interface), flat_values(parameters))


def _guard(shell: Connection, results: int, port: int) -> None:
    """The guard's process: as GuardProcess, with a stamp after each step."""
    link = VehicleSockets()
    guard, poll, car = Guard(link), select.poll(), _Car()
    guard.connect()
    poll.register(shell.fileno(), select.POLLIN)
    now = time.monotonic
    while not guard.is_active:
        poll.poll()
        guard.on_frame(shell.receive() or b"", now())
    stamps = []
    while len(stamps) < FRAMES_N:
        car.report(guard, now())
        poll.poll()
        woken = now()
        data = shell.receive()
        received = now()
        guard.begin_round(received)
        guard.on_frame(data or b"", received)
        read = now()
        datagrams = guard.decide(read)
        decided = now()
        link.send(datagrams)
        sent = now()
        guard.after_send(sent)
        for frame in guard.take_frames(now()):
            shell.send(frame)
        stamps.append(_STAMPS.pack(woken, received, read, decided, sent))
    link.close()
    drives = guard.sides is not None and guard.sides.safety.mode is Mode.AUTONOMOUS
    os.write(results, b"".join(stamps) if drives else b"")


class _Car:
    """Reports a steady drive."""

    def __init__(self) -> None:
        self._sender = vds1.Sender()

    def report(self, guard: Guard, now: float) -> None:
        """Pass the guard a STATE as if its socket had received it."""
        zero = (0.0, 0.0, 0.0, 0.0)
        spin = SPEED_MPS / RADIUS_M
        state = vds1.State(
            *(SPEED_MPS * now, *(0.0,) * 5, SPEED_MPS, *(0.0,) * 7),
            (spin, spin, spin, spin),
            *(0.0, RADIUS_M),
            *((5800.0, 5800.0, 5800.0, 5800.0), 0.0, zero, zero, zero),
            *(0.0,) * 6,
            *(zero, zero),
        )
        guard.on_datagram(self._sender.state(state, now), _SOURCE, "vds1", now)
