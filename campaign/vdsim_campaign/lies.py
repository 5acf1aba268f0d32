"""What a STATE can say that is not so: under its own number, with a CRC that fits. No I/O."""

from __future__ import annotations

import dataclasses
import math
import struct
import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vdsim_protocol import vds1

Lie = Callable[[vds1.State], vds1.State]
Alter = Callable[[bytes], bytes]
"""Makes of a datagram another one."""
_STAMP, _SPEED_AT, _CRC_N = slice(16, 24), 72, 4
"""Where a STATE has its time stamp and its speed, and how long its CRC is: docs/vds1.md."""


def altered(datagram: bytes, lie: Lie) -> bytes:
    """A STATE that says something else under the same number and stamp."""
    packet = vds1.decode(datagram)
    if not isinstance(packet, vds1.Packet) or not isinstance(packet.body, vds1.State):
        return datagram
    header = packet.header
    return vds1.encode_state(
        lie(packet.body),
        seq=header.seq,
        timestamp_s=header.timestamp_s,
        version=header.version,
        vehicle_id=header.vehicle_id,
    )


def scaled(factor: float, *names: str) -> Lie:
    """Multiply fields of STATE by a factor."""

    def lie(state: vds1.State) -> vds1.State:
        values: dict[str, Any] = {name: _times(getattr(state, name), factor) for name in names}
        return dataclasses.replace(state, **values)

    return lie


def _times(value: object, factor: float) -> object:
    if isinstance(value, tuple):
        return tuple(factor * each for each in value)
    assert isinstance(value, float)
    return factor * value


def _lying(make: Lie) -> Alter:
    return lambda data: altered(data, make)


def _not_finite() -> Alter:
    """NaN in the speed."""

    def alter(data: bytes) -> bytes:
        body = bytearray(data[:-_CRC_N])
        struct.pack_into("<d", body, _SPEED_AT, math.nan)
        return _with_crc(bytes(body))

    return alter


def _repeat() -> Alter:
    kept: list[bytes] = []

    def alter(data: bytes) -> bytes:
        kept.append(data)
        del kept[1:]
        return kept[0]

    return alter


def _stamp_frozen() -> Alter:
    stamps: list[bytes] = []

    def alter(data: bytes) -> bytes:
        stamps.append(data[_STAMP])
        del stamps[1:]
        return _with_crc(data[: _STAMP.start] + stamps[0] + data[_STAMP.stop : -_CRC_N])

    return alter


def _with_crc(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


LIES: Mapping[str, Callable[[], Alter]] = MappingProxyType(
    {
        "nan": _not_finite,
        "repeat": _repeat,
        "stamp": _stamp_frozen,
        "zero_speed": lambda: _lying(scaled(0.0, "vx_mps")),
        "double_speed": lambda: _lying(scaled(2.0, "vx_mps")),
        "half_throttle": lambda: _lying(
            lambda state: dataclasses.replace(state, throttle_applied=0.5)
        ),
    }
)
