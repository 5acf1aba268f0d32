"""Every message of a car as it is seen on the bus, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vdsim_can.car import CarFile, MessageRow
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import Fate, Reception

HEAD = (
    f"{'message':<22} {'id':>8} {'by':<6} {'rate':>7} {'cycle':>6} {'worst':>7} {'jitter':>7} "
    f"{'age':>7} {'frames':>8} {'late':>5} {'lost':>5} {'len':>4} {'crc':>4} {'cnt':>4}  state"
)
WATCHED_CYCLES = 5.0
"""A message that we send is stale for the monitor after so many cycles."""


def watcher(car: CarFile) -> Receiver:
    """Return a receiver of both directions, which takes no message for a stranger's."""
    rows = {name: _watched(row) for name, row in {**car.send, **car.receive}.items()}
    return Receiver(car, rows, {})


def lines_of(car: CarFile, receiver: Receiver, now: float) -> Iterator[str]:
    """Return the table; rates and gaps are of the last frames, counts since the start."""
    yield HEAD
    for name, reception in receiver.messages.items():
        yield _line(name, reception, now, sender="stack" if name in car.send else "car")
    if receiver.other_n:
        yield f"{receiver.other_n} frames of messages that the car file does not name"


def _line(name: str, reception: Reception, now: float, *, sender: str) -> str:
    row, seen, fates = reception.wire.row, reception.arrivals, reception.fates
    message = reception.wire.message
    digits = f"0x{message.can_id:X}"
    if not seen.total_n:
        numbers = f"{'-':>7} {row.cycle_ms:>6g} {'-':>7} {'-':>7} {'-':>7} {0:>8}"
    else:
        numbers = (
            f"{seen.rate_hz:>7.1f} {row.cycle_ms:>6g} {1e3 * seen.worst_s:>7.1f} "
            f"{1e3 * seen.jitter_s:>7.2f} {1e3 * seen.age_s(now):>7.0f} {seen.total_n:>8}"
        )
    counts = (
        f"{seen.outside_n:>5} {reception.lost_n:>5} {fates[Fate.LENGTH]:>4} "
        f"{fates[Fate.CHECKSUM]:>4} {fates[Fate.COUNTER]:>4}"
    )
    return f"{name:<22.22} {digits:>8} {sender:<6} {numbers} {counts}  {_state(reception, now)}"


def _state(reception: Reception, now: float) -> str:
    if not reception.arrivals.total_n:
        return "never seen"
    word = "ok" if reception.is_fresh(now) else "STALE"
    why = reception.why.partition(": ")[2]
    return f"{word}; last reject: {why}" if why else word


def _watched(row: MessageRow) -> MessageRow:
    return replace(row, stale_ms=row.stale_ms or WATCHED_CYCLES * row.cycle_ms)
