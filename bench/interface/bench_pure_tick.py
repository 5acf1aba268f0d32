"""How long one tick of the pure pipeline takes, by command level and platform.

tick: receive a command; run controller, filter, safety and platform; encode.
trace: what a subscriber of the command trace adds; without one no trace is made.
report: receive one STATE datagram: check, decode, feed back, link statistics.
gate: the last gate alone, once more over the packets of these ticks, and its share of a tick.
wire: encode the command alone, as a floor: no tick that sends can take less.
On `fake` a tick also moves the simulated car; the limit is for vds1. No ROS, no socket. CPU
time of this thread, so that other load matters less.

    ./ws bench interface/pure_tick [--ticks 20000]
"""

import argparse
import gc
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_interface.filter.parameters import AccelerationFilter, FilterParameters, FrontAngleFilter
from vdsim_interface.gate import gate
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Command, HighLevelCommand, Mode, RawCommand, VehicleCommand

from vdsim_protocol import vds1

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import figures

LIMIT_US, GATE_LIMIT_US = 60.0, 4.0
BLOCK_N = 500
SOURCE = ("127.0.0.1", 7001)


def swing(now: float, size: float) -> float:
    """A different value in every period, as from a planner; no limit clips it."""
    return size * math.sin(now)


COMMANDS: dict[str, Callable[[float], Command]] = {
    "high_level": lambda now: HighLevelCommand(now, 8.0 + swing(now, 0.5), swing(now, 0.01)),
    "vehicle": lambda now: VehicleCommand(
        now, 1.0 if now < 8.0 else swing(now, 0.5), swing(now, 0.02)
    ),
    "raw": lambda now: RawCommand(now, 100, 0, int(swing(now, 20.0)), 0),
}


def state_packets(count: int, sender: vds1.Sender, start: float) -> list[bytes]:
    """STATE packets of a car that drives steadily at 8 m/s."""
    wheels = (24.0, 24.0, 24.0, 24.0)
    zero = (0.0, 0.0, 0.0, 0.0)
    made = []
    for number in range(count):
        state = vds1.State(
            *(0.08 * number, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.08, 0.0, 0.64),
            wheels,
            *(0.03, 0.338),
            *((5800.0, 5800.0, 5800.0, 5800.0), 0.0, zero, zero, zero),
            *(0.0, 0.64, 0.08, 0.03, 0.0, 0.0),
            *(zero, zero),
        )
        made.append(sender.state(state, start + 0.01 * number))
    return made


def make_pipeline(level: str, platform: str, filtered: bool) -> Pipeline:
    """A pipeline with auto_engage."""
    channels = FilterParameters(
        AccelerationFilter(type="butterworth"), FrontAngleFilter(type="butterworth")
    )
    parameters = InterfaceParameters(
        control_command=level,
        filter=channels if filtered else FilterParameters(),
        safety=SafetyParameters(auto_engage=True),
    )
    spec = platform_spec(platform)
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    platform = spec.create(spec.parameters(), setup)
    return Pipeline(parameters, platform, spec.capabilities)


def measure(
    level: str, platform: str, filtered: bool, ticks: int
) -> tuple[list[float], list[float], list[float], list[float], list[float]]:
    """Microseconds a tick, a trace, a report, the gate and a bare encoding: one value a block."""
    pipeline = make_pipeline(level, platform, filtered)
    sender = vds1.Sender()
    make, now = COMMANDS[level], 0.0
    tick_blocks, trace_blocks, report_blocks, gate_blocks, wire_blocks = [], [], [], [], []
    wire, on_wire = vds1.Sender(), vds1.Command(0.1, 0.25, 0.0, 1, False)
    clock = time.thread_time
    for _ in range(ticks // BLOCK_N):
        packets = state_packets(BLOCK_N, sender, now) if platform == "vds1" else [b""] * BLOCK_N
        tick_s = trace_s = report_s = wire_s = 0.0
        judged = []
        for packet in packets:
            now += 0.01
            if packet:
                begin = clock()
                pipeline.on_datagram(packet, SOURCE, "vds1", now)
                report_s += clock() - begin
            command = make(now)
            begin = clock()
            pipeline.on_command(command, now)
            output = pipeline.tick(now)
            tick_s += clock() - begin
            judged.append(pipeline.vehicle_side.judged)
            begin = clock()
            assert trace_of(output).stamp_s == now
            trace_s += clock() - begin
            begin = clock()
            wire.command(on_wire, now)
            wire_s += clock() - begin
        begin = clock()
        for before, wanted, facts, _, limits in judged:
            gate(before, wanted, facts, limits)
        gate_blocks.append((clock() - begin) / BLOCK_N * 1e6)
        tick_blocks.append(tick_s / BLOCK_N * 1e6)
        trace_blocks.append(trace_s / BLOCK_N * 1e6)
        report_blocks.append(report_s / BLOCK_N * 1e6)
        wire_blocks.append(wire_s / BLOCK_N * 1e6)
    assert pipeline.mode is Mode.AUTONOMOUS, "the benchmark must measure a driving pipeline"
    blocks = tick_blocks, trace_blocks, report_blocks, gate_blocks, wire_blocks
    ticked, traced, reported, gated, wired = (values[1:] for values in blocks)
    return ticked, traced, reported, gated, wired


def main() -> int:
    """Print a table; return 1 when the slowest median, or that of the gate, is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ticks", type=int, default=20000)
    ticks = max(parser.parse_args().ticks, 4 * BLOCK_N)
    gc.collect()
    gc.freeze()
    print(f"microseconds of CPU, {ticks} ticks in blocks of {BLOCK_N}")
    print(
        f"  {'platform':8} {'level':26} {'tick p50':>9} {'fastest':>8} {'trace':>8} {'report':>8}"
        f" {'gate':>8} {'of tick':>8} {'wire':>8}"
    )
    worst = worst_gate = 0.0
    for platform in ("vds1", "fake"):
        for level in COMMANDS:
            for filtered in (False, True) if level != "raw" else (False,):
                ticked, traced, reported, gated, wired = measure(level, platform, filtered, ticks)
                median = statistics.median(ticked)
                worst_gate = max(worst_gate, statistics.median(gated))
                if platform == "vds1":
                    worst = max(worst, median)
                name = level + (" + butterworth" if filtered else "")
                if platform == "vds1":
                    figures.figure(f"a tick, {name}", "us of CPU", ticked, "its encoding", wired)
                    figures.figure(f"the gate, {name}", "us of CPU", gated, "its tick", ticked)
                line = f"  {platform:8} {name:26} {median:9.1f} {min(ticked):8.1f}"
                share = statistics.median(a / b for a, b in zip(gated, ticked, strict=True))
                parts = [f"{statistics.median(of):8.1f}" for of in (traced, reported, gated, wired)]
                parts.insert(3, f"{share:8.0%}")
                print(" ".join((line, *parts)))
    print(f"slowest median tick with the wire: {worst:.1f} us, limit {LIMIT_US:g} us")
    print(f"slowest median gate: {worst_gate:.1f} us, limit {GATE_LIMIT_US:g} us")
    return int(worst > LIMIT_US or worst_gate > GATE_LIMIT_US)


if __name__ == "__main__":
    sys.exit(main())
