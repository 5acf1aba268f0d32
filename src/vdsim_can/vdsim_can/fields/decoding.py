"""Raw values of signals -> values of the interface, by the rows of the car file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_can.car import CarFile, FieldRow, SignalName
from vdsim_can.fields.encoding import Value, number_of

Raw = Callable[[SignalName], float | None]


class FieldDecoder:
    """One row of a field that is reported."""

    def __init__(self, car: CarFile, row: FieldRow) -> None:
        self.row = row
        self._signal = car.signal(row.signal)
        self._member_of: dict[float, str] = {}
        for member, raw in row.enum:
            self._member_of.setdefault(raw, member)

    def value(self, raw: float | None) -> Value | None:
        """Return the value; None where the car does not know it, or nothing was received."""
        row = self.row
        if raw is None or raw in row.unavailable:
            return None
        if row.enum:
            return self._member_of.get(raw)
        number = number_of(self._signal, row, raw)
        return 0.0 if abs(number) < row.dead_band else number


class ReportDecoder:
    """All fields that are reported; of several rows for a field the first known value counts."""

    def __init__(self, car: CarFile) -> None:
        self._decoders = [FieldDecoder(car, row) for row in car.reports]

    def values(self, raw: Raw) -> dict[str, Value]:
        """Return what is known, by field."""
        values: dict[str, Value] = {}
        for decoder in self._decoders:
            name = decoder.row.field
            if name not in values:
                value = decoder.value(raw(decoder.row.signal))
                if value is not None:
                    values[name] = value
        return values

    def unknown(self, values: Mapping[str, Value], names: tuple[str, ...]) -> str:
        """Return which of some fields are not known, with their signals; empty for none."""
        rows = [each.row for each in self._decoders]
        return ", ".join(
            f"{row.field} ({row.signal})"
            for row in rows
            if row.field in names and row.field not in values
        )
