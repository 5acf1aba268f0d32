"""Counters that must equal the faults that were injected, by the name that a row of faults gives.

Each compares what the processes counted during the fault with what was injected. Where the kernel
may drop a datagram before it is counted, the count may be lower by what the socket lost, never
higher.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vdsim_campaign.checks import Finding

Counts = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Differences over the fault: of plant and interface, of the tap's links, and of injections."""

    plant: Counts
    interface: Counts
    command_link: Counts
    state_link: Counts
    injected: int


def between(before: Counted, after: Counted, injected: int) -> Counted:
    """Return what was counted in between."""
    return Counted(
        plant=_difference(before.plant, after.plant),
        interface=_difference(before.interface, after.interface),
        command_link=_difference(before.command_link, after.command_link),
        state_link=_difference(before.state_link, after.state_link),
        injected=injected,
    )


def _difference(before: Counts, after: Counts) -> Counts:
    return {name: value - before.get(name, 0.0) for name, value in after.items()}


def _equal(what: str, injected: float, counted: float) -> Finding:
    text = f"{what}: {injected:.0f} injected, {counted:.0f} counted"
    return Finding("counted as injected", injected == counted, text)


def _sum(counts: Counts, *parts: str) -> float:
    return sum(value for name, value in counts.items() if any(part in name for part in parts))


def _plant_rejects(counted: Counted, *reasons: str) -> float:
    names = [f'reason="{reason}"' for reason in reasons]
    return _sum(counted.plant, *names)


def _command_duplicates(counted: Counted) -> Finding:
    return _equal(
        "duplicates", counted.command_link["duplicated"], _plant_rejects(counted, "duplicate")
    )


def _command_damaged(counted: Counted) -> Finding:
    damaged = counted.command_link["bit_flipped"] + counted.command_link["truncated"]
    reasons = ("crc", "length", "magic", "version", "type")
    rejected = _plant_rejects(counted, *reasons)
    return _equal("damaged packets", damaged, rejected)


def _state_duplicates(counted: Counted) -> Finding:
    return _equal(
        "duplicates", counted.state_link["duplicated"], counted.interface.get("duplicated", 0.0)
    )


_DAMAGE = ("crc", "length", "magic", "version", "type")


def _state_damaged(counted: Counted) -> Finding:
    damaged = counted.state_link["bit_flipped"] + counted.state_link["truncated"]
    return _equal("damaged packets", damaged, _sum(counted.interface, *_DAMAGE))


def _command_junk(counted: Counted) -> Finding:
    return _equal("junk", counted.injected, _sum(counted.plant, "vdsim_cmd_rejected_total"))


def _state_junk(counted: Counted) -> Finding:
    return _equal("junk", counted.injected, counted.interface.get("rejected", 0.0))


def _stranger_commands(counted: Counted) -> Finding:
    rejected = _plant_rejects(counted, "source", "other_source")
    return _equal("packets of the stranger", counted.injected, rejected)


def _state_strangers(counted: Counted) -> Finding:
    rejected = _sum(counted.interface, "source")
    return _equal("packets of the stranger", counted.injected, rejected)


COUNTS: Mapping[str, Callable[[Counted], Finding]] = MappingProxyType(
    {
        "command_duplicates": _command_duplicates,
        "command_damaged": _command_damaged,
        "state_duplicates": _state_duplicates,
        "state_damaged": _state_damaged,
        "command_junk": _command_junk,
        "state_junk": _state_junk,
        "stranger_commands": _stranger_commands,
        "state_strangers": _state_strangers,
    }
)
