"""Who else sends commands: addresses whose CMD is rejected because another one drives. Pure.

The log names each pair of addresses once, and at most `MOST_LINES` of them: a flood from random
ports must not become a flood of lines. Every packet is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_protocol import vds1

MOST_LINES = 16
REASONS = (vds1.Reason.OTHER_SOURCE, vds1.Reason.SOURCE)


@dataclass(frozen=True)
class Stranger:
    """The latest sender that may not drive a vehicle."""

    address: vds1.Source
    packets: int
    """Rejected from all such senders together."""


class Strangers:
    """The senders that may not drive, by vehicle."""

    def __init__(self) -> None:
        self._latest: dict[int, Stranger] = {}
        self._named: set[tuple[int, vds1.Source, vds1.Source | None]] = set()

    def latest(self, vehicle_id: int) -> Stranger | None:
        """The latest one; None when there was none."""
        return self._latest.get(vehicle_id)

    def add(self, vehicle_id: int, source: vds1.Source, owner: vds1.Source | None) -> str:
        """Count a packet from `source`; the line to log, empty when it is known."""
        before = self._latest.get(vehicle_id)
        count = 1 if before is None else before.packets + 1
        self._latest[vehicle_id] = Stranger(source, count)
        pair = (vehicle_id, source, owner)
        if pair in self._named or len(self._named) > MOST_LINES:
            return ""
        self._named.add(pair)
        if len(self._named) > MOST_LINES:
            return "more senders without permission are counted, and not named any more"
        why = "not on the allow-list" if owner is None else f"{text_of(owner)} has the session"
        return f"vehicle {vehicle_id}: CMD from {text_of(source)} is rejected: {why}"


def text_of(address: vds1.Source) -> str:
    """The address as IP:PORT."""
    return f"{address[0]}:{address[1]}"
