"""What the platform `can` adds to a tick: its CPU time beside a bare codec loop, in one run.

period: decode a period's frames of the car, tick, encode and pack what is due, on platform `can`.
tick: the same pipeline with a platform that has its report ready and packs nothing.
codec: unpack the same frames and pack the same frames, checksums included, and nothing else.
The goal is period <= 1.3 * (tick + codec); a ratio above HELD ends with 1. frames/s: the share of a
core that 1 000 frames a second take. No ROS, no socket; CPU time of this thread, so that other load
matters less.

    ./ws bench interface/can [--periods 4000]
"""

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Mapping

from vdsim_can.car import CarFile
from vdsim_can.ecu.driven_car import DrivenCar
from vdsim_can.ecu.ecus import Ecus
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_can.platform.car_parts import capabilities_of
from vdsim_can.platform.loading import car_named
from vdsim_can.platform.parameters import CanParameters
from vdsim_can.platform.platform import CanPlatform
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.spec import (
    Address,
    Encoded,
    Endpoint,
    PlatformSetup,
    Received,
)
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    HighLevelCommand,
    Mode,
    PlatformCommand,
    VehicleReport,
)
from vdsim_plant.session import SimSession

GOAL, HELD = 1.3, 3.0
SHARE_GOAL = 0.1
BLOCK_N = 200
PERIOD_S, TICK_S = 0.01, 0.005
SOURCE: Address = ("main", 0)
Period = list[tuple[str, bytes]]


class ReadyPlatform:
    """A platform that costs nothing: its report and its answer to a command are ready."""

    def __init__(self) -> None:
        self.report: VehicleReport | None = None
        self.encoded = Encoded(())

    def endpoints(self) -> tuple[Endpoint, ...]:
        """As one with a wire: it is not polled."""
        return (Endpoint("main", None, (SOURCE,)),)

    def encode(self, command: PlatformCommand, now: float) -> Encoded:
        """Return what the other run has sent."""
        return self.encoded

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        """Return the report of the other run."""
        return Received(self.report)

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        """Return nothing."""
        return ()

    def auxiliary(self, command: object, now: float) -> tuple[()]:
        """Take nothing."""
        return ()

    def link_statistics(self, now: float) -> Mapping[str, float]:
        """No figures."""
        return {}


def drive(car: CarFile, periods: int) -> tuple[list[float], list[float], list[float], float]:
    """Return microseconds a period of `can`, tick and codec, one a block, and frames a period."""
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    platform = CanPlatform(CanParameters(), PlatformSetup(parameters.vehicle, PERIOD_S), car)
    pipeline = Pipeline(parameters, platform, capabilities_of(car))
    ready = ReadyPlatform()
    bare = Pipeline(parameters, ready, capabilities_of(car))
    wires = {
        (bus.name, wire.message.can_id): wire
        for bus in car.buses.values()
        for row in (*car.send.values(), *car.receive.values())
        if row.bus == bus.name
        for wire in (WireMessage(car, row),)
    }
    driven = DrivenCar(
        SimSession("ioniq5_awd"), Ecus(car, TICK_S), load_pedal_map("ioniq5_awd"), TICK_S
    )
    clock, now, frames_n = time.thread_time, 0.0, 0
    blocks: tuple[list[float], list[float], list[float]] = ([], [], [])
    for _ in range(periods // BLOCK_N):
        spent = [0.0, 0.0, 0.0]
        for _ in range(BLOCK_N):
            arrived: Period = []
            for _ in range(2):
                now += TICK_S
                arrived += [(bus, packed(frame)) for bus, frame in driven.tick(now)]
            command = HighLevelCommand(now, 8.0, 0.002)
            begin = clock()
            for bus, data in arrived:
                pipeline.on_datagram(data, SOURCE, bus, now)
            pipeline.on_command(command, now)
            sent = pipeline.tick(now).datagrams
            spent[0] += clock() - begin
            ready.report = pipeline.vehicle_side.report
            ready.encoded = pipeline.vehicle_side.encoded._replace(datagrams=())
            begin = clock()
            if ready.report is not None and ready.report.stamp_s == now:
                bare.on_datagram(b"", SOURCE, "main", now)
            bare.on_command(command, now)
            bare.tick(now)
            spent[1] += clock() - begin
            values = [(wires[bus, _frame(data).can_id], data) for bus, data in sent]
            raws = [(wire, wire.unpack(_frame(data).data)) for wire, data in values]
            begin = clock()
            for bus, data in arrived:
                frame = unpacked(data)
                assert isinstance(frame, Frame)
                wire = wires[bus, frame.can_id]
                wire.checksum_fits(frame.data)
                wire.unpack(frame.data)
            for wire, raw in raws:
                packed(wire.frame(raw, 0))
            spent[2] += clock() - begin
            frames_n += len(arrived) + len(sent)
            for bus, data in sent:
                driven.receive(bus, _frame(data), now)
        for block, seconds in zip(blocks, spent, strict=True):
            block.append(seconds / BLOCK_N * 1e6)
    assert pipeline.mode is bare.mode is Mode.AUTONOMOUS, "both pipelines must drive"
    return blocks[0][2:], blocks[1][2:], blocks[2][2:], frames_n / (periods // BLOCK_N * BLOCK_N)


def _frame(data: bytes) -> Frame:
    frame = unpacked(data)
    assert isinstance(frame, Frame)
    return frame


def main() -> int:
    """Print a table; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--periods", type=int, default=4000)
    periods = max(parser.parse_args().periods, 4 * BLOCK_N)
    gc.collect()
    gc.freeze()
    missed = False
    print(f"microseconds of CPU a period, {periods} periods in blocks of {BLOCK_N}")
    print(f"  {'car':14} {'frames':>7} {'period':>8} {'tick':>8} {'codec':>8} {'ratio':>6}")
    for name in ("vdsim_dbw", "safety_island"):
        period, tick, codec, frames = drive(car_named(name), periods)
        medians = [statistics.median(block) for block in (period, tick, codec)]
        ratio = medians[0] / (medians[1] + medians[2])
        share = (medians[0] - medians[1]) / frames * 1e-6 * 1000.0
        missed = missed or ratio > HELD or share > SHARE_GOAL
        numbers = " ".join(f"{value:8.1f}" for value in medians)
        print(f"  {name:14} {frames:7.1f} {numbers} {ratio:6.2f}   goal {GOAL:g}, held {HELD:g}")
        print(
            f"  1 000 frames/s take {100.0 * share:.1f} % of a core   goal {100 * SHARE_GOAL:g} %"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
