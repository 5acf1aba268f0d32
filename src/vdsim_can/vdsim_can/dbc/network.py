"""What a DBC file defines: frozen values, without the text of the file.

A physical value is `raw * scale + offset`. `start` is the bit that the file states: the least
significant one of a little-endian signal, the most significant one of a big-endian signal, counted
as DBC files do (byte = bit // 8, and bit % 8 is its place in the byte, 0 for the lowest).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Values = Mapping[int, str]
NO_VALUES: Values = MappingProxyType({})
Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One signal. `line`: where the file defines it; 0 where no file does.

    `is_float`: its bits are an IEEE 754 number of 32 or 64 bits. `minimum`, `maximum`: physical;
    None where the file names no range ([0|0]). `selector`: the signal whose raw value decides
    whether this one is in the frame, one of the inclusive ranges `selected_by`; empty: always.
    """

    name: str
    start: int
    length: int
    little_endian: bool = True
    signed: bool = False
    is_float: bool = False
    scale: float = 1.0
    offset: float = 0.0
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    values: Values = field(default_factory=lambda: NO_VALUES)
    is_selector: bool = False
    selector: str = ""
    selected_by: tuple[Range, ...] = ()
    receivers: tuple[str, ...] = ()
    comment: str = ""
    line: int = 0

    def physical(self, raw: float) -> float:
        """Return the physical value of a raw one."""
        return raw * self.scale + self.offset

    def raw_range(self) -> Range:
        """Return the least and greatest raw value of an integer signal."""
        if self.signed:
            return -(1 << (self.length - 1)), (1 << (self.length - 1)) - 1
        return 0, (1 << self.length) - 1

    def bits(self) -> tuple[int, ...]:
        """Return the bits of the frame that it takes, the most significant one first."""
        if self.little_endian:
            return tuple(range(self.start + self.length - 1, self.start - 1, -1))
        bits, bit = [], self.start
        for _ in range(self.length):
            bits.append(bit)
            bit = bit - 1 if bit % 8 else bit + 15
        return tuple(bits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. `can_id`: 11 bits, or 29 where `extended`; `length`: bytes of its frames."""

    name: str
    can_id: int
    length: int
    signals: tuple[Signal, ...] = ()
    extended: bool = False
    fd: bool = False
    sender: str = ""
    cycle_ms: float | None = None
    comment: str = ""
    line: int = 0

    def signal(self, name: str) -> Signal | None:
        """Return the signal of a name; None when there is none."""
        return next((signal for signal in self.signals if signal.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The messages of one DBC file, by name; names are unique, and so is (id, extended)."""

    source: str
    messages: Mapping[str, Message]
    nodes: tuple[str, ...] = ()
    version: str = ""
    by_id: Mapping[tuple[int, bool], Message] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = {(message.can_id, message.extended): message for message in self.messages.values()}
        object.__setattr__(self, "by_id", MappingProxyType(by_id))
