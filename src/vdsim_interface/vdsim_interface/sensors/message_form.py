"""Plain values -> the fields of a message, each checked against its type.

A message class takes any value without a check and fails while it is published, in C; here every
value is checked first. The classes are found by their names, so that nothing is imported before a
sensor of that type is declared.
"""

import array
import importlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from vdsim_interface.sensors.declaration import ANY_FIELD, Fields

_ARRAY = re.compile(r"(?P<item>[\w/<>]+)\[(?P<length>\d+)\]")
_SEQUENCE = re.compile(r"sequence<(?P<item>[\w/]+(?:<\d+>)?)(?:, *(?P<bound>\d+))?>")
_TEXT = re.compile(r"w?string(?:<(?P<bound>\d+)>)?")
_INTEGER = re.compile(r"(?P<unsigned>u?)int(?P<bits>8|16|32|64)")
_SINGLE_MAX = 3.4028234663852886e38
HEADER = "std_msgs/Header"


class FieldError(ValueError):
    """A value that a message cannot hold; `reason` is counted."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class MayBe(NamedTuple):
    """Names of fields that may be NaN or infinite."""

    nan: Collection[str]
    infinite: Collection[str]

    def allows(self, name: str, value: float) -> bool:
        """Whether a number that is not finite has a meaning in this field."""
        names = self.nan if math.isnan(value) else self.infinite
        return names == ANY_FIELD or name in names


Convert = Callable[[str, Any, MayBe], Any]


def message_type(name: str) -> type:
    """Return the class of a message type such as sensor_msgs/msg/Range; raises ValueError."""
    package, _, kind = name.partition("/msg/")
    try:
        found = getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError("must be a message type of an installed package") from error
    if not hasattr(found, "get_fields_and_field_types"):
        raise ValueError("must be a message type")
    return found  # type: ignore[no-any-return]


class MessageForm:
    """The fields of one message type."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        types: Mapping[str, str] = kind.get_fields_and_field_types()  # type: ignore[attr-defined]
        self._convert = {name: _converter(text) for name, text in types.items()}
        self.has_header = types.get("header") == HEADER

    def filled(self, fields: Fields, may_be: MayBe, path: str = "") -> Any:
        """Return a message with these fields; raises FieldError."""
        if not isinstance(fields, Mapping):
            raise FieldError("wrong_type", f"{path or 'the reading'}: must be fields by name")
        message = self._kind()
        for name, value in fields.items():
            convert = self._convert.get(name)
            if convert is None or (self.has_header and name == "header" and not path):
                known = ", ".join(key for key in self._convert if key != "header")
                raise FieldError("no_such_field", f"{path}{name}: must be one of {known}")
            setattr(message, name, convert(f"{path}{name}", value, may_be))
        return message


def _converter(text: str) -> Convert:
    """Return how a value of one field type is checked and converted."""
    if match := _ARRAY.fullmatch(text):
        length = int(match["length"])
        return _several(match["item"], length, length)
    if match := _SEQUENCE.fullmatch(text):
        return _several(match["item"], 0, int(match["bound"] or 2**32 - 1))
    if text in ("float", "double"):
        return _number(_SINGLE_MAX if text == "float" else math.inf)
    if match := _INTEGER.fullmatch(text):
        bits = int(match["bits"])
        low, high = (0, 2**bits) if match["unsigned"] else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        return _integer(range(low, high))
    if match := _TEXT.fullmatch(text):
        return _text(int(match["bound"] or 2**32 - 1))
    if text == "boolean":
        return _boolean
    if text == "octet":
        whole = _integer(range(256))
        return lambda name, value, may_be: bytes([whole(name, value, may_be)])
    if "/" in text:
        return _nested(text)
    raise ValueError(f"has a field of type {text}, which cannot be filled")


def _number(most: float) -> Convert:
    def convert(name: str, value: Any, may_be: MayBe) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise FieldError("wrong_type", f"{name}={_shown(value)}: must be a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if abs(number) > most:
            number = math.copysign(math.inf, number)
        if not math.isfinite(number) and not may_be.allows(name, number):
            raise FieldError("not_finite", f"{name}={number}: must be finite")
        return number

    return convert


def _integer(allowed: range) -> Convert:
    def convert(name: str, value: Any, may_be: MayBe) -> int:
        if not isinstance(value, int) or int(value) not in allowed:
            limits = f"{allowed.start} to {allowed.stop - 1}"
            text = f"{name}={_shown(value)}: must be a whole number of {limits}"
            raise FieldError("wrong_type", text)
        return int(value)

    return convert


def _boolean(name: str, value: Any, may_be: MayBe) -> bool:
    if not isinstance(value, bool):
        raise FieldError("wrong_type", f"{name}={_shown(value)}: must be true or false")
    return value


def _text(longest: int) -> Convert:
    def convert(name: str, value: Any, may_be: MayBe) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise FieldError("wrong_type", f"{name}={_shown(value)}: must be a text")
        return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "")

    return convert


def _several(item: str, least: int, most: int) -> Convert:
    each = _converter(item)
    is_bytes = item in ("uint8", "octet")

    def convert(name: str, value: Any, may_be: MayBe) -> Any:
        given_bytes = is_bytes and isinstance(value, bytes | bytearray)
        if not given_bytes and (isinstance(value, str | bytes) or not isinstance(value, Sequence)):
            raise FieldError("wrong_type", f"{name}={_shown(value)}: must be a sequence")
        if not least <= len(value) <= most:
            number = f"{least}" if least == most else f"at most {most}"
            raise FieldError("wrong_type", f"{name}: must have {number} values, has {len(value)}")
        if given_bytes and item == "uint8":
            return array.array("B", bytes(value))
        return [each(name, one, may_be) for one in value]

    return convert


def _nested(text: str) -> Convert:
    package, _, kind = text.rpartition("/")
    form = MessageForm(message_type(f"{package}/msg/{kind}"))
    return lambda name, value, may_be: form.filled(value, may_be, f"{name}.")


def _shown(value: object) -> str:
    """A short form of a value, for one line of a log."""
    shown = value if isinstance(value, int | float | str | bool) else type(value).__name__
    return str(shown)[:40]
