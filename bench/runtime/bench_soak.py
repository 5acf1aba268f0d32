"""Ten minutes through the chaos relay: no leak, no drift, no long pause, every packet accounted.

    ./ws bench runtime/soak [--seconds 600]

A controller sends 100 CMD a second through `vdsim_chaos`, which loses, delays, reorders,
duplicates, truncates and flips bits. Fails unless, at the end,

- the server has accepted, or dropped for a reason, exactly as many packets as the relay delivered,
- simulation time and the wall clock agree to a tick, skipped ticks counted,
- resident memory has not grown by more than 1 % since a tenth of the time had passed,
- no garbage collection took longer than 5 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from server_process import SOURCES, command, controller_socket

PLAN = """
seed: 11
routes:
  - name: cmd
    listen: 127.0.0.1:0
    target: 127.0.0.1:{port}
    to: {{loss: 0.02, burst: {{enter: 0.002, leave: 0.2}}, delay_s: 0.004, jitter_s: 0.008,
         reorder: 0.01, duplicate: 0.01, bit_flip: 0.01, truncate: 0.01}}
"""
LONGEST_PAUSE_S = 0.005


def serve(state_port: int) -> None:
    """The child: a server as `vdsim_realtime` runs it, that prints statistics at the end."""
    from vdsim_plant_node.live.realtime_hints import settle_garbage_collector, sharpen_timers
    from vdsim_plant_node.live.server import PlantServer
    from vdsim_plant_node.live.sessions import build_wire_vehicles
    from vdsim_plant_node.settings.options import server_settings

    settings = server_settings({"cmd_port": 0, "state_port": state_port})
    server = PlantServer(settings, build_wire_vehicles(settings))
    print(server.ports[0].address[1], flush=True)
    pauses = [(0.0, 0.0)]
    started = (0.0, 0.0)

    def watch(phase: str, info: dict[str, int]) -> None:
        nonlocal started
        if phase == "start":
            started = (time.thread_time(), time.perf_counter())
        else:
            pauses.append((time.thread_time() - started[0], time.perf_counter() - started[1]))

    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.append(number))
    sharpen_timers()
    settle_garbage_collector()
    gc.callbacks.append(watch)
    begin = time.monotonic()
    server.serve(lambda: bool(stopping))
    wall_s = time.monotonic() - begin
    snapshot = server.snapshot()
    report: dict[str, Any] = {
        "wall_s": wall_s,
        "sim_s": snapshot.ticks * settings.tick_s,
        "skipped_s": snapshot.pacing.skipped_ticks * settings.tick_s,
        "accepted": snapshot.ports[0].counters.accepted,
        "rejected": {
            reason.value: count
            for reason, count in snapshot.ports[0].counters.rejected.items()
            if count
        },
        "collections": len(pauses) - 1,
        "longest_pause_s": max(cpu_s for cpu_s, _ in pauses),
        "longest_pause_wall_s": max(wall_s for _, wall_s in pauses),
        "fail_safes": snapshot.vehicles[0].status.failsafes,
    }
    print(json.dumps(report), flush=True)


def start(*arguments: str) -> subprocess.Popen[str]:
    """A Python process; the caller waits for its first line."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(SOURCES)}
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def first_line(process: subprocess.Popen[str]) -> str:
    """The line that the process prints when it is ready."""
    assert process.stdout is not None
    return process.stdout.readline()


def resident_kb(pid: int) -> int:
    """Resident memory of a process [kB]."""
    match = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(match.group(1)) if match else 0


def soak(seconds: float, folder: Path) -> tuple[dict[str, Any], dict[str, int], list[int]]:
    """Run it: the server's report, the relay's counters, memory at a tenth and at the end."""
    with controller_socket() as controller:
        server = start(__file__, "--child", str(controller.getsockname()[1]))
        plan = folder / "plan.yaml"
        plan.write_text(PLAN.format(port=int(first_line(server))))
        relay = start("-m", "vdsim_protocol.cli.chaos", str(plan))
        match = re.search(r":(\d+)\s*$", first_line(relay))
        assert match is not None
        address = ("127.0.0.1", int(match.group(1)))
        memory: list[int] = []
        begin, sent = time.monotonic(), 0
        while (now := time.monotonic()) < begin + seconds:
            controller.sendto(command(sent, 0.02), address)
            sent += 1
            if not memory and now > begin + seconds / 10:
                memory.append(resident_kb(server.pid))
            time.sleep(max(0.0, begin + sent / 100.0 - time.monotonic()))
        time.sleep(1.0)
        memory.append(resident_kb(server.pid))
        relay.send_signal(signal.SIGINT)
        relay_output = relay.communicate(timeout=20.0)[0]
        server.send_signal(signal.SIGTERM)
        report = json.loads(server.communicate(timeout=20.0)[0])
    counters = json.loads(re.findall(r"cmd/to: (\{.*\})", relay_output)[0])
    return report, counters, memory


def judge(
    report: dict[str, Any], relay: dict[str, int], memory: list[int]
) -> list[tuple[str, bool]]:
    """The results, and whether each one passes."""
    dropped = sum(report["rejected"].values())
    drift_s = report["wall_s"] - report["sim_s"] - report["skipped_s"]
    grown = memory[-1] / memory[0] - 1.0
    return [
        (f"relay: {relay}", True),
        (f"server: {report}", True),
        (
            f"delivered {relay['delivered']} = taken {report['accepted']} + dropped {dropped}",
            relay["delivered"] == report["accepted"] + dropped,
        ),
        (f"wall clock - simulation time: {1e3 * drift_s:+.1f} ms", -0.005 < drift_s < 0.1),
        (f"resident memory {memory[0]} -> {memory[-1]} kB ({grown:+.2%})", grown < 0.01),
        (
            f"longest of {report['collections']} collections: "
            f"{1e3 * report['longest_pause_s']:.2f} ms of CPU time "
            f"({1e3 * report['longest_pause_wall_s']:.2f} ms with what else the machine did)",
            report["longest_pause_s"] < LONGEST_PAUSE_S,
        ),
    ]


def main() -> int:
    """Run the soak test and judge it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        serve(options.child)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        findings = judge(*soak(options.seconds, Path(folder)))
    for text, good in findings:
        print(f"{'ok  ' if good else 'FAIL'}  {text}")
    return 0 if all(good for _, good in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
