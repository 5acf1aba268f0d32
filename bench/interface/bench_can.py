"""What the platform `can` adds to a tick: its CPU time beside a bare codec loop, in one run.

period: decode a period's frames of the car, tick, encode and pack what is due, on platform `can`.
tick: the same pipeline with a platform that has its report ready and packs nothing.
codec: unpack the same frames and pack the same frames, checksums included, and nothing else.
The goal is period <= 1.3 * (tick + codec); a ratio above HELD ends with 1. vds1: the same of our
own wire, a packet each way, by whose ratio the goal can be judged. frames/s: the share of a core
that 1 000 frames a second take. No ROS, no socket; CPU time of this thread, so that other load
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
from vdsim_interface.platforms.vds1 import SPEC as VDS1
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    HighLevelCommand,
    Mode,
    PlatformCommand,
    VehicleReport,
)
from vdsim_plant.session import SimSession

from vdsim_protocol import vds1

GOAL, HELD = 1.3, 2.5
SHARE_GOAL = 0.1
BLOCK_N = 200
PERIOD_S, TICK_S = 0.01, 0.005
SOURCE: Address = ("main", 0)
ADDRESS: Address = ("127.0.0.1", 7001)
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


def recorded(car: CarFile, periods: int) -> list[Period]:
    """Return what the car sends in each period of a drive."""
    pipeline = _pipeline(car)
    driven = DrivenCar(
        SimSession("ioniq5_awd"), Ecus(car, TICK_S), load_pedal_map("ioniq5_awd"), TICK_S
    )
    now, drive = 0.0, []
    for _ in range(periods):
        arrived: Period = []
        for _ in range(2):
            now += TICK_S
            arrived += [(bus, packed(frame)) for bus, frame in driven.tick(now)]
        drive.append(arrived)
        for bus, data in arrived:
            pipeline.on_datagram(data, SOURCE, bus, now)
        pipeline.on_command(_command(now), now)
        for bus, data in pipeline.tick(now).datagrams:
            driven.receive(bus, _frame(data), now)
    return drive


def _pipeline(car: CarFile) -> Pipeline:
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    platform = CanPlatform(CanParameters(), PlatformSetup(parameters.vehicle, PERIOD_S), car)
    return Pipeline(parameters, platform, capabilities_of(car))


def _command(now: float) -> HighLevelCommand:
    return HighLevelCommand(now, 8.0, 0.002)


def drive(car: CarFile, periods: int) -> tuple[list[float], list[float], list[float], float]:
    """Return microseconds a period of `can`, tick and codec, one a block, and frames a period.

    The car drove before: its plant runs between none of what is compared, and no cache is colder
    for the one than for the others.
    """
    pipeline = _pipeline(car)
    ready = ReadyPlatform()
    bare = Pipeline(pipeline.parameters, ready, capabilities_of(car))
    wires = {
        (bus.name, wire.message.can_id): wire
        for bus in car.buses.values()
        for row in (*car.send.values(), *car.receive.values())
        if row.bus == bus.name
        for wire in (WireMessage(car, row),)
    }
    clock, now, frames_n = time.thread_time, 0.0, 0
    blocks: tuple[list[float], list[float], list[float]] = ([], [], [])
    spent = [0.0, 0.0, 0.0]
    for number, arrived in enumerate(recorded(car, periods), 1):
        now += TICK_S
        now += TICK_S
        command = _command(now)
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
            wires[bus, frame.can_id].read(frame.data)
        for wire, raw in raws:
            packed(wire.frame(raw, 0))
        spent[2] += clock() - begin
        frames_n += len(arrived) + len(sent)
        if not number % BLOCK_N:
            for block, seconds in zip(blocks, spent, strict=True):
                block.append(seconds / BLOCK_N * 1e6)
            spent = [0.0, 0.0, 0.0]
    assert pipeline.mode is bare.mode is Mode.AUTONOMOUS, "both pipelines must drive"
    return blocks[0][2:], blocks[1][2:], blocks[2][2:], frames_n / periods


def drive_vds1(periods: int) -> tuple[list[float], list[float], list[float], float]:
    """The same of VDS1: a STATE and a CMD a period."""
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    platform = VDS1.create(VDS1.parameters(), PlatformSetup(parameters.vehicle, PERIOD_S))
    pipeline = Pipeline(parameters, platform, VDS1.capabilities)
    ready = ReadyPlatform()
    bare = Pipeline(parameters, ready, VDS1.capabilities)
    sender, wire, sent = vds1.Sender(), vds1.Sender(), vds1.Command(0.1, 0.25, 0.0, 1, False)
    clock, now, rolled_m = time.thread_time, 0.0, 0.0
    blocks: tuple[list[float], list[float], list[float]] = ([], [], [])
    for _ in range(periods // BLOCK_N):
        spent = [0.0, 0.0, 0.0]
        for _ in range(BLOCK_N):
            now, rolled_m = now + PERIOD_S, rolled_m + 8.0 * PERIOD_S
            packet = sender.state(_state(rolled_m), now)
            command = HighLevelCommand(now, 8.0, 0.002)
            begin = clock()
            pipeline.on_datagram(packet, ADDRESS, "vds1", now)
            pipeline.on_command(command, now)
            pipeline.tick(now)
            spent[0] += clock() - begin
            ready.report = pipeline.vehicle_side.report
            ready.encoded = pipeline.vehicle_side.encoded._replace(datagrams=())
            begin = clock()
            bare.on_datagram(b"", ADDRESS, "vds1", now)
            bare.on_command(command, now)
            bare.tick(now)
            spent[1] += clock() - begin
            begin = clock()
            vds1.decode(packet)
            wire.command(sent, now)
            spent[2] += clock() - begin
        for block, seconds in zip(blocks, spent, strict=True):
            block.append(seconds / BLOCK_N * 1e6)
    assert pipeline.mode is bare.mode is Mode.AUTONOMOUS, "both pipelines must drive"
    return blocks[0][2:], blocks[1][2:], blocks[2][2:], 2.0


def _state(rolled_m: float) -> vds1.State:
    """A car that drives steadily at 8 m/s."""
    zero = (0.0, 0.0, 0.0, 0.0)
    return vds1.State(
        *(rolled_m, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.08, 0.0, 0.64),
        (24.0, 24.0, 24.0, 24.0),
        *(0.03, 0.338),
        *((5800.0, 5800.0, 5800.0, 5800.0), 0.0, zero, zero, zero),
        *(0.0, 0.64, 0.08, 0.03, 0.0, 0.0),
        *(zero, zero),
    )


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
    for name in ("vdsim_dbw", "safety_island", "vds1"):
        measured = drive_vds1(periods) if name == "vds1" else drive(car_named(name), periods)
        period, tick, codec, frames = measured
        medians = [statistics.median(block) for block in (period, tick, codec)]
        ratio = medians[0] / (medians[1] + medians[2])
        share = (medians[0] - medians[1]) / frames * 1e-6 * 1000.0
        numbers = " ".join(f"{value:8.1f}" for value in medians)
        if name == "vds1":
            print(f"  {name:14} {frames:7.1f} {numbers} {ratio:6.2f}   for comparison")
            continue
        missed = missed or ratio > HELD or share > SHARE_GOAL
        print(f"  {name:14} {frames:7.1f} {numbers} {ratio:6.2f}   goal {GOAL:g}, held {HELD:g}")
        print(
            f"  1 000 frames/s take {100.0 * share:.1f} % of a core   goal {100 * SHARE_GOAL:g} %"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
