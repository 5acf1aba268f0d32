"""Which values of a received message are outside what its table allows, in words."""

from __future__ import annotations

import functools
import math
from typing import Any

from vdsim_protocol.morai.table_codec import as_code
from vdsim_protocol.wire import Wire, fields_of


def faults_of(body: Any) -> tuple[str, ...]:
    """`name=value: what is allowed` for each undefined code and each number out of its range."""
    table: type = type(body)
    found = ((name, getattr(body, name), wire) for name, wire in _limited(table))
    return tuple(
        f"{name}={_plain(value)}: must be {allowed}"
        for name, value, wire in found
        if (allowed := _broken_rule(value, wire))
    )


@functools.cache
def _limited(table: type) -> tuple[tuple[str, Wire], ...]:
    """The fields of a table that have a rule."""
    return tuple(
        (field.name, field.wire)
        for field in fields_of(table)
        if field.wire.codes is not None
        or (field.wire.low, field.wire.high) != (-math.inf, math.inf)
    )


def _broken_rule(value: Any, wire: Wire) -> str:
    if wire.codes is not None:
        if isinstance(as_code(wire.codes, value), wire.codes):
            return ""
        return "one of " + ", ".join(f"{code.value} ({code.name})" for code in wire.codes)
    return "" if wire.low <= value <= wire.high else f"in {wire.low:g}..{wire.high:g}"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(int(value))
