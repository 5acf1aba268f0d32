"""Values as parsed from YAML -> fields of a message, checked against the interface's types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rosidl_runtime_py.slot_types import (
    fields,
    fixed_size,
    is_collection,
    is_message,
    type_name,
    upper_bound,
)
from rosidl_runtime_py.utilities import get_message

StampSetter = Callable[[Any], None]

HEADER_TYPE = "std_msgs/msg/Header"
TIME_TYPE = "builtin_interfaces/msg/Time"
INTEGER_RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "char": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}


def set_message_fields(
    msg: Any,
    values: Mapping[str, Any],
    expand_header_auto: bool = False,
    expand_time_now: bool = False,
) -> list[StampSetter]:
    """Set the named fields of a message and return the setters of its automatic time stamps.

    With `expand_header_auto` the value `auto` of a Header, with `expand_time_now` the value `now`
    of a Time asks for the time of sending: the caller calls each returned setter with it before
    every publication. Raises AttributeError for an unknown field, ValueError or TypeError for a
    value that does not fit.
    """
    filler = _Filler(expand_header_auto, expand_time_now)
    filler.fill(msg, values, path="")
    return filler.stamp_setters


class _Filler:
    """One pass over a tree of values; it collects the setters of automatic time stamps."""

    def __init__(self, expand_header_auto: bool, expand_time_now: bool) -> None:
        self._expand_header_auto = expand_header_auto
        self._expand_time_now = expand_time_now
        self.stamp_setters: list[StampSetter] = []

    def fill(self, msg: Any, values: Any, path: str) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"{path or type(msg).__name__}: expects a mapping, got {values!r}")
        slot_types = dict(fields(msg))
        for name, value in values.items():
            field_path = f"{path}.{name}" if path else str(name)
            if name not in slot_types:
                known = ", ".join(slot_types) or "none"
                raise AttributeError(
                    f"'{type(msg).__name__}' object has no attribute '{name}' (it has: {known})"
                )
            if self._is_automatic(slot_types[name], value):
                self._stamp_later(msg, str(name), slot_types[name])
            else:
                setattr(msg, name, self._converted(value, slot_types[name], field_path))

    def _is_automatic(self, slot_type: Any, value: Any) -> bool:
        if is_collection(slot_type):
            return False
        name = type_name(slot_type)
        return (self._expand_header_auto and name == HEADER_TYPE and value == "auto") or (
            self._expand_time_now and name == TIME_TYPE and value == "now"
        )

    def _stamp_later(self, msg: Any, name: str, slot_type: Any) -> None:
        if type_name(slot_type) == HEADER_TYPE:
            self.stamp_setters.append(partial(setattr, getattr(msg, name), "stamp"))
        else:
            self.stamp_setters.append(partial(setattr, msg, name))

    def _converted(self, value: Any, slot_type: Any, path: str) -> Any:
        if is_collection(slot_type):
            return self._collection(value, slot_type, path)
        if hasattr(slot_type, "namespaced_name"):
            return self._message(value, slot_type, path)
        return _scalar(value, slot_type, path)

    def _collection(self, value: Any, slot_type: Any, path: str) -> list[Any]:
        if not isinstance(value, (list, tuple, bytes)):
            raise TypeError(f"{path}: expects a list, got {value!r}")
        size, bound = fixed_size(slot_type), upper_bound(slot_type)
        if size is not None and len(value) != size:
            raise ValueError(f"{path}: expects {size} values, got {len(value)}")
        if bound is not None and len(value) > bound:
            raise ValueError(f"{path}: expects at most {bound} values, got {len(value)}")
        element_type = slot_type.value_type
        return [
            self._converted(element, element_type, f"{path}[{index}]")
            for index, element in enumerate(value)
        ]

    def _message(self, value: Any, slot_type: Any, path: str) -> Any:
        if is_message(value):
            return value
        msg = get_message(type_name(slot_type))()
        self.fill(msg, value, path)
        return msg


def _scalar(value: Any, slot_type: Any, path: str) -> Any:
    name = type_name(slot_type)
    if name in INTEGER_RANGES:
        return _integer(value, name, path)
    if name in ("float", "double"):
        return _floating(value, path)
    if name == "boolean":
        return _boolean(value, path)
    if name == "octet":
        return _octet(value, path)
    return _string(value, slot_type, path)


def _integer(value: Any, name: str, path: str) -> int:
    lowest, highest = INTEGER_RANGES[name]
    try:
        number = int(value, 0) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{path}: expects an integer, got {value!r}") from error
    if isinstance(value, float) and number != value:
        raise ValueError(f"{path}: expects an integer, got {value!r}")
    if not lowest <= number <= highest:
        raise ValueError(f"{path}: {name} must be within {lowest} to {highest}, got {number}")
    return number


def _floating(value: Any, path: str) -> float:
    # YAML 1.1 reads `1e-3` as a string; float() accepts it.
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: expects a number, got {value!r}") from error


def _boolean(value: Any, path: str) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise ValueError(f"{path}: expects true or false, got {value!r}")


def _octet(value: Any, path: str) -> bytes:
    try:
        octet = value if isinstance(value, bytes) else bytes([_code_of(value)])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: expects a number within 0 to 255, got {value!r}") from error
    if len(octet) != 1:
        raise ValueError(f"{path}: expects one byte, got {len(octet)}")
    return octet


def _code_of(value: Any) -> int:
    return ord(value) if isinstance(value, str) else int(value)


def _string(value: Any, slot_type: Any, path: str) -> str:
    if value is None or isinstance(value, (Mapping, list)):
        raise ValueError(f"{path}: expects a text, got {value!r}")
    text = str(value)
    bound = upper_bound(slot_type)
    if bound is not None and len(text) > bound:
        raise ValueError(f"{path}: expects at most {bound} characters, got {len(text)}")
    return text
