"""Rules for counters and checksums: frozen values, no algorithm.

Only an algorithm that none of them can express needs code of a car's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A signal that counts the frames of its message.

    It runs from `first` to `last`, both included, in steps of `step`, and begins with `start`.
    `max_step`: how many steps at once a receiver accepts, as frames may be lost.
    """

    signal: str
    first: int
    last: int
    step: int = 1
    start: int = 0
    max_step: int = 3


class IdBytes(str, Enum):
    """How the id of a message enters its checksum."""

    NONE = "none"
    LOW = "low"
    """The lower byte."""
    LOW_HIGH = "low_high"
    """The lower byte, then the higher one."""
    HIGH_LOW = "high_low"
    """The higher byte, then the lower one."""
    ALL = "all"
    """Four bytes, the lowest one first."""
    NIBBLES = "nibbles"
    """The three hexadecimal digits of an 11-bit id, each as one value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crc:
    """A CRC in the parameters of the usual catalogues (Rocksoft model)."""

    width: int
    poly: int
    init: int = 0
    xor_out: int = 0
    reflect_in: bool = False
    reflect_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """The sum of bytes (or of their nibbles) plus `start`; `negate`: what complements it to 0."""

    start: int = 0
    nibbles: bool = False
    negate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Xor:
    """The exclusive or of bytes with `start`."""

    start: int = 0


@dataclass(frozen=True, slots=True)
class Foreign:
    """An algorithm of somebody else's package: bytes -> number."""

    name: str
    function: Callable[[bytes], int]


Algorithm = Crc | Sum | Xor | Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksum:
    """A signal that protects the other bits of its message.

    The algorithm takes, in this order: `before` and the id (where `id_after` is False), the bytes
    `over` of the frame, the id (where `id_after` is True), the Data-ID, and `after`. Within the
    frame the bits of the checksum itself are left out (`skip_own`: whole bytes that hold nothing
    else are not taken at all; other bits of it count as 0). `data_ids`: one for every value of the
    counter (a single one: for all), `data_id_bytes` long, the lower byte first; `data_id_first`:
    before the frame in place of after it. `xor_out_by_counter`: exclusive or with the result, by
    the value of the counter. The signal takes the lower bits of the result after `shift` to the
    right.
    """

    signal: str
    algorithm: Algorithm
    over: tuple[int, ...] = ()
    """Numbers of the frame's bytes; empty: all."""
    skip_own: bool = True
    id_bytes: IdBytes = IdBytes.NONE
    id_after: bool = False
    data_ids: tuple[int, ...] = ()
    data_id_bytes: int = 1
    data_id_first: bool = False
    xor_out_by_counter: tuple[int, ...] = ()
    before: bytes = b""
    after: bytes = b""
    add_length: bool = False
    """The length of the frame in bytes enters as one more byte, after the id."""
    shift: int = 0
