"""Packet gaps of the guard while its ROS shell is attacked, beside the same run without attacks.

    ./ws bench interface/guard_attack [--requests 100000] [--participants 50] [--fifo]
        [--peer-python PYTHON]

Requests as a DDS peer of another vendor frames them, with lengths from 0 to 2^32, go to every
service of the shell; then the shell is frozen with SIGSTOP, five times; then participants join and
leave, five times. The car receives the guard's packets, and the kernel stamps each. Quiet phases
before, between and after the attacks are the reference: a busy machine lengthens gaps without any
attack. The shell may be ended by its limit of memory, and is then started again as by a launch. The
peer runs in a Python that has Cyclone DDS: the one that is named, this one, or that of the lane
`vendors`, whose environment is made if it is not there.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "campaign"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test"))
import rclpy
from vdsim_campaign.peers import HOW, environment_of, python_with
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.guarded import GuardedProcesses
from vdsim_kit.wire_car import state_at

from vdsim_msgs.msg import VehicleControlCommand
from vdsim_protocol import vds1

NAMESPACE = "guard_attack"
PEER = Path(__file__).with_name("foreign_peer.py")
PEER_NEEDS = "cyclonedds"
WS = Path(__file__).resolve().parents[2] / "ws"
MAKE_LANE = [str(WS), "test", "vendors", "--collect-only", "-q"]
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")
FIFO_PRIORITY = 20
REPEATS = 5
"""Of the attacks that are over in seconds: of a few hundred gaps one is beyond the 99.9th."""
BETWEEN_S = 1.0
LIMITS_MS = {"p99.9": 2.0, "max": 5.0}
"""By how much an attack may lengthen a gap of the quiet phases."""
JOINING = """
import sys, time, rclpy
contexts = []
for n in range(int(sys.argv[1])):
    context = rclpy.Context()
    rclpy.init(context=context)
    contexts.append((context, rclpy.create_node(f"joining_{n}", context=context)))
time.sleep(1.0)
for context, node in contexts:
    node.destroy_node()
    context.shutdown()
"""


class Wire:
    """The car: the kernel's time of every packet, and STATE at 200 Hz."""

    def __init__(self, command_port: int, state_port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._socket.bind(("127.0.0.1", command_port))
        self._socket.settimeout(0.1)
        self._address = ("127.0.0.1", state_port)
        self.stamps: list[float] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._receive, self._send)]
        for thread in self._threads:
            thread.start()

    def _receive(self) -> None:
        while not self._stop.is_set():
            try:
                (ancillary,) = self._socket.recvmsg(2048, 256)[1]
            except TimeoutError:
                continue
            seconds, nanoseconds = TIMESPEC.unpack(ancillary[2])
            self.stamps.append(seconds + 1e-9 * nanoseconds)

    def _send(self) -> None:
        sender, state = vds1.Sender(), state_at(4.0)
        while not self._stop.wait(0.005):
            self._socket.sendto(sender.state(state, time.monotonic()), self._address)

    def gaps_ms(self, work: Callable[[], None]) -> list[float]:
        """The gaps between the packets during some work."""
        before_n = len(self.stamps)
        work()
        stamps = self.stamps[max(0, before_n - 1) :]
        return sorted(1e3 * (b - a) for a, b in pairwise(stamps))

    def close(self) -> None:
        """Stop the threads."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._socket.close()


def services() -> list[str]:
    """The services of the shell, as `name:type`."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("asking", context=context)
    before: list[str] | None = None
    found: list[str] = []
    while not found or found != before:  # until discovery finds no more
        time.sleep(1.0)
        known = node.get_service_names_and_types()
        before, found = (
            found,
            [f"{n}:{t}" for n, [t, *_] in known if n.startswith(f"/{NAMESPACE}/")],
        )
    node.destroy_node()
    context.shutdown()
    return found


def percentile(gaps_ms: list[float], share: float) -> float:
    """A percentile of sorted gaps."""
    return gaps_ms[min(len(gaps_ms) - 1, int(share * len(gaps_ms)))]


class Attack:
    """The processes, their car, and the phases."""

    def __init__(self, processes: GuardedProcesses, wire: Wire, quiet_s: float) -> None:
        self._processes, self._wire, self._quiet_s = processes, wire, quiet_s
        self._quiet: list[float] = []
        self._rows: list[tuple[str, list[float]]] = []

    def quiet(self) -> None:
        """A part of the reference."""
        self._quiet += self._wire.gaps_ms(lambda: time.sleep(self._quiet_s))

    def phase(self, name: str, work: Callable[[], None], repeats: int = 1) -> None:
        """An attack, so many times, with the reference on both sides."""
        self.quiet()
        gaps_ms = [gap for _ in range(repeats) for gap in self._gaps(work)]
        self._rows.append((name, sorted(gaps_ms)))
        self.quiet()

    def _gaps(self, work: Callable[[], None]) -> list[float]:
        gaps_ms = self._wire.gaps_ms(work)
        time.sleep(BETWEEN_S)
        return gaps_ms

    def ensure_shell(self) -> str:
        """Start the shell again if it has ended."""
        code = self._processes.shell.poll()
        if code is None:
            return f"lives, with at most {peak_mb(self._processes.shell)} MiB"
        self._processes.start_shell()
        reason = self._processes.log().rstrip().rpartition("\n")[2]
        return f"has ended with exit code {code} ({reason}) and is started again"

    def report(self) -> bool:
        """Print the table; whether every limit holds."""
        quiet = sorted(self._quiet)
        print(f"{'gaps between packets [ms]':<28}{'n':>8}{'p50':>9}{'p99.9':>9}{'max':>9}")
        for name, gaps in [("quiet", quiet), *self._rows]:
            figures = (percentile(gaps, 0.5), percentile(gaps, 0.999), gaps[-1])
            print(f"{name:<28}{len(gaps):>8}" + "".join(f"{figure:9.2f}" for figure in figures))
        limits = {
            "p99.9": percentile(quiet, 0.999) + LIMITS_MS["p99.9"],
            "max": quiet[-1] + LIMITS_MS["max"],
        }
        worst = {
            "p99.9": max(percentile(gaps, 0.999) for _, gaps in self._rows),
            "max": max(gaps[-1] for _, gaps in self._rows),
        }
        for name, limit in limits.items():
            word = "met" if worst[name] <= limit else "missed"
            print(f"{name}: {worst[name]:.2f} ms, limit {limit:.2f} ms: {word}")
        return all(worst[name] <= limit for name, limit in limits.items())


def peer_python(named: str) -> str:
    """The Python of the peer; empty: none has what it needs."""
    found = python_with(PEER_NEEDS, named)
    if not found and not named:
        subprocess.run(MAKE_LANE, check=True)
        python_with.cache_clear()
        found = python_with(PEER_NEEDS)
    return found


def main() -> int:
    """Run all phases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--participants", type=int, default=50)
    parser.add_argument("--quiet-s", type=float, default=10.0)
    parser.add_argument("--fifo", action="store_true", help="real-time class and locked memory")
    parser.add_argument("--peer-python", default="", help="Python that has Cyclone DDS")
    given = parser.parse_args()
    python = peer_python(given.peer_python)
    if not python:
        print(HOW.format(package=PEER_NEEDS), file=sys.stderr)
        return 1
    os.environ.setdefault("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    fifo = {"guard.fifo_priority": FIFO_PRIORITY, "guard.lock_memory": True} if given.fifo else {}
    with GuardedProcesses(NAMESPACE, **fifo) as processes:
        wire = Wire(processes.command_port, processes.state_port)
        try:
            stack = Stack(f"/{NAMESPACE}", rate_hz=100.0)
            stack.command("vehicle_command", VehicleControlCommand(long_accel_mps2=0.5))
            stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomy")
            stack.close()
            attack = Attack(processes, wire, given.quiet_s)
            foreign = [python, str(PEER), str(given.requests), *services()]
            own = environment_of(python)
            attack.phase("foreign requests", lambda: subprocess.run(foreign, env=own, check=True))
            print(f"the shell {attack.ensure_shell()}")
            attack.phase("the shell is frozen", lambda: freeze(processes), REPEATS)
            joining = [sys.executable, "-c", JOINING, str(given.participants)]
            attack.phase("participants join", lambda: subprocess.run(joining, check=True), REPEATS)
            print(f"the shell {attack.ensure_shell()}; the guard has ended: {ended(processes)}")
            return 0 if attack.report() and not ended(processes) else 1
        finally:
            wire.close()


def freeze(processes: GuardedProcesses) -> None:
    """Freeze the shell for five seconds."""
    processes.shell.send_signal(signal.SIGSTOP)
    time.sleep(5.0)
    processes.shell.send_signal(signal.SIGCONT)


def peak_mb(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a process has used."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def ended(processes: GuardedProcesses) -> bool:
    """Whether the guard has ended."""
    return processes.guard.poll() is not None


if __name__ == "__main__":
    sys.exit(main())
