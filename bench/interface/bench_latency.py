"""From publishing a command to its CMD packet on the wire, and the interface's CPU, by composition.

    ./ws bench interface/latency [--seconds 10]

A steering command that is different each time is published at 100 Hz; the packet that carries its
value is waited for. STATE arrives at 200 Hz meanwhile. The floor, measured in turn in the same run,
is one hop through rclpy with the same executor and one sendto: a node that does nothing else. It is
taken twice: on a machine with nothing else to do, and while the same STATE packets are sent to a
socket that it never reads, which keeps the machine awake as it is under the interface.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rclpy

from vdsim_msgs.msg import VehicleControlCommand
from vdsim_protocol import vds1

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "kit"))
from driving_kit import AUTONOMOUS, Stack
from ports_kit import free_ports

RATE_HZ = 100.0
STEP_RAD = 0.0005
STEPS_N = 100
COMPOSITIONS = ("single", "container", "processes")
FLOOR = """
import socket, sys
import rclpy
from vdsim_interface.nodes.running import run
from vdsim_msgs.msg import VehicleControlCommand
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port = int(sys.argv[1])
unread = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
unread.bind(("127.0.0.1", int(sys.argv[2])))
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
    """The car's end: takes the time of every packet, answers with STATE at 200 Hz."""

    def __init__(self, command_port: int, state_port: int | None) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
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
                data = self._socket.recv(2048)
            except TimeoutError:
                continue
            now = time.monotonic()
            (steer,) = struct.unpack_from("<d", data, 24)
            self.arrived.setdefault(round(steer, 6), now)

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
    """A process that is ended as Ctrl-C ends it."""
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
    """Every process below one."""
    listing = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listing.stdout.splitlines()[1:]]
    found, grown = {pid}, True
    while grown:
        more = {p for p, parent in pairs if parent in found} - found
        found |= more
        grown = bool(more)
    return sorted(found - {pid})


def latencies(topic: str, wire: Wire, seconds: float) -> list[float]:
    """Publish and match, in microseconds."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("bench", context=context)
    publisher = node.create_publisher(VehicleControlCommand, topic, 1)
    while publisher.get_subscription_count() == 0:
        time.sleep(0.05)
    found = []
    due = time.monotonic()
    for i in range(int(seconds * RATE_HZ)):
        phase = i % (2 * STEPS_N)
        # A triangle wave: every value is new within half a second, and slow enough for the limits.
        steer = STEP_RAD * (phase if phase < STEPS_N else 2 * STEPS_N - phase)
        key = round(struct.unpack("<f", struct.pack("<f", steer))[0], 6)
        wire.arrived.pop(key, None)
        message = VehicleControlCommand(long_accel_mps2=0.5, front_wheel_angle_rad=steer)
        sent = time.monotonic()
        publisher.publish(message)
        due += 1.0 / RATE_HZ
        time.sleep(max(0.0, due - time.monotonic()))
        if key in wire.arrived and i > RATE_HZ:
            found.append((wire.arrived[key] - sent) * 1e6)
    node.destroy_node()
    context.try_shutdown()
    return found


def measure(composition: str, seconds: float) -> tuple[list[float], float]:
    """Latencies and CPU share of one composition."""
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
        before, start = cpu_seconds(pids), time.monotonic()
        found = latencies(f"/{namespace}/vehicle_command", wire, seconds)
        share = (cpu_seconds(pids) - before) / (time.monotonic() - start)
    wire.close()
    return found, share


def floor(seconds: float, *, loaded: bool) -> list[float]:
    """One hop and one sendto."""
    port, state_port = free_ports(2)
    wire = Wire(port, state_port if loaded else None)
    with child([sys.executable, "-c", FLOOR, str(port), str(state_port)]):
        found = latencies("/floor/vehicle_command", wire, seconds)
    wire.close()
    return found


def row(name: str, found: list[float], floors: tuple[float, float], share: float | None) -> str:
    """One line of the table."""
    p50 = statistics.median(found)
    p99 = sorted(found)[int(0.99 * (len(found) - 1))]
    cpu = "" if share is None else f"{100.0 * share:6.1f} %"
    ratios = "".join(f"{p50 / base:9.2f}" for base in floors)
    return f"{name:<14}{p50:9.0f}{p99:9.0f}{max(found):9.0f}{ratios}  {cpu}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    os.environ.setdefault("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    idle, loaded = floor(seconds, loaded=False), floor(seconds, loaded=True)
    rows = [(name, *measure(name, seconds)) for name in COMPOSITIONS]
    idle += floor(seconds, loaded=False)
    loaded += floor(seconds, loaded=True)
    floors = statistics.median(idle), statistics.median(loaded)
    print("publish -> CMD on the wire [us]                  p50 against the floor   CPU of the")
    print(f"{'':14}{'p50':>9}{'p99':>9}{'max':>9}{'idle':>9}{'awake':>9}   interface")
    print(row("floor, idle", idle, floors, None))
    print(row("floor, awake", loaded, floors, None))
    for name, found, share in rows:
        print(row(name, found, floors, share))
    return 0


if __name__ == "__main__":
    sys.exit(main())
