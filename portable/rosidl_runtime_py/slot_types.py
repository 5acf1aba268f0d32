"""Read the type description (`SLOT_TYPES`) of generated message classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def fields(message: Any) -> Iterator[tuple[str, Any]]:
    """Yield (field name, slot type) in the order of the interface file."""
    # Kilted appends a private slot, so the field table, not __slots__, gives the names.
    yield from zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=False)


def is_message(value: Any) -> bool:
    """Return whether a value is a generated message (or service request, response, ...)."""
    return hasattr(value, "get_fields_and_field_types")


def is_collection(slot_type: Any) -> bool:
    """Return whether a field is an array or a sequence."""
    return hasattr(slot_type, "value_type")


def fixed_size(slot_type: Any) -> int | None:
    """Return the length of a fixed-size array; None for a sequence."""
    size: int | None = getattr(slot_type, "size", None)
    return size


def upper_bound(slot_type: Any) -> int | None:
    """Return the greatest length of a bounded sequence or string; None when there is none."""
    if slot_type.has_maximum_size() and not fixed_size(slot_type):
        bound: int | None = getattr(slot_type, "maximum_size", None)
        return bound
    return None


def type_name(slot_type: Any) -> str:
    """Return the name of a scalar type: `double`, `string` or `package/msg/Name`."""
    if hasattr(slot_type, "namespaced_name"):
        return "/".join(slot_type.namespaced_name())
    if hasattr(slot_type, "typename"):
        return str(slot_type.typename)
    return "wstring" if "WString" in type(slot_type).__name__ else "string"
