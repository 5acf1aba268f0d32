"""The link as a recording holds it: when commands arrived, which were lost, who drove."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from vdsim_plant_node.runs.recording import InputSource, Record, RecordKind, unpack_input
from vdsim_protocol import vds1

_LEVEL_OF_SOURCE = {InputSource.FAILSAFE: 0, InputSource.COMMAND: 1, InputSource.LOCAL: 2}
_SEQ_MODULUS = 1 << 32


@dataclass
class LinkRecord:
    """The commands of one vehicle as they arrived; times from the start of the recording [s]."""

    vehicle_id: int
    arrivals_s: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Sequence numbers, as they arrived."""
    modes_s: list[float] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    """Who drove from then on: 0 the fail-safe, 1 commands, 2 a local input."""
    end_s: float = 0.0
    """Time of the last record."""

    def intervals_s(self) -> list[float]:
        """Time between one command and the next."""
        return [after - before for before, after in itertools.pairwise(self.arrivals_s)]

    def lost(self) -> list[int]:
        """Numbers missing so far, at each arrival; a new session starts at 0 and loses nothing."""
        missing = [0] if self.numbers else []
        for before, after in itertools.pairwise(self.numbers):
            skipped = (after - before - 1) % _SEQ_MODULUS
            forward = after != 0 and skipped < _SEQ_MODULUS // 2
            missing.append(missing[-1] + (skipped if forward else 0))
        return missing


def links_of(records: Iterable[Record]) -> list[LinkRecord]:
    """Collect the link of every vehicle of a recording."""
    links: dict[int, LinkRecord] = {}
    for record in records:
        link = links.setdefault(record.vehicle_id, LinkRecord(record.vehicle_id))
        link.end_s = record.time_s
        if record.kind is RecordKind.CMD:
            packet = vds1.decode(record.payload)
            if isinstance(packet, vds1.Packet):
                link.arrivals_s.append(record.time_s)
                link.numbers.append(packet.seq)
        elif record.kind is RecordKind.INPUT:
            link.modes_s.append(record.time_s)
            link.modes.append(_LEVEL_OF_SOURCE[unpack_input(record.payload)[1]])
    return list(links.values())
