"""How many vehicles one server process can run on one core: 100 Hz, CMD from and STATE to each.

    ./ws bench runtime/fleet [--vehicles 50 100 200] [--seconds 10]

A count passes when the process uses less than a core, skips no tick and accepts at least 99 % of
the commands. The target is 200.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from server_process import ServerProcess, command, controller_socket

RATE_HZ = 100.0


def controllers(address: tuple[str, int], count: int, stop: Event) -> None:
    """Send a CMD to every vehicle 100 times a second, spread over the period; drop the STATE."""
    with controller_socket() as controller:
        controller.setblocking(False)
        start, sent = time.monotonic(), 0
        while not stop.is_set():
            due = int((time.monotonic() - start) * RATE_HZ * count)
            while sent < due:
                packet = command(sent // count, 0.02, version=4, vehicle_id=sent % count)
                controller.sendto(packet, address)
                sent += 1
            time.sleep(0.001)


def hold(count: int, seconds: float) -> None:
    """Run one size of fleet and print how it went."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder) / "fleet.yaml"
        lines = (f"  - {{start: {{x_m: {10.0 * index:.1f}}}}}" for index in range(count))
        fleet.write_text("vehicles:\n" + "\n".join(lines) + "\n")
        options = ["--vehicles", str(fleet), "--state-port", "0"]
        options += ["--rate", f"{RATE_HZ:g}", "--tick-rate", f"{RATE_HZ:g}"]
        server = ServerProcess(*options)
        with server:
            stop = multiprocessing.Event()
            sender = multiprocessing.Process(target=controllers, args=(server.address, count, stop))
            sender.start()
            time.sleep(1.5)
            start, cpu = time.monotonic(), server.cpu_s()
            time.sleep(seconds)
            used = (server.cpu_s() - cpu) / (time.monotonic() - start)
            stop.set()
            sender.join()
    match = re.search(r"(\d+) ticks skipped", server.summary)
    skipped = int(match.group(1)) if match else -1
    per_tick_us = used / RATE_HZ / count * 1e6
    print(
        f"{count:4d} vehicles  {100 * used:5.1f} % of a core  {per_tick_us:5.1f} us a vehicle and "
        f"tick  {skipped} ticks skipped  {server.summary.partition('; ')[2]}",
        flush=True,
    )


def main() -> None:
    """Try the sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    for count in options.vehicles:
        hold(count, options.seconds)


if __name__ == "__main__":
    main()
