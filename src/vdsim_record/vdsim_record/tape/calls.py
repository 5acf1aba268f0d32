"""Which calls are on a tape, and how each is written.

    packet = number of the packet u32, entry*
    entry  = number of the call u8, length u32, arguments

What enters the pure interface enters by a call of one of four objects: the pipeline, its two sides,
or the guard. The layout of the arguments follows from the types in the signature of the method.
Calls that these objects make to each other are not written: they come again by themselves.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from vdsim_interface.guard.frames import Activate, Value
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.packing import shape
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.guard.shapes import MalformedError, Shape
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.spec import Datagram

_PACKET = struct.Struct("<I")
_ENTRY = struct.Struct("<BI")
PIPELINE, SAFETY, VEHICLE, GUARD, TAPE = "pipeline", "safety", "vehicle", "guard", "tape"
GONE = ""
"""The number of a method that older tapes have and this version has not."""
SENDING = frozenset({"decide", "tick", "stop"})
"""Methods that return datagrams; they are written after the call."""
_METHODS: Mapping[str, tuple[type, tuple[str, ...]]] = {
    PIPELINE: (
        Pipeline,
        (
            *("on_command", "override", *5 * (GONE,), "on_datagram", "tick", "decide"),
            *("after_send", "stop", "restart", "resume", "restore_from", "configure"),
        ),
    ),
    SAFETY: (
        SafetySide,
        (
            *("on_state_command", "on_cabin", "on_driver_override", "on_emergency"),
            *("on_change_mode", "on_input_publishers", "on_process_fault", "on_stall"),
            *("end_autonomy", "restart"),
        ),
    ),
    VEHICLE: (
        VehicleSide,
        ("on_drain", "on_auxiliary", "on_vehicle_placed", "link_statistics"),
    ),
    GUARD: (
        Guard,
        (
            *("connect", "disconnect", "on_frame", "on_datagram", "begin_round", "on_memory"),
            *("decide", "after_send", "take_frames", "take_notices", "stop"),
        ),
    ),
}


class NewPipeline(NamedTuple):
    """A pipeline is made; the calls that follow are of it."""

    setup: Activate


class NewGuard(NamedTuple):
    """A guard is made; its parameters come in its frames."""


class Sent(NamedTuple):
    """What the call before has returned to be sent."""

    datagrams: tuple[Datagram, ...]


class Call(NamedTuple):
    """A kind of entry. `shape`: of its arguments as a tuple."""

    number: int
    role: str
    method: str
    shape: Shape

    def written(self, arguments: tuple[Any, ...]) -> bytes:
        """Return an entry."""
        out = bytearray(_ENTRY.size)
        self.shape.write(plain(self.method, arguments), out)
        _ENTRY.pack_into(out, 0, self.number, len(out) - _ENTRY.size)
        return bytes(out)


class Entry(NamedTuple):
    """An entry of a tape."""

    call: Call
    arguments: tuple[Any, ...]


def plain(method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what is written of arguments: of an object before this one, nothing."""
    if method == "restore_from":
        return ()
    return (flat_values(arguments[0]),) if method == "configure" else arguments


def _argument_types(owner: type, method: str) -> tuple[Any, ...]:
    if method in (GONE, "restore_from"):
        return ()
    function = getattr(owner, method)
    hints = get_type_hints(function)
    types = [hints[name] for name in list(inspect.signature(function).parameters)[1:]]
    return tuple(Mapping[str, Value] if kind is InterfaceParameters else kind for kind in types)


def _shape(types: tuple[Any, ...]) -> Shape:
    return shape(tuple[types]) if types else _Empty()  # type: ignore[valid-type]


class _Empty(Shape):
    """No arguments."""

    def write(self, value: Any, out: bytearray) -> None:
        """Append nothing."""

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Return no arguments."""
        return (), at


@cache
def calls() -> Mapping[tuple[str, str], Call]:
    """Return every kind of entry by role and method; the numbers are part of the format."""
    own = ((NewPipeline, (Activate,)), (NewGuard, ()), (Sent, (tuple[Datagram, ...],)))
    found = [(TAPE, kind.__name__, types) for kind, types in own]
    for role, (owner, methods) in _METHODS.items():
        found += [(role, method, _argument_types(owner, method)) for method in methods]
    return {
        (role, method): Call(number, role, method, _shape(types))
        for number, (role, method, types) in enumerate(found, start=1)
        if method is not GONE
    }


def methods_of(role: str) -> tuple[str, ...]:
    """Return the methods of an object that are written."""
    return tuple(method for method in _METHODS[role][1] if method is not GONE)


def written(kind: type, *arguments: Any) -> bytes:
    """Return an entry of the tape's own."""
    return calls()[TAPE, kind.__name__].written(arguments)


def packet(number: int, entries: Iterable[bytes]) -> bytes:
    """Return a packet."""
    return _PACKET.pack(number) + b"".join(entries)


def entries(packets: Iterable[bytes]) -> Iterator[Entry]:
    """Read packets; raises MalformedError where one is missing or damaged."""
    by_number = {call.number: call for call in calls().values()}
    for expected, data in enumerate(packets):
        if len(data) < _PACKET.size or _PACKET.unpack_from(data)[0] != expected:
            raise MalformedError(f"packet {expected} of the tape is missing")
        at = _PACKET.size
        while at < len(data):
            try:
                number, length = _ENTRY.unpack_from(data, at)
                call = by_number[number]
                at += _ENTRY.size
                arguments, end = call.shape.read(data[: at + length], at)
            except (KeyError, struct.error, ValueError, OverflowError) as error:
                raise MalformedError(f"packet {expected} of the tape: {error}") from error
            if end != at + length:
                raise MalformedError(f"packet {expected} of the tape: arguments of {call.method}")
            at = end
            yield Entry(call, arguments)


def datagrams_of(result: Any) -> tuple[Datagram, ...]:
    """Return what a call of SENDING has returned to be sent."""
    if isinstance(result, tuple) and hasattr(result, "datagrams"):
        result = result.datagrams
    return tuple(result)


Send = Callable[[bytes], None]
