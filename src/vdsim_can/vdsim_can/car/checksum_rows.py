"""Counters and checksums of a car file: rows -> rules."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from vdsim_can.car.section import Row
from vdsim_can.dbc.network import Message, Signal
from vdsim_can.integrity.compute import checksum_of
from vdsim_can.integrity.rules import Algorithm, Checksum, Counter, Crc, Foreign, IdBytes, Sum, Xor

_ALGORITHMS = ("crc", "sum", "xor")
PLUG_INS = "vdsim_can.checksums"
_LARGEST = (1 << 64) - 1
Rules = Mapping[str, Mapping[str, Any]]


def counter_of(row: Row, message: Message, rules: Rules) -> Counter | None:
    """Return the rule of the row's counter; None where it has none."""
    given = _merged(row, "counter", "counters", rules)
    if given is None:
        return None
    signal = signal_in(given, message, given.text("signal"))
    full = (1 << signal.length) - 1
    last = given.integer("last", full, low=0, high=full)
    first = given.integer("first", 0, low=0, high=last)
    step = given.integer("step", 1, low=1, high=last - first + 1)
    start = given.integer("start", first, low=first, high=last)
    max_step = given.integer("max_step", min(3, last - first), low=1, high=max(1, last - first))
    given.finish()
    return Counter(
        signal=signal.name, first=first, last=last, step=step, start=start, max_step=max_step
    )


def checksum_rule_of(
    row: Row, message: Message, rules: Rules, counter: Counter | None
) -> Checksum | None:
    """Return the rule of the row's checksum; None where it has none.

    `rules`: named rules of the file, whose keys the row may override.
    """
    given = _merged(row, "checksum", "checksums", rules)
    if given is None:
        return None
    rule = _rule(given, message)
    needs_counter = len(rule.data_ids) > 1 or bool(rule.xor_out_by_counter)
    if needs_counter and counter is None:
        given.refuse("a table by counter needs the message's counter")
    try:
        checksum_of(rule, message, counter)
    except ValueError as error:
        given.refuse(str(error))
    return rule


def _merged(row: Row, key: str, section: str, rules: Rules) -> Row | None:
    """The keys of a named rule, overridden by the row's own: `key: NAME` or `key: {rule: NAME}`."""
    value = row.get(key)
    if value is None:
        return None
    given = row.sub(key) if isinstance(value, Mapping) else None
    name = row.text(key) if given is None else given.text("rule", "")
    place = row if given is None else given
    if name and name not in rules:
        known = ", ".join(rules) or "none"
        place.refuse(f"{name}: there is no such rule under {section}; it has: {known}")
    own = {} if given is None else dict(given.group_of_all())
    own.pop("rule", None)
    return place.with_values({**rules.get(name, {}), **own})


def _rule(row: Row, message: Message) -> Checksum:
    signal = signal_in(row, message, row.text("signal"))
    id_bytes_n = row.integer("data_id_bytes", 1, low=1, high=8)
    rule = Checksum(
        signal=signal.name,
        algorithm=_algorithm(row),
        over=row.integers("over", low=0, high=63),
        skip_own=row.flag("skip_own", default=True),
        id_bytes=IdBytes(row.choice("id_bytes", [kind.value for kind in IdBytes], "none")),
        id_after=row.flag("id_after"),
        data_ids=row.integers("data_ids", low=0, high=(1 << 8 * id_bytes_n) - 1),
        data_id_bytes=id_bytes_n,
        data_id_first=row.flag("data_id_first"),
        xor_out_by_counter=row.integers("xor_out_by_counter", low=0, high=_LARGEST),
        before=bytes(row.integers("before", low=0, high=255)),
        after=bytes(row.integers("after", low=0, high=255)),
        add_length=row.flag("add_length"),
        shift=row.integer("shift", 0, low=0, high=64),
    )
    row.finish()
    return rule


def _algorithm(row: Row) -> Algorithm:
    kind = row.text("algorithm")
    if kind not in _ALGORITHMS:
        return _foreign(row, kind)
    if kind == "crc":
        width = row.integer("width", low=1, high=64)
        full = (1 << width) - 1
        return Crc(
            width=width,
            poly=row.integer("poly", low=0, high=full),
            init=row.integer("init", 0, low=0, high=full),
            xor_out=row.integer("xor_out", 0, low=0, high=full),
            reflect_in=row.flag("reflect_in"),
            reflect_out=row.flag("reflect_out"),
        )
    start = row.integer("start", 0, low=-_LARGEST, high=_LARGEST)
    if kind == "xor":
        return Xor(start=start)
    return Sum(start=start, nibbles=row.flag("nibbles"), negate=row.flag("negate"))


def _foreign(row: Row, name: str) -> Foreign:
    """An algorithm that another package offers under the entry points `vdsim_can.checksums`."""
    offered = {point.name: point for point in entry_points(group=PLUG_INS)}
    if name not in offered:
        known = ", ".join([*_ALGORITHMS, *sorted(offered)])
        row.refuse(f"algorithm={name}: must be one of {known}")
    try:
        function = offered[name].load()
        works = isinstance(function(bytes(8)), int)
    except Exception as error:  # of somebody else's code: whatever it is, it has no checksum
        row.refuse(f"algorithm={name}: {offered[name].value} cannot be used: {error}")
    if not works:
        row.refuse(f"algorithm={name}: {offered[name].value} must turn bytes into a whole number")
    return Foreign(name, function)


def signal_in(row: Row, message: Message, name: str) -> Signal:
    """Return a signal of a message; refused where there is none."""
    signal = message.signal(name)
    if signal is None:
        known = ", ".join(signal.name for signal in message.signals)
        row.refuse(f"{message.name} has no signal {name}; it has: {known}")
    return signal
