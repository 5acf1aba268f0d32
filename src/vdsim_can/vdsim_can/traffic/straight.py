"""The usual frame of a message, taken by one function that is generated for it.

It takes what the receiver accepts without a word: a frame of a message that is known, with the next
value of its counter and the right checksum. It notes what the receiver would note, and reads the
frame once. Whatever is otherwise it leaves untouched, for the receiver to judge: the first frames,
a lost one, one that is rejected, every page of a multiplexed message.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from vdsim_can.dbc.codec import number_source, read_source
from vdsim_can.frame import Frame, packed
from vdsim_can.integrity.compute import checksum_of
from vdsim_can.integrity.counting import source_after
from vdsim_can.traffic.reception import Reception

Head = tuple[str, bytes]
"""A bus, and the first bytes of a frame there: id, kind of id and length."""
HEAD_BYTES = 8


class Straight(NamedTuple):
    """How the usual frame of a message is taken. `size`: of the whole frame [bytes].

    `take`: (what follows the head, now) -> whether it was taken.
    """

    reception: Reception
    size: int
    take: Callable[[bytes, float], bool]


def straight_of(reception: Reception) -> tuple[Head, Straight] | None:
    """Return where the function of a message stands; None for a message that has none."""
    wire = reception.wire
    counter, message = wire.row.counter, wire.message
    if wire.is_multiplexed:
        return None
    if counter is not None and not counter.step % (counter.last - counter.first + 1):
        return None  # a counter that never moves is rejected
    frame = packed(Frame(message.can_id, bytes(message.length), message.extended, wire.is_fd))
    rule = wire.row.checksum
    scope: dict[str, Any] = {
        "reception": reception,
        "arrivals": reception.arrivals,
        "compute": None if rule is None else checksum_of(rule, message, counter),
        "FLOAT32": struct.Struct(">f"),
        "FLOAT64": struct.Struct(">d"),
    }
    exec("\n".join(_source(reception)), scope)
    return (wire.row.bus, frame[:HEAD_BYTES]), Straight(reception, len(frame), scope["take"])


def _source(reception: Reception) -> Iterator[str]:
    """Return the function, as lines. Nothing is noted before all of it is as usual."""
    wire = reception.wire
    message, row = wire.message, wire.row
    counter, rule = row.counter, row.checksum
    yield "def take(data, now):"
    yield f"    if not 0.0 <= now - reception.accepted_s <= {reception.stale_s!r}: return False"
    yield "    gap_s = now - arrivals.last_s"
    yield "    if not gap_s >= 0.0: return False"
    yield f"    data = data[:{message.length}]"
    yield from number_source(message)
    count = "0"
    if counter is not None:
        count = "count"
        yield f"    count = {_signal(reception, counter.signal)}"
        yield "    check = reception.check"
        yield "    if check is None or count != check.expected: return False"
    if rule is not None:
        yield f"    if compute(data, {count}) != {_signal(reception, rule.signal)}: return False"
    yield f"    reception.raws = {{{', '.join(read_source(message, message.signals))}}}"
    if counter is not None:
        yield f"    check.accepted, check.expected = count, {source_after(counter, 'count')}"
        yield "    reception.candidate = None"
    yield "    reception.accepted_s = arrivals.last_s = now"
    yield "    reception.accepted_n += 1"
    yield "    arrivals.total_n += 1"
    yield "    arrivals.gaps.append(gap_s)"
    if row.jitter_ms:
        yield f"    if abs(1e3 * gap_s - {row.cycle_ms!r}) > {row.jitter_ms!r}:"
        yield "        arrivals.outside_n += 1"
    yield "    return True"


def _signal(reception: Reception, name: str) -> str:
    """Return the expression of one signal's raw value."""
    message = reception.wire.message
    signal = message.signal(name)
    assert signal is not None, f"{message.name} has no signal {name}"
    return next(read_source(message, (signal,))).partition(": ")[2]
