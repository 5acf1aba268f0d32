"""Raw values of signals -> values of the interface, by the rows of the car file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from vdsim_can.car import CarFile, FieldRow
from vdsim_can.fields.encoding import Value, line_of

Raws = Mapping[str, float]
NOTHING: Raws = {}


class FieldDecoder:
    """One row of a field that is reported, or of a command as the car reads it."""

    def __init__(self, car: CarFile, row: FieldRow) -> None:
        self.row, self.signal = row, row.signal.signal
        gain, bias = line_of(car.signal(row.signal), row)
        self.line = gain, bias, row.dead_band
        self.unavailable = row.unavailable
        self.member_of: dict[float, str] = {}
        for member, raw in row.enum:
            self.member_of.setdefault(raw, member)

    def value(self, raw: float | None) -> Value | None:
        """Return the value; None where the car does not know it, or nothing was received."""
        if raw is None or raw in self.unavailable:
            return None
        if self.member_of:
            return self.member_of.get(raw)
        gain, bias, dead_band = self.line
        number = raw * gain + bias
        return 0.0 if abs(number) < dead_band else number


class MessageDecoder:
    """The rows of one message; a frame is decoded once. `values`: what is known of `raws`."""

    __slots__ = ("function", "raws", "values")

    def __init__(self, decoders: list[FieldDecoder]) -> None:
        self.function = function_of(decoders)
        self.raws = NOTHING
        self.values: dict[str, Value] = {}


class ReportDecoder:
    """All fields that are reported, each by one row."""

    def __init__(self, car: CarFile) -> None:
        self._signal_of = {row.field: row.signal for row in car.reports}
        by_message: dict[str, list[FieldDecoder]] = {}
        for row in car.reports:
            by_message.setdefault(row.signal.message, []).append(FieldDecoder(car, row))
        self._messages = {name: MessageDecoder(rows) for name, rows in by_message.items()}

    def values(self, fresh: Mapping[str, Raws]) -> dict[str, Value]:
        """Return what is known, by field; `fresh`: the raw values of messages that are not old."""
        values: dict[str, Value] = {}
        for name, decoder in self._messages.items():
            raws = fresh.get(name)
            if raws is None:
                continue
            if raws is not decoder.raws:
                decoder.raws, decoder.values = raws, decoder.function(raws)
            values.update(decoder.values)
        return values

    def unknown(self, values: Mapping[str, Value], names: tuple[str, ...]) -> str:
        """Return which of some fields are not known, with their signals; empty for none."""
        missing = [name for name in names if name not in values]
        return ", ".join(f"{name} ({self._signal_of[name]})" for name in missing)


def _source(decoders: list[FieldDecoder], scope: dict[str, object]) -> Iterator[str]:
    """Return the function that decodes some rows, as lines; `scope`: the constants of it."""
    yield "def values(raws):"
    yield "    found, get = {}, raws.get"
    for n, decoder in enumerate(decoders):
        known = "raw is not None"
        if decoder.unavailable:
            scope[f"unavailable{n}"] = decoder.unavailable
            known += f" and raw not in unavailable{n}"
        yield f"    raw = get({decoder.signal!r})"
        yield f"    if {known}:"
        name = repr(decoder.row.field)
        if decoder.member_of:
            scope[f"member_of{n}"] = decoder.member_of
            yield f"        member = member_of{n}.get(raw)"
            yield f"        if member is not None: found[{name}] = member"
            continue
        gain, bias, dead_band = decoder.line
        yield f"        number = raw * {gain!r} + {bias!r}"
        if dead_band > 0.0:
            yield f"        if abs(number) < {dead_band!r}: number = 0.0"
        yield f"        found[{name}] = number"
    yield "    return found"


def function_of(decoders: list[FieldDecoder]) -> Callable[[Raws], dict[str, Value]]:
    """Generate one function for the rows of a message: raw values -> what is known, by field."""
    scope: dict[str, object] = {}
    exec("\n".join(_source(decoders, scope)), scope)
    return scope["values"]  # type: ignore[return-value]
