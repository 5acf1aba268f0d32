"""Values of the interface -> raw values of signals, by the rows of the car file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vdsim_can.car import MEASURED, CarFile, FieldRow, OutOfRange
from vdsim_can.car.raw_range import raw_range_of
from vdsim_can.dbc.network import Signal

Value = float | str
Values = Mapping[str, Value]
"""Fields of the interface by name: numbers in the field's unit, members of an enumeration."""

COUNTS = frozenset({"sequence", "time_ms"})


class Cut(NamedTuple):
    """A value that the signal cannot carry, and what it carries in its place."""

    field: str
    before: float
    after: float


class EncodedFields(NamedTuple):
    """Raw values by message and signal; `refused`: why a message is not to be sent."""

    raws: dict[str, dict[str, float]]
    cuts: tuple[Cut, ...]
    refused: Mapping[str, str]


class FieldEncoder:
    """One row of a field that is sent."""

    def __init__(self, car: CarFile, row: FieldRow) -> None:
        self.row, self._signal = row, car.signal(row.signal)
        self.field, self.signal_name = row.field, row.signal.signal
        self.neutral, self.unknown = row.neutral, _unknown(row)
        self._raw_of: dict[str, int] = {}
        for member, raw in row.enum:
            self._raw_of.setdefault(member, raw)
        self._otherwise = self._raw_of.get(str(row.neutral), row.enum[0][1] if row.enum else 0)
        # In this order, as makers do: a reciprocal would round some halves the other way.
        self._steps = row.offset, row.scale, self._signal.offset, self._signal.scale
        # A count begins again at 0 where its signal ends.
        span = abs(row.scale * self._signal.scale) * (1 << self._signal.length)
        self._wraps_at = span if row.field in COUNTS else 0.0
        self._least, self._most = raw_range_of(self._signal, row)
        self._dead_band, self._is_float = row.dead_band, self._signal.is_float
        self.refuses = row.out_of_range is OutOfRange.REFUSE
        self._value: Value | None = None
        self._raw: tuple[float, Cut | None] = (0, None)

    def raw(self, value: Value) -> tuple[float, Cut | None]:
        """Return the raw value; a member that the row does not name is its neutral one."""
        if value is not self._value:  # most of the body is the same for long
            self._value, self._raw = value, self._raw_of_value(value)
        return self._raw

    def _raw_of_value(self, value: Value) -> tuple[float, Cut | None]:
        if self._raw_of:
            return self._raw_of.get(str(value), self._otherwise), None
        number = min(max(float(value), self.row.least), self.row.most)
        if self._wraps_at:
            number %= self._wraps_at
        if abs(number) < self._dead_band:
            number = 0.0
        offset, scale, signal_offset, signal_scale = self._steps
        wanted = ((number - offset) / scale - signal_offset) / signal_scale
        if self._is_float:
            return wanted, None
        raw = round(min(max(wanted, -1e18), 1e18))
        if self._least <= raw <= self._most:
            return raw, None
        inside = min(max(raw, self._least), self._most)
        return inside, Cut(self.row.field, number, number_of(self._signal, self.row, inside))


def number_of(signal: Signal, row: FieldRow, raw: float) -> float:
    """Return the number in the field's unit of a raw value."""
    gain, bias = line_of(signal, row)
    return raw * gain + bias


def carried(car: CarFile, field: str) -> tuple[float, float]:
    """Return the least and largest number that every row of a field can carry."""
    least, most = -math.inf, math.inf
    for row in car.commands:
        if row.field == field:
            signal = car.signal(row.signal)
            least, most = max(least, row.least), min(most, row.most)
            if not signal.is_float:
                ends = sorted(number_of(signal, row, raw) for raw in raw_range_of(signal, row))
                least, most = max(least, ends[0]), min(most, ends[1])
    return least, most


def line_of(signal: Signal, row: FieldRow) -> tuple[float, float]:
    """Return gain and bias of the field by the raw value."""
    return signal.scale * row.scale, signal.offset * row.scale + row.offset


class CommandEncoder:
    """All fields that are sent: by message, raw values by signal."""

    def __init__(self, car: CarFile) -> None:
        self._encoders: dict[str, list[FieldEncoder]] = {name: [] for name in car.send}
        for row in car.commands:
            self._encoders[row.signal.message].append(FieldEncoder(car, row))
        self._fixed = {name: dict(row.fixed) for name, row in car.send.items()}

    def raws(
        self, values: Values, measured: Values, messages: Iterable[str] | None = None
    ) -> EncodedFields:
        """Return the raw values of some messages; without `messages` of all.

        A field that `values` lacks carries the neutral value of its row, which may be that of
        `measured`.
        """
        raws: dict[str, dict[str, float]] = {}
        cuts: list[Cut] = []
        refused: dict[str, str] = {}
        for message in self._fixed if messages is None else messages:
            raws[message] = of_message = dict[str, float](self._fixed[message])
            for encoder in self._encoders[message]:
                value = values.get(encoder.field)
                if value is None:
                    value = encoder.neutral
                    if value == MEASURED:
                        value = measured.get(encoder.field, encoder.unknown)
                of_message[encoder.signal_name], cut = encoder.raw(value)
                if cut is not None:
                    cuts.append(cut)
                    if encoder.refuses:
                        refused[message] = (
                            f"{encoder.field} {cut.before:g} does not fit into "
                            f"{encoder.row.signal}, which carries at most {cut.after:g}"
                        )
        return EncodedFields(raws, tuple(cuts), refused)


def _unknown(row: FieldRow) -> Value:
    """What is sent in place of a measured value that is not known: it is sent before autonomy."""
    return row.enum[0][0] if row.enum else 0.0
