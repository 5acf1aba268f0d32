"""Floods of datagrams at the ports of plant and interface, beside the same time without.

`--rate` packets a second of each kind, from a process of its own; what it really reached is said,
what the kernel discarded at each of the two sockets (of strangers, or because one was full), and
for how much of the time each process was ready and had no core. What waits for a core is not lost
by the code: a run with more load than cores measures the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vdsim_campaign.attack.rig import Rig, waited_s
from vdsim_campaign.attack.row import Row

KINDS = ("noise", "bad CRC", "stranger's CMD", "copies")
_FLOODER = """
import random, socket, sys, time
sys.path.insert(0, sys.argv[5])
from vdsim_campaign.attack.datagrams import a_command
kind, port, rate, end_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
chance = random.Random(1)
good = a_command(chance)
data = {"noise": chance.randbytes(76), "bad CRC": good[:-1] + bytes([good[-1] ^ 1])}.get(kind, good)
links = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
for link in links:
    link.bind(("127.0.0.1", 0))
    link.setblocking(False)
    link.connect(("127.0.0.1", port))
sent, begun = 0, time.monotonic()
while (now := time.monotonic() - begun) < end_s:
    due = int(rate * now)
    if sent >= due:
        time.sleep(0.0005)
        continue
    for _ in range(min(200, due - sent)):
        if kind == "stranger's CMD":
            data = a_command(chance) if sent % 50 == 0 else data
        try:
            links[sent % 8].send(data)
        except OSError:
            pass
        sent += 1
print(sent / end_s)
"""


@dataclass
class Measured:
    """What a while brought."""

    failsafes: float
    delivered: float
    p99_ms: float
    dropped: tuple[int, int]
    """By the kernel, unread, at the socket of the plant and at that of the interface."""
    waited: dict[str, float]
    """The share of the time in which a process was ready and had no core."""
    read: int = 0
    """And rejected, by the plant."""
    rate: float = 0.0

    def __str__(self) -> str:
        waited = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.waited.items())
        return (
            f"{self.failsafes:.0f} fail-safes, {100 * self.delivered:.1f} % of commands, "
            f"p99 {self.p99_ms:.0f} ms, {self.dropped[0]} + {self.dropped[1]} discarded by "
            f"the kernel, {self.read} read and rejected at the plant, without a core: {waited}"
        )


def floods(rate: float, for_s: float) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Each kind at each of the two ports for so long; a flood that ends the drive fell."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        row = Row(f"floods of {rate:g} datagrams/s for {for_s:g} s ({rig.composition})")
        load = os.getloadavg()[0]
        quiet = _measured(rig, for_s)
        row.notes.append(f"load {load:.1f} before; without: {quiet}")
        for place in ("plant", "interface"):
            for kind in KINDS:
                if is_over():
                    return row
                port = rig.command_port if place == "plant" else rig.state_port
                before = rig.started_n()
                found = _flooded(rig, kind, port, rate, for_s)
                row.tried += 1
                row.notes.append(f"{kind} at the {place} ({found.rate:.0f}/s reached): {found}")
                if rig.started_n() != before or rig.launch.process.poll() is not None:
                    row.fell.append(f"{kind} at the {place}: a process has ended")
                if rig.recover() < 0.0:
                    row.fell.append(f"{kind} at the {place}: not drivable again")
        return row

    return attack


def _flooded(rig: Rig, kind: str, port: int, rate: float, for_s: float) -> Measured:
    campaign = Path(__file__).resolve().parents[2]
    words = [kind, str(port), str(rate), str(for_s), str(campaign)]
    process = subprocess.Popen(
        [sys.executable, "-c", _FLOODER, *words], stdout=subprocess.PIPE, text=True
    )
    found = _measured(rig, for_s)
    said, _ = process.communicate(timeout=for_s + 60.0)
    found.rate = float(said or 0.0)
    return found


def _measured(rig: Rig, for_s: float) -> Measured:
    """Fail-safes, the share of the interface's 100 CMD a second, the gaps between reports."""
    before, begun = rig.metrics(), time.monotonic()
    ports = (rig.command_port, rig.state_port)
    dropped, waited = drops(ports), waited_s(rig.pids())
    gaps, last = [], rig.stack.odometry_s
    while time.monotonic() - begun < for_s:
        rig.stack._executor.spin_once(timeout_sec=0.02)
        if rig.stack.odometry_s != last:
            gaps.append(rig.stack.odometry_s - last)
            last = rig.stack.odometry_s
    took_s = time.monotonic() - begun
    after = rig.metrics()
    dropped_after, waited_after = drops(ports), waited_s(rig.pids())

    def grown(name: str) -> float:
        keys = [key for key in after if key.startswith(name)]
        return sum(after[key] - before.get(key, 0.0) for key in keys)

    gaps.sort()
    p99 = 1e3 * gaps[int(0.99 * (len(gaps) - 1))] if gaps else float("inf")
    return Measured(
        grown("vdsim_failsafes_total"),
        grown("vdsim_cmd_accepted_total") / (100.0 * took_s),
        p99,
        (dropped_after[0] - dropped[0], dropped_after[1] - dropped[1]),
        {
            name: (waited_after[name] - waited[name]) / took_s
            for name in sorted(waited.keys() & waited_after.keys())
        },
        round(grown("vdsim_cmd_rejected_total")),
    )


def drops(ports: tuple[int, int]) -> tuple[int, int]:
    """How many datagrams the kernel has dropped at the sockets of these UDP ports, each."""
    found = dict.fromkeys(ports, 0)
    for line in Path("/proc/self/net/udp").read_text(encoding="ascii").splitlines()[1:]:
        columns = line.split()
        port = int(columns[1].partition(":")[2], 16)
        if port in found:
            found[port] += int(columns[-1])
    return found[ports[0]], found[ports[1]]
