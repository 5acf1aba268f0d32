"""`VehicleReport.extra`: what a platform's report holds in addition, bounded in type and size.

The guard sends these values between processes, so nothing else may get into a report.
"""

from collections.abc import Mapping

from vdsim_interface.values import NO_EXTRA, ExtraValue

MOST_VALUES = 64
MOST_BYTES = 16 * 1024
_LONGEST_NAME = 64

_INTEGERS = range(-(2**63), 2**63)


def checked_extra(extra: object) -> tuple[Mapping[str, ExtraValue], str]:
    """Return what can be used of extra values, and why the others are dropped ('' for none)."""
    if not isinstance(extra, Mapping):
        return NO_EXTRA, f"extra is of type {type(extra).__name__}, not a mapping"
    good: dict[str, ExtraValue] = {}
    why, size = "", 0
    for name, value in extra.items():
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
            why = f"a name is no text of 1 to {_LONGEST_NAME} characters"
            continue
        plain = _plain(value)
        if plain is None:
            why = f"{name} is neither a number, a text, bytes nor a tuple of numbers"
            continue
        size += len(name) + _size(plain)
        if len(good) >= MOST_VALUES or size > MOST_BYTES:
            return good, f"more than {MOST_VALUES} values or {MOST_BYTES} bytes"
        good[name] = plain
    return good, why


def _plain(value: object) -> ExtraValue | None:
    """Return a value as one of the plain types; None when it is none of them."""
    if type(value) in (bool, float, str, bytes):
        return value  # type: ignore[return-value]
    if isinstance(value, float):
        return float(value)  # of a subclass, as numpy has
    if isinstance(value, int):
        return int(value) if value in _INTEGERS else None
    if isinstance(value, tuple | list):
        if len(value) * 8 > MOST_BYTES or not all(isinstance(v, int | float) for v in value):
            return None
        try:
            return tuple(float(item) for item in value)
        except OverflowError:
            return None
    return None


def _size(value: ExtraValue) -> int:
    if isinstance(value, str):
        return len(value.encode("utf-8", "replace"))
    if isinstance(value, bytes):
        return len(value)
    return 8 * len(value) if isinstance(value, tuple) else 8
