"""`vdsim_record_kills N`: end the processes of recordings by kill -9 at N random moments.

Each recording gets messages of 20 topics at 100 Hz from a generator in the recorder's process. What
it has received it notes in memory that outlives it; what the file has is read back by the reader of
the package mcap. In turn the recorder is killed, its finisher, and both at once; where both are
gone, `vdsim_replay finish` runs.

Exit codes: 0 every file was complete in time and lost no more than 0.2 s, 1 one was not.
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mcap.reader import make_reader
from vdsim_protocol.checked_file import open_checked

from vdsim_record.journal.folder import JournalFolder
from vdsim_record.journal.writer import FLUSH_S
from vdsim_record.mcap_file.finishing import finish
from vdsim_record.mcap_file.growing_file import LARGEST_FILE
from vdsim_record.recording import Recording

PROGRAM = "vdsim_record_kills"
KINDS = ("recorder", "finisher", "both")
MOST_LOST_S, COMPLETE_WITHIN_S = 0.2, 1.0
_PATIENCE_S = 180.0
_TOPICS, _PERIOD_S = 20, 0.01
_DATA = b"\0\1\0\0" + struct.pack("<I", 200) + bytes(200)
_TEXT = "uint8[] data\n"
_NOTE = struct.Struct("<qqq")  # messages received, time of the last one [ns], pid of the finisher


class Kill(NamedTuple):
    """What one kill did. `complete_s`: until the file was complete. `lost_s`: what is missing.

    `fault`: what is wrong with the file, however long it took.
    """

    kind: str
    after_s: float
    complete_s: float
    lost_s: float
    fault: str

    @property
    def verdict(self) -> str:
        """What is wrong; empty where nothing is."""
        if self.fault or self.complete_s > COMPLETE_WITHIN_S:
            return self.fault or f"complete after {self.complete_s:.2f} s"
        return f"{self.lost_s:.3f} s lost" if self.lost_s > MOST_LOST_S else ""


def generate(target: Path, note: Path) -> int:
    """Be the recorder: record until a signal ends this process."""
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    recording = Recording(target, {"vdsim.versions": {"of": PROGRAM}}, time.monotonic())
    kind = "vdsim_record/msg/Bytes"
    channels = [recording.channel(f"/t{n}", kind, _TEXT, {}) for n in range(_TOPICS)]
    with note.open("r+b") as file, mmap.mmap(file.fileno(), _NOTE.size) as noted:
        received, turned_s = 0, 0.0
        while not ended:
            now_ns = time.time_ns()
            for channel in channels:
                recording.message(channel, _DATA, now_ns, now_ns)
            received += len(channels)
            noted[:] = _NOTE.pack(received, now_ns, recording.finisher_pid)
            now = time.monotonic()
            if now - turned_s >= FLUSH_S:
                recording.turn(now)
                turned_s = now
            time.sleep(_PERIOD_S)
    recording.close()
    return 0


def one_kill(kind: str, after_s: float, folder: Path) -> Kill:
    """Record, kill, and read what is there."""
    target, note = folder / "drive.mcap", folder / "note"
    note.write_bytes(bytes(_NOTE.size))
    command = [sys.executable, "-m", "vdsim_record.cli.kills", "--generate", str(target), str(note)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = JournalFolder.of(target)
    _wait(lambda: _NOTE.unpack(note.read_bytes())[0] > 0, "the first message")
    time.sleep(after_s)
    pid = _NOTE.unpack(note.read_bytes())[2]
    if kind != "finisher":
        process.kill()
    if kind != "recorder":
        os.kill(pid, signal.SIGKILL)
    killed_s = time.monotonic()
    if kind == "finisher":
        time.sleep(0.5)  # the recorder starts another one
        process.send_signal(signal.SIGTERM)
        killed_s = time.monotonic()
    process.wait()
    if kind == "both":
        _wait(lambda: not journal.is_busy(), "the end of both processes")
        killed_s = time.monotonic()
        finish(journal)
    _wait(lambda: not journal.path.exists(), "a complete file")
    complete_s = time.monotonic() - killed_s
    received, last_ns, _ = _NOTE.unpack(note.read_bytes())
    count, end_ns, fault = _read(target)
    lost_s = max(0.0, (last_ns - end_ns) * 1e-9)
    if not fault and kind == "finisher" and count != received:
        fault = f"{received - count} messages lost, though the recorder ended in order"
    return Kill(kind, after_s, complete_s, lost_s, fault)


def _read(path: Path) -> tuple[int, int, str]:
    """Messages, time of the last one, and what is wrong with the file."""
    try:
        with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
            reader = make_reader(stream, validate_crcs=True)
            summary = reader.get_summary()
            assert summary is not None
            assert summary.statistics is not None
            last = [0] * (_TOPICS + 1)
            count = 0
            for _, channel, message in reader.iter_messages(log_time_order=False):
                if message.sequence != last[channel.id] + 1:
                    return count, message.log_time, f"{channel.topic}: a message is missing"
                last[channel.id] = message.sequence
                count += 1
    except Exception as error:  # whatever a damaged file makes of the reader
        return 0, 0, f"not read: {type(error).__name__}: {error}"
    known = summary.statistics
    fault = "" if known.message_count == count else f"{count} of {known.message_count} messages"
    return count, known.message_end_time, fault


def _wait(until: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(f"no sign of {what} within {_PATIENCE_S:g} s")
        time.sleep(0.005)


def exam(count: int, seed: int, jobs: int, longest_s: float) -> list[Kill]:
    """Kill `count` times; `longest_s`: how long a recording runs at most."""
    draw = random.Random(seed)
    plans = [(KINDS[n % len(KINDS)], draw.uniform(0.0, longest_s)) for n in range(count)]

    def run(plan: tuple[str, float]) -> Kill:
        with tempfile.TemporaryDirectory(prefix="vdsim-kills-") as folder:
            try:
                return one_kill(*plan, Path(folder))
            except TimeoutError as error:
                return Kill(*plan, _PATIENCE_S, 0.0, str(error))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(run, plans))


def report(kills: Sequence[Kill]) -> list[str]:
    """Say what was measured."""
    lines = []
    for kind in KINDS:
        of_kind = [kill for kill in kills if kill.kind == kind]
        if not of_kind:
            continue
        complete = sorted(kill.complete_s for kill in of_kind)
        lost = sorted(kill.lost_s for kill in of_kind)
        faults = [kill for kill in of_kind if kill.verdict]
        middle, high = len(of_kind) // 2, min(len(of_kind) - 1, int(0.99 * len(of_kind)))
        lines.append(
            f"{kind:>8}: {len(of_kind)} kills, {len(faults)} faults; complete after "
            f"{complete[middle]:.3f} s (99 %: {complete[high]:.3f}, most: {complete[-1]:.3f}); "
            f"lost {lost[middle]:.3f} s (99 %: {lost[high]:.3f}, most: {lost[-1]:.3f})"
        )
        lines += [f"  fault after {kill.after_s:.3f} s: {kill.verdict}" for kill in faults]
    return lines


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    line.add_argument("count", type=int, nargs="?", default=30, help="how many kills")
    line.add_argument("--seed", type=int, default=1, help="of the random moments")
    line.add_argument("--jobs", type=int, default=1, help="recordings at the same time")
    line.add_argument("--longest", type=float, default=6.0, help="longest recording [s]")
    line.add_argument("--generate", nargs=2, type=Path, help=argparse.SUPPRESS)
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, and print the figures."""
    options = parser().parse_args(arguments)
    if options.generate:
        return generate(*options.generate)
    load = os.getloadavg()[0]
    kills = exam(options.count, options.seed, options.jobs, options.longest)
    print(f"{PROGRAM}: seed {options.seed}, load {load:.1f} to {os.getloadavg()[0]:.1f}")
    print("\n".join(report(kills)))
    return 1 if any(kill.verdict for kill in kills) else 0


if __name__ == "__main__":
    sys.exit(main())
