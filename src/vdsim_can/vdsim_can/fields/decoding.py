"""Raw values of signals -> values of the interface, by the rows of the car file."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_can.car import CarFile, FieldRow
from vdsim_can.fields.encoding import Value, line_of

Raws = Mapping[str, float]
NOTHING: Raws = {}


class FieldDecoder:
    """One row of a field that is reported, or of a command as the car reads it."""

    def __init__(self, car: CarFile, row: FieldRow) -> None:
        self.row, self.signal = row, row.signal.signal
        self._gain, self._bias = line_of(car.signal(row.signal), row)
        self._dead_band, self._unavailable = row.dead_band, row.unavailable
        self._member_of: dict[float, str] = {}
        for member, raw in row.enum:
            self._member_of.setdefault(raw, member)

    def value(self, raw: float | None) -> Value | None:
        """Return the value; None where the car does not know it, or nothing was received."""
        if raw is None or raw in self._unavailable:
            return None
        if self._member_of:
            return self._member_of.get(raw)
        number = raw * self._gain + self._bias
        return 0.0 if abs(number) < self._dead_band else number


class MessageDecoder:
    """The rows of one message; a frame is decoded once."""

    def __init__(self, decoders: list[FieldDecoder]) -> None:
        self._decoders = decoders
        self._raws = NOTHING
        self._values: dict[str, Value] = {}

    def values(self, raws: Raws) -> Mapping[str, Value]:
        """Return what is known, by field."""
        if raws is not self._raws:
            self._raws = raws
            self._values = found = {}
            for decoder in self._decoders:
                value = decoder.value(raws.get(decoder.signal))
                if value is not None:
                    found[decoder.row.field] = value
        return self._values


class ReportDecoder:
    """All fields that are reported, each by one row."""

    def __init__(self, car: CarFile) -> None:
        self._rows = car.reports
        by_message: dict[str, list[FieldDecoder]] = {}
        for row in car.reports:
            by_message.setdefault(row.signal.message, []).append(FieldDecoder(car, row))
        self._messages = {name: MessageDecoder(rows) for name, rows in by_message.items()}

    def values(self, fresh: Mapping[str, Raws]) -> dict[str, Value]:
        """Return what is known, by field; `fresh`: the raw values of messages that are not old."""
        values: dict[str, Value] = {}
        for name, decoder in self._messages.items():
            raws = fresh.get(name)
            if raws is not None:
                values.update(decoder.values(raws))
        return values

    def unknown(self, values: Mapping[str, Value], names: tuple[str, ...]) -> str:
        """Return which of some fields are not known, with their signals; empty for none."""
        return ", ".join(
            f"{row.field} ({row.signal})"
            for row in self._rows
            if row.field in names and row.field not in values
        )
