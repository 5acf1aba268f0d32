"""A car file against an earlier version of its network: which signals that it uses have moved."""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_can.car.car_file import CarFile
from vdsim_can.car.problems import Problem
from vdsim_can.car.uses import uses_of
from vdsim_can.dbc.network import Message, Network, Signal

_MESSAGE = ("can_id", "extended", "length", "fd", "cycle_ms")
_SIGNAL = (
    *("start", "length", "little_endian", "signed", "is_float", "scale", "offset", "unit"),
    *("selector", "selected_by"),
)


def moved(car: CarFile, bus: str, old: Network) -> list[Problem]:
    """Return a sentence for every used message and signal of a bus that differs from `old`."""
    found = []
    lines = {use.signal: use.line for use in reversed(list(uses_of(car)))}
    for name, row in {**car.send, **car.receive}.items():
        if row.bus != bus:
            continue
        before = old.messages.get(name)
        if before is None:
            same_id = old.by_id.get((car.message(name).can_id, car.message(name).extended))
            hint = f"; its id was that of {same_id.name}" if same_id is not None else ""
            found.append(Problem(row.line, f"{name} was not there{hint}"))
            continue
        changes = "; ".join(_changes(before, car.message(name), _MESSAGE))
        if changes:
            found.append(Problem(row.line, f"{name}: {changes}"))
        for signal, line in lines.items():
            if signal.message == name:
                difference = _difference(before.signal(signal.signal), car.signal(signal))
                if difference:
                    found.append(Problem(line, f"{signal}: {difference}"))
    return sorted(found)


def _difference(before: Signal | None, now: Signal) -> str:
    if before is None:
        return "was not there"
    changes = list(_changes(before, now, _SIGNAL))
    meanings = sorted(
        raw
        for raw in {*before.values, *now.values}
        if before.values.get(raw) != now.values.get(raw)
    )
    for raw in meanings:
        old, new = (side.values.get(raw, "nothing") for side in (before, now))
        changes.append(f"{raw} meant {old}, means {new}")
    return "; ".join(changes)


def _changes(
    before: Message | Signal, now: Message | Signal, names: tuple[str, ...]
) -> Iterator[str]:
    for name in names:
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            yield f"{name} was {_shown(name, old)}, is {_shown(name, new)}"


def _shown(name: str, value: object) -> str:
    if name == "can_id":
        return f"0x{value:X}"
    return f"{value:g}" if isinstance(value, float) else str(value or "none")
