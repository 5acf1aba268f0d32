"""What hours of recording cost: size, CPU and closing time, of recorder and finisher.

The shipped recording gets the messages of a drive at 100 Hz (odometry, pose, tf, IMU, sensors, the
whole STATE, command traces; each value with noise of its own), stamped one period apart, as fast as
it takes them. The finisher is never more than a few segments behind, as in real time. DDS is not
part of it: the bytes are there. The reference is the writer of the package mcap in the same run: it
keeps nothing when its process is killed.

    ./ws bench record/long [--hours 6]
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/vdsim_protocol"))
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from rclpy.serialization import serialize_message
from vdsim_plant_node.runs.recording import Record, RecordKind
from vdsim_protocol_kit.vds1 import COMMAND, STATE
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.writer import FLUSH_S
from vdsim_record.recording import Recording
from vdsim_record.ros.from_vds import VehicleMessages
from vdsim_record.ros.type_texts import type_text

from vdsim_protocol import vds1

PERIOD_S, CONTENT_S = 0.01, 20.0
MOST_BEHIND = 4
CPU_SHARE, CLOSES_S = 0.15, 1.0
"""Targets: CPU of one core, closing time [s]."""
REFERENCE_SHARE = 0.1


class Content(NamedTuple):
    """Seconds of messages. `kinds`: topic -> type. `ticks`: (topic, bytes) of each period."""

    kinds: dict[str, str]
    ticks: list[list[tuple[str, bytes]]]


def content() -> Content:
    """Messages of a drive in which every number has noise."""
    draws, vehicle = random.Random(1), VehicleMessages(0, "")
    kinds: dict[str, str] = {}
    ticks = []
    noisy = [name for name, value in vars_of(STATE) if isinstance(value, float)]
    for n in range(round(CONTENT_S / PERIOD_S)):
        stamp = {"seq": n + 1, "timestamp_s": n * PERIOD_S, "version": 5}
        state = replace(STATE, **{name: draws.gauss(0.0, 1.0) for name in noisy})
        state = replace(state, yaw_rad=0.1 * math.sin(n), throttle_applied=draws.random())
        command = replace(COMMAND, throttle=draws.random())
        packets = (
            Record(RecordKind.CMD, 0, n, n * PERIOD_S, vds1.encode_command(command, **stamp)),
            Record(RecordKind.STATE, 0, n, n * PERIOD_S, vds1.encode_state(state, **stamp)),
        )
        tick = []
        for packet in packets:
            for topic, message in vehicle.of(packet):
                kind = type(message)
                kinds[topic] = f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
                tick.append((topic, bytes(serialize_message(message))))
        ticks.append(tick)
    return Content(kinds, ticks)


def vars_of(state: vds1.State) -> list[tuple[str, object]]:
    """The fields of a STATE."""
    return [(name, getattr(state, name)) for name in state.__dataclass_fields__]


def cpu_s(who: int) -> float:
    """CPU time of this process, or of its children that have ended [s]."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


class Cost(NamedTuple):
    """Of a recording: bytes, CPU of recorder and finisher [s], closing time [s], messages."""

    size: int
    recorder_s: float
    finisher_s: float
    closing_s: float
    messages_n: int


def recorded(made: Content, hours: float, target: Path) -> Cost:
    """Record with the shipped recording."""
    children_s, own_s = cpu_s(resource.RUSAGE_CHILDREN), cpu_s(resource.RUSAGE_SELF)
    recording = Recording(target, {"vdsim.versions": {"of": "bench"}}, 0.0)
    channels = {
        topic: recording.channel(f"/vehicle/{topic.strip('/')}", kind, type_text(kind), {})
        for topic, kind in made.kinds.items()
    }
    journal = JournalFolder.of(target)
    messages_n, turn_every = 0, round(FLUSH_S / PERIOD_S)
    for n in range(round(hours * 3600 / PERIOD_S)):
        now_ns = round(n * PERIOD_S * 1e9)
        for topic, data in made.ticks[n % len(made.ticks)]:
            recording.message(channels[topic], data, now_ns, now_ns)
            messages_n += 1
        if n % turn_every == 0:
            recording.turn(n * PERIOD_S)
        if n % 500 == 0:
            wait_for(journal)
    wait_for(journal)
    own_s = cpu_s(resource.RUSAGE_SELF) - own_s
    begun_s = time.monotonic()
    if recording.close() is not None:
        raise SystemExit("the finisher did not complete the file")
    closing_s = time.monotonic() - begun_s
    children_s = cpu_s(resource.RUSAGE_CHILDREN) - children_s
    return Cost(target.stat().st_size, own_s, children_s, closing_s, messages_n)


def wait_for(journal: JournalFolder) -> None:
    """Let the finisher keep up, as it does in real time."""
    while len(journal.segments()) > MOST_BEHIND:
        time.sleep(0.02)


def referred(made: Content, hours: float, target: Path) -> Cost:
    """The same by the package's own writer, in one process."""
    own_s, messages_n = cpu_s(resource.RUSAGE_SELF), 0
    with target.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.ZSTD)
        writer.start("ros2", "bench")
        channels = {}
        for topic, kind in made.kinds.items():
            schema = writer.register_schema(kind, "ros2msg", type_text(kind).encode())
            channels[topic] = writer.register_channel(f"/vehicle/{topic}", "cdr", schema)
        for n in range(round(hours * 3600 / PERIOD_S)):
            now_ns = round(n * PERIOD_S * 1e9)
            for topic, data in made.ticks[n % len(made.ticks)]:
                messages_n += 1
                writer.add_message(channels[topic], now_ns, data, now_ns, messages_n)
        begun_s = time.monotonic()
        writer.finish()
    used_s = cpu_s(resource.RUSAGE_SELF) - own_s
    return Cost(target.stat().st_size, used_s, 0.0, time.monotonic() - begun_s, messages_n)


def line(name: str, cost: Cost, hours: float) -> str:
    """One row."""
    share = 100.0 * (cost.recorder_s + cost.finisher_s) / (hours * 3600)
    return (
        f"{name:<12}{hours:6g} h{cost.messages_n:12d}{cost.size / 1e9 / hours:12.3f} GB/h"
        f"{cost.recorder_s / hours:10.1f}{cost.finisher_s / hours:10.1f} s/h{share:8.1f} %"
        f"{cost.closing_s:10.3f} s"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for the recording, and one for the reference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=6.0)
    hours = parser.parse_args(arguments).hours
    made = content()
    with tempfile.TemporaryDirectory(prefix="vdsim-long-") as folder:
        target = Path(folder) / "drive.mcap"
        cost = recorded(made, hours, target)
        with target.open("rb") as stream:
            summary = make_reader(stream).get_summary()
            assert summary is not None
            assert summary.statistics is not None
            if summary.statistics.message_count != cost.messages_n:
                raise SystemExit(f"{summary.statistics.message_count} messages are in the file")
        target.unlink()
        reference = referred(made, REFERENCE_SHARE * hours, Path(folder) / "reference.mcap")
    print(f"{len(made.kinds)} topics, {len(made.ticks[-1]) / PERIOD_S:g} messages a second")
    print(
        f"{'':<12}{'':>8}{'messages':>12}{'size':>17}{'recorder':>10}{'finisher':>14}"
        f"{'CPU':>10}{'closing':>12}"
    )
    print(line("recording", cost, hours))
    print(line("mcap alone", reference, REFERENCE_SHARE * hours))
    share = (cost.recorder_s + cost.finisher_s) / (hours * 3600)
    is_met = share <= CPU_SHARE and cost.closing_s <= CLOSES_S
    word = "met" if is_met else "missed"
    print(f"targets: {100 * CPU_SHARE:g} % of a core, closed within {CLOSES_S:g} s: {word}")
    return int(not is_met)


if __name__ == "__main__":
    sys.exit(main())
