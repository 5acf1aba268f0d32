"""How evenly frames leave the launched interface on a CAN bus, beside a bare loop.

The page's two processes run, vdsim_can_car and the launch under the guard. The car has no driver,
so that neutral frames are sent. DBW_STEER_CMD is received with the kernel's time stamps. At the
same time a bare loop sends a frame of the same cycle on a bus of its own, received in the same way.
Printed: how far the gaps between two frames are from the cycle. No goal: a machine without a
real-time kernel promises none.

    ./ws bench interface/can_jitter [--seconds 20]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from select import select

from vdsim_can.bus.opening import CanPort, open_transport
from vdsim_can.frame import Frame, unpacked
from vdsim_can.platform.loading import car_named

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test"))
from vdsim_kit.domains import hold_domain
from vdsim_kit.ports import free_ports

MESSAGE, CHANNEL = "DBW_STEER_CMD", "main"
PATIENCE_S = 90.0
BARE = """
import sys
import time
from vdsim_can.bus.opening import open_transport
from vdsim_can.frame import Frame, packed
port = open_transport("udp_multicast", "main", int(sys.argv[1]), fd=False)
cycle_s = float(sys.argv[2])
data, due_s = packed(Frame(0x200, bytes(8))), time.monotonic()
while True:
    due_s += cycle_s
    time.sleep(max(due_s - time.monotonic(), 0.0))
    port.sendto(data, ("main", 0))
"""


@contextmanager
def running(*command: str) -> Iterator[None]:
    """A process with all that it starts, ended at the end."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def read(port: CanPort, can_id: int, stamps_s: list[float]) -> None:
    """Add the time stamps of the frames that have arrived."""
    for data in port.drain():
        frame = unpacked(data)
        if isinstance(frame, Frame) and frame.can_id == can_id:
            stamps_s.append(port.stamp_s)


def measure(ports: list[CanPort], can_ids: list[int], seconds: float) -> list[list[float]]:
    """Return the time stamps of both buses, from when both have frames on."""
    stamps: list[list[float]] = [[], []]
    until_s = time.monotonic() + PATIENCE_S
    begun = False
    while time.monotonic() < until_s:
        select([port.fileno() for port in ports], [], [], 0.5)
        for each in zip(ports, can_ids, stamps, strict=True):
            read(*each)
        if not begun and all(len(each) > 50 for each in stamps):
            begun, until_s = True, time.monotonic() + seconds
            for each in stamps:
                each.clear()
    for port in ports:
        port.close()
    if not begun:
        raise SystemExit("no frame leaves: is the machine too busy?")
    return stamps


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    car = car_named("vdsim_dbw")
    cycle_s, can_id = 1e-3 * car.send[MESSAGE].cycle_ms, car.message(MESSAGE).can_id
    hold_domain()
    shared, bare = free_ports(2)
    ports = [open_transport("udp_multicast", CHANNEL, port, fd=False) for port in (shared, bare)]
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "own.yaml"
        own.write_text(f"/**:\n  ros__parameters:\n    can: {{port: {shared}}}\n")
        launch = ("ros2", "launch", "vdsim_interface", "vdsim.launch.py", "platform:=can")
        launch = (*launch, "rig:=driverless", f"car_params_file:={own}")
        with (
            running(sys.executable, "-m", "vdsim_can.cli.car", "vdsim_dbw", "--port", str(shared)),
            running(*launch),
            running(sys.executable, "-c", BARE, str(bare), str(cycle_s)),
        ):
            found = measure(ports, [can_id, 0x200], seconds)
    load = os.getloadavg()[0]
    print(f"{seconds:g} s, a cycle of {1e3 * cycle_s:g} ms, load {load:.1f}; ms off the cycle")
    print(f"  {'':22} {'frames':>7} {'median':>8} {'99 %':>8} {'worst':>8}")
    for name, stamps_s in zip((f"interface, {MESSAGE}", "bare loop"), found, strict=True):
        off_ms = sorted(1e3 * abs(b - a - cycle_s) for a, b in pairwise(stamps_s))
        places = (len(off_ms) // 2, 99 * len(off_ms) // 100, len(off_ms) - 1)
        numbers = " ".join(f"{off_ms[place]:8.2f}" for place in places)
        print(f"  {name:24.24} {len(stamps_s):5} {numbers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
