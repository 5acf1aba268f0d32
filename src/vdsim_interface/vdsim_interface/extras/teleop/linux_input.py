"""The two event formats of Linux joysticks, as pure data: bytes of a device in, events out.

First stage of the joystick device: `/dev/input/js*` gives `struct js_event`, `/dev/input/event*`
gives `struct input_event` (linux/joystick.h and linux/input.h). The kernel writes whole records; a
pipe or pty may split them, so `RecordReader` keeps the remainder. No file is opened here.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

JS_EVENT: Final = struct.Struct("=IhBB")  # time [ms], value, type, number
INPUT_EVENT: Final = struct.Struct("@llHHi")  # native: a timeval is two longs

JS_EVENT_BUTTON: Final = 0x01
JS_EVENT_AXIS: Final = 0x02
JS_EVENT_INIT: Final = 0x80  # set on the events that describe the state when opened
JS_VALUE_MAX: Final = 32767

EV_SYN: Final = 0x00
EV_KEY: Final = 0x01
EV_ABS: Final = 0x03
SYN_REPORT: Final = 0
SYN_DROPPED: Final = 3

ABS_X: Final = 0x00
ABS_Y: Final = 0x01
ABS_RX: Final = 0x03
ABS_RY: Final = 0x04
ABS_MAX: Final = 0x3F
ABS_COUNT: Final = ABS_MAX + 1

BTN_MISC: Final = 0x100
BTN_JOYSTICK: Final = 0x120
KEY_MAX: Final = 0x2FF
KEY_COUNT: Final = KEY_MAX + 1

STICK_CODES: Final = frozenset({ABS_X, ABS_Y, ABS_RX, ABS_RY})
"""Axes that spring back to a centre on every known pad; ABS_Z and ABS_RZ may be triggers."""


class Protocol(enum.Enum):
    """The two event formats of devices."""

    JS = "js"
    EVDEV = "evdev"

    @property
    def record_size(self) -> int:
        """Bytes of one event."""
        return JS_EVENT.size if self is Protocol.JS else INPUT_EVENT.size


@dataclass(frozen=True)
class AxisRange:
    """Raw range of one evdev axis, as EVIOCGABS returns it."""

    minimum: int
    maximum: int
    value: int = 0

    def normalised(self, raw: int) -> float:
        """`raw` on -1 (minimum) to +1 (maximum); a range without width reads 0."""
        width = self.maximum - self.minimum
        if width <= 0:
            return 0.0
        clamped = min(max(raw, self.minimum), self.maximum)
        return 2.0 * (clamped - self.minimum) / width - 1.0


@dataclass(frozen=True)
class DeviceLayout:
    """A device's description: its name and, by index of a Joy message, its codes.

    `axis_codes` and `button_codes` may be empty for a js stream that is no device file: such a
    stream announces its axes and buttons by its first events.
    """

    name: str
    axis_codes: tuple[int, ...] = ()
    button_codes: tuple[int, ...] = ()
    axis_ranges: tuple[AxisRange, ...] = ()


def joystick_button_order(codes: Iterator[int] | tuple[int, ...]) -> tuple[int, ...]:
    """Return key codes in the order in which the kernel's joydev numbers them.

    Joystick and gamepad buttons come first, then the miscellaneous ones below BTN_JOYSTICK;
    keyboard keys are no buttons. So the js and the evdev device of one gamepad have the same
    numbers.
    """
    buttons = sorted(code for code in codes if BTN_MISC <= code <= KEY_MAX)
    return tuple(
        [code for code in buttons if code >= BTN_JOYSTICK]
        + [code for code in buttons if code < BTN_JOYSTICK]
    )


def bits_set(bitmap: bytes) -> tuple[int, ...]:
    """Numbers of the bits that are set in a kernel bitmap (least significant bit first)."""
    return tuple(
        8 * index + bit for index, byte in enumerate(bitmap) for bit in range(8) if byte >> bit & 1
    )


@dataclass(frozen=True)
class AxisMoved:
    """An axis has a new value, -1 to +1 in the device's own direction."""

    index: int
    value: float


@dataclass(frozen=True)
class ButtonChanged:
    """A button was pressed or released."""

    index: int
    pressed: bool


@dataclass(frozen=True)
class ReportComplete:
    """End of a group of simultaneous events (evdev marks it; js has no such mark)."""


@dataclass(frozen=True)
class EventsLost:
    """The kernel's queue overflowed: the state must be read again."""


Event = AxisMoved | ButtonChanged | ReportComplete | EventsLost


_SYN_EVENTS: Final[dict[int, Event]] = {SYN_REPORT: ReportComplete(), SYN_DROPPED: EventsLost()}


class RecordReader:
    """Splits a byte stream into event records, independent of the sizes of the reads."""

    def __init__(self, protocol: Protocol) -> None:
        self._size = protocol.record_size
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the records that are complete with `data`."""
        stream = self._rest + data
        whole = len(stream) - len(stream) % self._size
        self._rest = stream[whole:]
        return [stream[start : start + self._size] for start in range(0, whole, self._size)]


def decode_js(record: bytes) -> Event | None:
    """Decode one js record; None for types that are not used."""
    _time_ms, value, kind, number = JS_EVENT.unpack(record)
    kind &= ~JS_EVENT_INIT
    if kind == JS_EVENT_AXIS:
        return AxisMoved(number, max(-1.0, value / JS_VALUE_MAX))
    if kind == JS_EVENT_BUTTON:
        return ButtonChanged(number, bool(value))
    return None


class EvdevDecoder:
    """Decodes evdev records of one device; its layout maps codes to indices."""

    def __init__(self, layout: DeviceLayout) -> None:
        self._axes = {code: index for index, code in enumerate(layout.axis_codes)}
        self._buttons = {code: index for index, code in enumerate(layout.button_codes)}
        self._ranges = layout.axis_ranges

    def decode(self, record: bytes) -> Event | None:
        """Decode one record; None for codes outside the layout and types that are not used."""
        _s, _us, kind, code, value = INPUT_EVENT.unpack(record)
        if kind == EV_SYN:
            return _SYN_EVENTS.get(code)
        if kind == EV_ABS and code in self._axes:
            index = self._axes[code]
            return AxisMoved(index, self._ranges[index].normalised(value))
        if kind == EV_KEY and code in self._buttons:
            return ButtonChanged(self._buttons[code], value != 0)
        return None
