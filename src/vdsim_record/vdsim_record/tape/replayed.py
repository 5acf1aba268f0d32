"""The tapes of many runs, played again: how many bits of what was sent differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vdsim_record.tape.comparing import compare_recorded
from vdsim_record.tape.playing import Playing, Tick


class Replayed(NamedTuple):
    """What a replay of the tapes of one run gave. `lines`: what differs."""

    name: str
    faults: tuple[str, ...]
    tapes_n: int
    ticks_n: int
    datagram_bits: int
    differing_bits: int
    lines: tuple[str, ...]


def replayed(name: str, faults: Iterable[str], tapes: Iterable[list[bytes]]) -> Replayed:
    """Play tapes again."""
    tapes_n = ticks_n = datagram_bits = differing_bits = 0
    lines: list[str] = []

    def counted(ticks: Iterable[Tick]) -> Iterator[Tick]:
        """Count while they are compared: what acts on a tick is known at that tick alone."""
        nonlocal datagram_bits
        for tick in ticks:
            datagram_bits += sum(8 * len(each.data) for each in tick.recorded)
            yield tick

    for packets in tapes:
        found = compare_recorded(counted(Playing(packets).ticks()))
        tapes_n += 1
        ticks_n += found.ticks
        differing_bits += found.bits
        if found.bits:
            lines += found.lines()
    return Replayed(
        name=name,
        faults=tuple(faults),
        tapes_n=tapes_n,
        ticks_n=ticks_n,
        datagram_bits=datagram_bits,
        differing_bits=differing_bits,
        lines=tuple(lines),
    )


class Sum(NamedTuple):
    """Over several runs. `faults`: how many runs each was in."""

    runs: int
    tapes: int
    ticks: int
    bits: int
    differing_bits: int
    faults: dict[str, int]

    def __str__(self) -> str:
        return (
            f"{self.runs} runs, {self.tapes} tapes, {self.ticks} ticks, {self.bits} bits sent: "
            f"{self.differing_bits} differing output bits"
        )


def added(runs: Sequence[Replayed]) -> Sum:
    """Add up."""
    faults = Counter(fault for run in runs for fault in run.faults)
    return Sum(
        runs=len(runs),
        tapes=sum(run.tapes_n for run in runs),
        ticks=sum(run.ticks_n for run in runs),
        bits=sum(run.datagram_bits for run in runs),
        differing_bits=sum(run.differing_bits for run in runs),
        faults=dict(sorted(faults.items())),
    )
