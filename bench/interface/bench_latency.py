"""From publishing a command to its CMD packet on the wire, and the interface's CPU, by composition.

    ./ws bench interface/latency [--seconds 10]

The benchmark publishes a different steering command each time, at 100 Hz, and waits for the packet
with its value. The kernel stamps the packet, so scheduling of this program does not affect the
time. STATE arrives at 200 Hz meanwhile. The floor is a node with one hop through rclpy, the same
executor and one sendto. It runs at the same time as every composition and receives its commands
half a period later, so that both run on the same machine state: how deep the machine sleeps between
two packets changes from minute to minute and affects the times more than the code does.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import rclpy

from vdsim_msgs.msg import VehicleControlCommand
from vdsim_protocol import vds1

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import figures
from vdsim_kit.domains import hold_domain
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.ports import free_ports

RATE_HZ = 100.0
STEP_RAD = 0.0005
STEPS_N = 100
# Linux: the kernel's time stamp of a datagram, ancillary data (socket.h; not in `socket`).
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")
COMPOSITIONS = ("single", "guarded", "container", "processes")
FLOOR = """
import socket, sys
import rclpy
from vdsim_interface.ros.node_main import run
from vdsim_msgs.msg import VehicleControlCommand
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port = int(sys.argv[1])
import struct
def make():
    node = rclpy.create_node("floor", namespace="floor")
    def on_command(message):
        out.sendto(struct.pack("<24xd44x", message.front_wheel_angle_rad), ("127.0.0.1", port))
    node.create_subscription(VehicleControlCommand, "vehicle_command", on_command, 1)
    return [node]
sys.exit(run("floor", make, sys.argv))
"""


class Wire:
    """The car's side: records the time of every packet, sends STATE at 200 Hz."""

    def __init__(self, command_port: int, state_port: int | None) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._socket.bind(("127.0.0.1", command_port))
        self._socket.settimeout(0.1)
        self.arrived: dict[float, float] = {}
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._receive)]
        if state_port is not None:
            self._threads.append(threading.Thread(target=self._send, args=(state_port,)))
        for thread in self._threads:
            thread.start()

    def _receive(self) -> None:
        while not self._stop.is_set():
            try:
                data, ancillary, _, _ = self._socket.recvmsg(2048, 256)
            except TimeoutError:
                continue
            ((_, _, stamp),) = ancillary
            seconds, nanoseconds = TIMESPEC.unpack(stamp)
            (steer,) = struct.unpack_from("<d", data, 24)
            self.arrived.setdefault(round(steer, 6), seconds + 1e-9 * nanoseconds)

    def _send(self, port: int) -> None:
        sender = vds1.Sender()
        values = dict.fromkeys(vds1.State.__dataclass_fields__, 0.0)
        four = {n for n, f in vds1.State.__dataclass_fields__.items() if "PerWheel" in str(f.type)}
        values.update(dict.fromkeys(four, (0.0,) * 4))
        values.update(vx_mps=5.0, wheel_radius_nominal_m=0.338)
        state = vds1.State(**values)
        due = time.monotonic()
        while not self._stop.is_set():
            self._socket.sendto(sender.state(state, time.monotonic()), ("127.0.0.1", port))
            due += 0.005
            time.sleep(max(0.0, due - time.monotonic()))

    def close(self) -> None:
        """Stop the threads."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._socket.close()


@contextmanager
def child(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends as on Ctrl-C."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30.0)


def cpu_seconds(pids: list[int]) -> float:
    """CPU time that processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """All descendants of a process."""
    listing = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listing.stdout.splitlines()[1:]]
    family, grown = {pid}, True
    while grown:
        more = {p for p, parent in pairs if parent in family} - family
        family |= more
        grown = bool(more)
    return sorted(family - {pid})


def latencies(streams: list[tuple[str, Wire]], seconds: float) -> list[list[float]]:
    """Publish on every topic in turn, match each with its wire, in microseconds."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("bench", context=context)
    publishers = [node.create_publisher(VehicleControlCommand, topic, 1) for topic, _ in streams]
    while any(publisher.get_subscription_count() == 0 for publisher in publishers):
        time.sleep(0.05)
    measured: list[list[float]] = [[] for _ in streams]
    due = time.monotonic()
    for i in range(int(seconds * RATE_HZ)):
        phase = i % (2 * STEPS_N)
        # A triangle wave: every value is new within half a second, and slow enough for the limits.
        steer = STEP_RAD * (phase if phase < STEPS_N else 2 * STEPS_N - phase)
        key = round(struct.unpack("<f", struct.pack("<f", steer))[0], 6)
        message = VehicleControlCommand(long_accel_mps2=0.5, front_wheel_angle_rad=steer)
        for publisher, (_, wire), taken in zip(publishers, streams, measured, strict=True):
            wire.arrived.pop(key, None)
            sent = time.time()
            publisher.publish(message)
            due += 1.0 / RATE_HZ / len(streams)
            time.sleep(max(0.0, due - time.monotonic()))
            if key in wire.arrived and i > RATE_HZ:
                taken.append((wire.arrived[key] - sent) * 1e6)
    node.destroy_node()
    context.try_shutdown()
    return measured


def measure(composition: str, seconds: float) -> tuple[list[float], list[float], float]:
    """Latencies of one composition and of the floor; the composition's CPU share."""
    command_port, state_port = free_ports(2)
    wire = Wire(command_port, state_port)
    namespace = f"bench_{composition}"
    arguments = {
        "composition": composition,
        "control_command": "vehicle",
        "plant": "false",
        "auto_engage": "true",
        "plant_port": command_port,
        "state_port": state_port,
        "namespace": namespace,
    }
    command = ["ros2", "launch", "vdsim_interface", "vdsim.launch.py"]
    command += [f"{name}:={value}" for name, value in arguments.items()]
    with child(command) as launch:
        stack = Stack(f"/{namespace}", rate_hz=RATE_HZ)
        stack.wait(lambda: bool(stack.safety and stack.safety.vehicle_link_ok), "the interface")
        stack.command("vehicle_command", VehicleControlCommand(long_accel_mps2=0.5))
        stack.wait(lambda: stack.mode == AUTONOMOUS, "autonomous mode")
        stack.close()
        pids = descendants(launch.pid)
        with floor() as (floor_topic, floor_wire):
            before, start = cpu_seconds(pids), time.monotonic()
            streams = [(f"/{namespace}/vehicle_command", wire), (floor_topic, floor_wire)]
            measured, base = latencies(streams, seconds)
            share = (cpu_seconds(pids) - before) / (time.monotonic() - start)
    wire.close()
    return measured, base, share


@contextmanager
def floor() -> Iterator[tuple[str, Wire]]:
    """One hop and one sendto: its topic and its wire."""
    (port,) = free_ports(1)
    wire = Wire(port, None)
    with child([sys.executable, "-c", FLOOR, str(port)]):
        yield "/floor/vehicle_command", wire
    wire.close()


def row(name: str, measured: list[float], base: list[float], share: float) -> str:
    """One line of the table."""
    p50, floor_p50 = statistics.median(measured), statistics.median(base)
    p99 = sorted(measured)[int(0.99 * (len(measured) - 1))]
    ratio = p50 / floor_p50
    line = f"{name:<12}{p50:9.0f}{p99:9.0f}{max(measured):9.0f}{floor_p50:12.0f}{ratio:9.2f}"
    return f"{line}{100.0 * share:9.1f} %"


def slices(values: list[float], count: int = 8) -> list[list[float]]:
    """Consecutive parts of about the same length."""
    edges = [len(values) * k // count for k in range(count + 1)]
    return [values[low:high] for low, high in pairwise(edges)]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("compositions", nargs="*", help="these alone; all of them if none is named")
    given = parser.parse_args()
    with hold_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain.number)
        print_table(given.seconds, given.compositions or list(COMPOSITIONS))
    return 0


def print_table(seconds: float, compositions: Sequence[str]) -> None:
    """Measure each composition."""
    print("publish -> CMD on the wire [us]              floor    ratio   CPU of the")
    print(f"{'':12}{'p50':>9}{'p99':>9}{'max':>9}{'p50':>12}{'p50':>9}   interface")
    for name in compositions:
        measured, base, share = measure(name, seconds)
        print(row(name, measured, base, share), flush=True)
        # A lost packet shifts a stream by one, so that medians of slices are paired.
        mine, theirs = ([statistics.median(part) for part in slices(of)] for of in (measured, base))
        figures.figure(f"command to wire, {name}", "us", mine, "one hop of rclpy", theirs)


if __name__ == "__main__":
    sys.exit(main())
