"""What differs between two replays of one tape, or between a replay and what was recorded.

The first tick that differs, its reason, and a table of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from vdsim_interface.platforms.spec import Datagram
from vdsim_interface.values import Change

from vdsim_protocol import vds1
from vdsim_record.tape.playing import Tick


def differing_bits(one: tuple[Datagram, ...], other: tuple[Datagram, ...]) -> int:
    """Return how many bits differ; a datagram that only one side has counts whole."""
    bits = sum(8 * len(each.data) for each in (*one[len(other) :], *other[len(one) :]))
    for ours, theirs in zip(one, other, strict=False):
        length = max(len(ours.data), len(theirs.data))
        mine = int.from_bytes(ours.data.ljust(length, b"\0"), "little")
        bits += (mine ^ int.from_bytes(theirs.data.ljust(length, b"\0"), "little")).bit_count()
        bits += 8 * abs(len(ours.data) - len(theirs.data))
    return bits


@dataclass
class Quantity:
    """One quantity of what is sent, over the ticks at which it differs."""

    name: str
    ticks: int = 0
    first_s: float = math.nan
    last_s: float = math.nan
    most: float = 0.0

    def add(self, now: float, before: float, after: float) -> None:
        """Note a tick; nothing where both are the same."""
        if before == after or (math.isnan(before) and math.isnan(after)):
            return
        self.ticks += 1
        self.first_s = now if self.ticks == 1 else self.first_s
        self.last_s, self.most = now, max(self.most, abs(after - before))


@dataclass
class Comparison:
    """Of a replay as recorded and one with something changed, or of the packets then and now."""

    ticks: int = 0
    different: int = 0
    bits: int = 0
    started_s: float = math.nan
    first: Tick | None = None
    reasons: tuple[str, ...] = ()
    quantities: dict[str, Quantity] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Say it."""
        if self.first is None:
            return [f"{self.ticks} ticks, none differs"]
        at_s = self.first.now - self.started_s
        lines = [
            f"{self.different} of {self.ticks} ticks differ; first tick {self.first.number}, "
            f"{at_s:.3f} s after the start",
            *(f"  {reason}" for reason in self.reasons),
            f"  {'quantity':<24}{'ticks':>8}{'from s':>10}{'to s':>10}{'most':>12}",
        ]
        for each in self.quantities.values():
            if each.ticks:
                first_s, last_s = each.first_s - self.started_s, each.last_s - self.started_s
                row = f"{each.ticks:>8}{first_s:>10.3f}{last_s:>10.3f}{each.most:>12.4g}"
                lines.append(f"  {each.name:<24}{row}")
        return lines


def compare(before: Iterable[Tick], after: Iterable[Tick]) -> Comparison:
    """Play both side by side."""
    found = Comparison()
    for ours, theirs in zip(before, after, strict=False):
        found.ticks += 1
        found.started_s = ours.now if found.ticks == 1 else found.started_s
        if ours.played == theirs.played:
            continue
        found.different += 1
        for name, (one, other) in _values(ours, theirs).items():
            found.quantities.setdefault(name, Quantity(name)).add(ours.now, one, other)
        if found.first is None:
            found.first, found.reasons = theirs, _reasons(ours, theirs)
    return found


def compare_recorded(ticks: Iterable[Tick]) -> Comparison:
    """Compare what a replay sends with what was recorded: another version may send otherwise."""
    found = Comparison()
    for tick in ticks:
        found.ticks += 1
        found.started_s = tick.now if found.ticks == 1 else found.started_s
        if tick.is_same:
            continue
        found.different += 1
        found.bits += differing_bits(tick.recorded, tick.played)
        values = _packet_values(tick)
        for name, (one, other) in values.items():
            found.quantities.setdefault(name, Quantity(name)).add(tick.now, one, other)
        if found.first is None:
            found.first, found.reasons = tick, _reasons_now(tick, values)
    return found


def _packet_values(tick: Tick) -> dict[str, tuple[float, float]]:
    """The numbers of the packets of VDS1 that differ; of other packets, how many bits do."""
    found = {}
    for then, now in zip(tick.recorded, tick.played, strict=False):
        before, after = _numbers(then), _numbers(now)
        if before.keys() == after.keys():
            found.update({name: (before[name], after[name]) for name in before})
    if not any(one != other for one, other in found.values()):
        found["differing bits"] = (0.0, float(differing_bits(tick.recorded, tick.played)))
    return found


def _numbers(datagram: Datagram) -> dict[str, float]:
    packet = vds1.decode(datagram.data)
    if not isinstance(packet, vds1.Packet) or not isinstance(packet.body, vds1.Command):
        return {}
    body = {each.name: float(getattr(packet.body, each.name)) for each in fields(packet.body)}
    return {"sequence": float(packet.seq), **body}


def _reasons_now(tick: Tick, values: dict[str, tuple[float, float]]) -> tuple[str, ...]:
    """What differs in a packet, and what acts on it now; what acted then is not in the tape."""
    lines = [
        f"{name}: {one:.6g} as recorded, {other:.6g} now"
        for name, (one, other) in values.items()
        if one != other and not (math.isnan(one) and math.isnan(other))
    ]
    lines += [
        f"now: {each.kind} changes {each.channel}: {each.before:.4g} -> {each.after:.4g}"
        for each in _changes(tick)
    ]
    return (*lines, *(f"now: {each}" for each in tick.notices))


def _values(ours: Tick, theirs: Tick) -> dict[str, tuple[float, float]]:
    one = None if ours.vehicle is None else ours.vehicle.encoded.wire
    other = None if theirs.vehicle is None else theirs.vehicle.encoded.wire
    if one is None or other is None:
        return {}
    return {name: (getattr(one, name), getattr(other, name)) for name in one._fields}


def _reasons(ours: Tick, theirs: Tick) -> tuple[str, ...]:
    """What acted in one of both only, or otherwise."""
    lines = []
    for word, one, other in (("as recorded", ours, theirs), ("changed", theirs, ours)):
        known = set(_changes(other))
        for change in _changes(one):
            if change not in known:
                values = f"{change.before:.4g} -> {change.after:.4g}"
                lines.append(f"{word}: {change.kind} changes {change.channel}: {values}")
        lines += [f"{word}: {each}" for each in one.notices if each not in other.notices]
    if not lines:
        for name, (one_value, other_value) in _values(ours, theirs).items():
            if one_value != other_value and not (math.isnan(one_value) and math.isnan(other_value)):
                lines.append(f"{name}: {one_value:.6g} as recorded, {other_value:.6g} changed")
    return tuple(lines)


def _changes(tick: Tick) -> tuple[Change, ...]:
    vehicle = tick.vehicle
    if vehicle is None:
        return ()
    sent = vehicle.sent
    return (*(() if sent is None else sent.changes), *vehicle.encoded.changes)
