"""What kills did to recordings, as figures."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mcap.reader import make_reader
from vdsim_protocol.checked_file import open_checked

from vdsim_record.mcap_file.growing_file import LARGEST_FILE

MOST_LOST_S, COMPLETE_WITHIN_S = 0.2, 1.0
POWER = "power"
MOST_LOST_BY_POWER_S = 1.0
NOTE = struct.Struct("<qqq")
"""What a recorder has received: messages, time of the last one [ns], pid of its finisher."""


class Kill(NamedTuple):
    """What one kill did. `complete_s`: until the file was complete. `lost_s`: what is missing.

    `waited_s`: for so long the process that completed the file was ready, and had no core.
    `fault`: what is wrong with the file, however long it took.
    """

    kind: str
    after_s: float
    complete_s: float
    waited_s: float
    lost_s: float
    fault: str

    @property
    def verdict(self) -> str:
        """What is wrong; empty where nothing is. A machine without a core is no fault."""
        if self.fault or self.complete_s - self.waited_s > COMPLETE_WITHIN_S:
            return self.fault or f"complete after {self.complete_s:.2f} s"
        most_s = MOST_LOST_BY_POWER_S if self.kind == POWER else MOST_LOST_S
        return f"{self.lost_s:.3f} s lost" if self.lost_s > most_s else ""


class Row(NamedTuple):
    """Figures of one kind. Of three numbers: the median, of which 99 % are below, the largest.

    `over_n`: complete after more than COMPLETE_WITHIN_S, with what the machine took.
    """

    kind: str
    kills_n: int
    faults_n: int
    over_n: int
    complete_s: tuple[float, float, float]
    lost_s: tuple[float, float, float]

    def __str__(self) -> str:
        complete, lost = self.complete_s, self.lost_s
        return (
            f"{self.kind:>9}: {self.kills_n} kills, {self.faults_n} faults; complete after "
            f"{complete[0]:.3f} s (99 %: {complete[1]:.3f}, most: {complete[2]:.3f}, "
            f"{self.over_n} over {COMPLETE_WITHIN_S:g} s); "
            f"lost {lost[0]:.3f} s (99 %: {lost[1]:.3f}, most: {lost[2]:.3f})"
        )


def rows(kills: Sequence[Kill]) -> list[Row]:
    """Return a row for each kind, in the order of the first kills."""
    made = []
    for kind in dict.fromkeys(kill.kind for kill in kills):
        ours = [kill for kill in kills if kill.kind == kind]
        row = Row(
            kind=kind,
            kills_n=len(ours),
            faults_n=sum(bool(kill.verdict) for kill in ours),
            over_n=sum(kill.complete_s > COMPLETE_WITHIN_S for kill in ours),
            complete_s=_three(kill.complete_s for kill in ours),
            lost_s=_three(kill.lost_s for kill in ours),
        )
        made.append(row)
    return made


def _three(values: Iterable[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    high = min(len(ordered) - 1, int(0.99 * len(ordered)))
    middle, most = ordered[len(ordered) // 2], ordered[-1]
    return round(middle, 4), round(ordered[high], 4), round(most, 4)


def report(kills: Sequence[Kill]) -> list[str]:
    """Say what was measured."""
    lines = []
    for row in rows(kills):
        lines.append(str(row))
        lines += [
            f"  fault after {kill.after_s:.3f} s: {kill.verdict}"
            for kill in kills
            if kill.kind == row.kind and kill.verdict
        ]
    return lines


class Read(NamedTuple):
    """What a file has: messages, time of the last one [ns], and what is wrong with it."""

    messages_n: int
    end_ns: int
    fault: str


def read(path: Path, *, numbered: bool = True) -> Read:
    """Read a file by the reader of the package mcap. `numbered`: a gap in a channel is a fault."""
    try:
        with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
            reader = make_reader(stream, validate_crcs=True)
            summary = reader.get_summary()
            assert summary is not None
            assert summary.statistics is not None
            last: dict[int, int] = {}
            count = 0
            for _, channel, message in reader.iter_messages(log_time_order=False):
                if numbered and message.sequence != last.get(channel.id, 0) + 1:
                    return Read(count, message.log_time, f"{channel.topic}: a message is missing")
                last[channel.id] = message.sequence
                count += 1
    except Exception as error:  # whatever a damaged file makes of the reader
        return Read(0, 0, f"not read: {type(error).__name__}: {error}")
    known = summary.statistics
    fault = "" if known.message_count == count else f"{count} of {known.message_count} messages"
    return Read(count, known.message_end_time, fault)
