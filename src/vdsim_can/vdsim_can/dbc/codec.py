"""Functions that pack and unpack the frames of a message, generated from its definition.

Every raw value is a whole number, or the number itself for a float signal. A name of the file
enters the generated code as a text constant only.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vdsim_can.dbc.network import Message, Signal

Raw = Mapping[str, float]
Unpacked = dict[str, float]
_FLOATS = {32: struct.Struct(">f"), 64: struct.Struct(">d")}


class PackingError(ValueError):
    """A value that its signal cannot carry, in one sentence."""


@dataclass(frozen=True)
class Codec:
    """The functions of one message."""

    message: Message
    _unpack: Callable[[bytes], Unpacked] = field(repr=False)
    _pack: Callable[[Raw], bytes] = field(repr=False)
    _by_name: Mapping[str, Signal] = field(repr=False)
    _scales: Mapping[str, tuple[float, float]] = field(repr=False)

    def unpack(self, data: bytes) -> Unpacked | None:
        """Return the raw value of every signal in a frame; None when its length is another.

        Of multiplexed signals those are there that the frame's selectors choose.
        """
        return self._unpack(data) if len(data) == self.message.length else None

    def pack(self, raw: Raw) -> bytes:
        """Return a frame with these raw values; every other bit is 0.

        A multiplexed signal that the given selectors do not choose is left out.
        """
        for name, value in raw.items():
            self._check(name, value)
        return self._pack(raw)

    def pack_fitting(self, raw: Raw) -> bytes:
        """Return a frame with raw values that are known to fit, which `pack` looks at first."""
        return self._pack(raw)

    def unpack_physical(self, data: bytes) -> Unpacked | None:
        """Return the physical value of every signal in a frame, as `unpack` does the raw ones."""
        raw = self.unpack(data)
        if raw is None:
            return None
        scales = self._scales
        return {name: value * scales[name][0] + scales[name][1] for name, value in raw.items()}

    def pack_physical(self, physical: Raw) -> bytes:
        """Return a frame with these physical values, each rounded to the nearest raw one."""
        names = self._by_name
        return self.pack(
            {name: raw_of(names[name], value) for name, value in physical.items() if name in names}
        )

    def _check(self, name: str, value: float) -> None:
        signal = self._by_name.get(name)
        where = f"{self.message.name}.{name}"
        if signal is None:
            raise PackingError(f"{where}: there is no such signal")
        if signal.is_float:
            if signal.length == 32 and math.isfinite(value) and abs(value) > _SINGLE_MAX:
                raise PackingError(f"{where}={value:g}: is beyond a float of 32 bits")
            return
        low, high = signal.raw_range()
        if not (isinstance(value, int) and low <= value <= high):
            raise PackingError(f"{where}={value}: must be a whole number of {low} to {high}")


_SINGLE_MAX = 3.4028235677973362e38
"""The greatest number that still rounds to one of 32 bits."""


def raw_of(signal: Signal, physical: float) -> float:
    """Return the raw value nearest to a finite physical one, whether it fits or not."""
    raw = (physical - signal.offset) / signal.scale
    return raw if signal.is_float else round(raw)


def codec_of(message: Message) -> Codec:
    """Generate the functions of a message."""
    scope: dict[str, Any] = {f"FLOAT{bits}": packed for bits, packed in _FLOATS.items()}
    source = "\n".join([*_unpack_source(message), *_pack_source(message)])
    exec(source, scope)
    by_name = {signal.name: signal for signal in message.signals}
    scales = {signal.name: (signal.scale, signal.offset) for signal in message.signals}
    return Codec(message, scope["unpack"], scope["pack"], by_name, scales)


def _unpack_source(message: Message) -> Iterator[str]:
    yield "def unpack(data):"
    yield from number_source(message)
    fixed = [signal for signal in message.signals if not signal.selector]
    yield f"    values = {{{', '.join(read_source(message, fixed))}}}"
    for group in _groups(message):
        yield f"    if {_is_selected('values', group[0])}:"
        yield f"        values.update({{{', '.join(read_source(message, group))}}})"
    yield "    return values"


def number_source(message: Message) -> Iterator[str]:
    """Return lines of a function that turn `data` into the numbers that hold its signals' bits."""
    for order in sorted({_shift(message, signal)[0] for signal in message.signals}):
        yield f"    {order} = int.from_bytes(data, {order!r})"


def read_source(message: Message, signals: Iterable[Signal]) -> Iterator[str]:
    """Return the items of a dict, name and raw value, that read signals of those numbers."""
    return (_read(message, signal) for signal in signals)


def _groups(message: Message) -> list[list[Signal]]:
    """Multiplexed signals that appear together, after the groups that hold their selector."""
    groups: dict[tuple[str, tuple[tuple[int, int], ...]], list[Signal]] = {}
    for signal in message.signals:
        if signal.selector:
            groups.setdefault((signal.selector, signal.selected_by), []).append(signal)
    selectors = {signal.name: signal.selector for signal in message.signals}

    def depth(group: list[Signal]) -> int:
        count, name = 0, group[0].selector
        while name and count < len(selectors):
            count, name = count + 1, selectors.get(name, "")
        return count

    return sorted(groups.values(), key=depth)


def _is_selected(values: str, signal: Signal) -> str:
    got = f"{values}.get({signal.selector!r}, -1)"
    if signal.selected_by == ((signal.selected_by[0][0],) * 2,):
        return f"{got} == {signal.selected_by[0][0]}"
    tests = [f"{low} <= {got} <= {high}" for low, high in signal.selected_by]
    return " or ".join(tests)


def _shift(message: Message, signal: Signal) -> tuple[str, int]:
    """The number that holds the signal's bits in one piece, and where its lowest bit is there."""
    if signal.little_endian:
        return "little", signal.start
    lowest = signal.bits()[-1]
    return "big", 8 * (message.length - 1 - lowest // 8) + lowest % 8


def _read(message: Message, signal: Signal) -> str:
    name, shift = _shift(message, signal)
    bits = f"{name} >> {shift} & {(1 << signal.length) - 1}"
    if signal.is_float:
        value = f"FLOAT{signal.length}.unpack(({bits}).to_bytes({signal.length // 8}, 'big'))[0]"
    elif signal.signed:
        sign = 1 << (signal.length - 1)
        value = f"({bits} ^ {sign}) - {sign}"
    else:
        value = bits
    return f"{signal.name!r}: {value}"


def _pack_source(message: Message) -> Iterator[str]:
    yield "def pack(values):"
    yield "    get = values.get"
    yield "    little = big = 0"
    for signal in message.signals:
        if not signal.selector:
            yield f"    {_write(message, signal)}"
    for group in _groups(message):
        yield f"    if {_is_selected_to_write(group[0])}:"
        for signal in group:
            yield f"        {_write(message, signal)}"
    length = message.length
    if not any(signal.little_endian for signal in message.signals):
        yield f"    return big.to_bytes({length}, 'big')"
    elif all(signal.little_endian for signal in message.signals):
        yield f"    return little.to_bytes({length}, 'little')"
    else:
        yield f"    number = int.from_bytes(little.to_bytes({length}, 'little'), 'big') | big"
        yield f"    return number.to_bytes({length}, 'big')"


def _is_selected_to_write(signal: Signal) -> str:
    got = f"get({signal.selector!r}, 0)"
    return " or ".join(f"{low} <= {got} <= {high}" for low, high in signal.selected_by)


def _write(message: Message, signal: Signal) -> str:
    name, shift = _shift(message, signal)
    value = f"get({signal.name!r}, 0)"
    if signal.is_float:
        value = f"int.from_bytes(FLOAT{signal.length}.pack({value}), 'big')"
    elif signal.signed:
        value = f"({value} & {(1 << signal.length) - 1})"
    return f"{name} |= {value} << {shift}"
