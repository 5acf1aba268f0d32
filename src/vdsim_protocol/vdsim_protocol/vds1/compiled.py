"""Turns a packet table into a reader and a writer function, once, when the module is imported.

The functions are generated as source, the way `dataclasses` does it: unrolled they are three to
four times faster than a loop over the table. A reader fills an object of a mutable twin class
with the same slots and then makes it the frozen class, which spares one `object.__setattr__` call
a field.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any, TypeAlias
from zlib import crc32

from vdsim_protocol.vds1.messages import (
    BODY_TYPES,
    CRC_SIZE,
    FIRST_VERSION_WITH_VEHICLE_ID,
    LAYOUTS,
    MAGIC,
    NAN,
    NOT_CARRIED,
    Body,
    MessageType,
)
from vdsim_protocol.vds1.packet import Packet
from vdsim_protocol.wire import LITTLE_ENDIAN, Layout

Buffer: TypeAlias = bytes | bytearray | memoryview
Reader: TypeAlias = Callable[[Buffer], "Packet[Any] | None"]
Writer: TypeAlias = Callable[[Any, int, int, int, float], bytes]

CRC_RESIDUE = 0x2144DF1C
"""CRC-32 over any bytes followed by their own CRC-32: the check needs no slice of the datagram."""
_CRC = struct.Struct(LITTLE_ENDIAN + "I")
HEADER_FORMAT = "QIId"
"""The header with magic, version and msg_type read as one 64-bit number, the prefix."""


def prefix(message: MessageType, version: int) -> int:
    """The first eight bytes of a datagram as a little-endian number."""
    return MAGIC | version << 32 | message << 48


def _mutable_twin(body: type[Body]) -> type:
    names = tuple(field.name for field in dataclass_fields(body))
    return type(f"_Blank{body.__name__}", (), {"__slots__": names})


_BLANKS = {message: _mutable_twin(body) for message, body in BODY_TYPES.items()}


def _targets(layout: Layout) -> tuple[list[str], list[str]]:
    """Assignment targets for the unpacked values, and the statements that gather the tuples."""
    targets, gathers = [], []
    for field in layout.fields:
        if field.wire.count == 1:
            targets.append(f"body.{field.name}")
            continue
        parts = [f"{field.name}_{index}" for index in range(field.wire.count)]
        targets += parts
        gathers.append(f"body.{field.name} = ({', '.join(parts)},)")
    return targets, gathers


def _absent(message: MessageType, layout: Layout) -> list[str]:
    """Statements for the fields that this version does not carry."""
    present = {field.name for field in layout.fields}
    latest = LAYOUTS[message][max(LAYOUTS[message])]
    return [
        f"body.{field.name} = {'NAN' if field.wire.count == 1 else 'NOT_CARRIED'}"
        for field in latest.fields
        if field.name not in present
    ]


def _define(name: str, source: list[str], names: Mapping[str, Any]) -> Any:
    scope = dict(names)
    exec("\n".join(source), scope)
    return scope[name]


def compile_reader(message: MessageType, layout: Layout, versions: Mapping[int, int]) -> Reader:
    """A function: datagram of the right length -> `Packet`, or None when prefix or CRC is wrong.

    `versions` maps the prefixes that are accepted to their version.
    """
    targets, gathers = _targets(layout)
    unpack = struct.Struct(f"{LITTLE_ENDIAN}{HEADER_FORMAT}{layout.struct_format()}{CRC_SIZE}x")
    source = [
        "def read(datagram):",
        "    body = Blank()",
        f"    first, seq, vehicle_id, timestamp_s, {', '.join(targets)} = unpack(datagram)",
        "    version = version_of(first)",
        f"    if version is None or crc32(datagram) != {CRC_RESIDUE}:",
        "        return None",
        *(f"    {line}" for line in gathers + _absent(message, layout)),
        "    body.__class__ = Body",
        f"    vehicle_id = vehicle_id if version >= {FIRST_VERSION_WITH_VEHICLE_ID} else 0",
        f"    return Packet((version, {int(message)}, seq, vehicle_id, timestamp_s, body))",
    ]
    names = {
        "Blank": _BLANKS[message],
        "Body": BODY_TYPES[message],
        "NAN": NAN,
        "NOT_CARRIED": NOT_CARRIED,
        "Packet": Packet,
        "crc32": crc32,
        "unpack": unpack.unpack,
        "version_of": versions.get,
    }
    reader: Reader = _define("read", source, names)
    return reader


def compile_writer(layout: Layout, check_suspect: Callable[[Any], None] | None = None) -> Writer:
    """A function: body, prefix, seq, vehicle_id, timestamp_s -> the datagram with its CRC.

    With `check_suspect` the values are summed, which any NaN or infinity survives, and the body
    is passed to it if the sum is not finite: one addition a value instead of one test.
    """
    values = ", ".join(
        f"{'' if field.wire.count == 1 else '*'}body.{field.name}" for field in layout.fields
    )
    pack = struct.Struct(f"{LITTLE_ENDIAN}{HEADER_FORMAT}{layout.struct_format()}")
    if check_suspect is None:
        packing = [f"    content = pack(first, seq, vehicle_id, timestamp_s, {values})"]
    else:
        packing = [
            f"    values = ({values})",
            "    total = sum(values)",
            "    if total - total != 0.0:",
            "        check(body)",
            "    content = pack(first, seq, vehicle_id, timestamp_s, *values)",
        ]
    source = [
        "def write(body, first, seq, vehicle_id, timestamp_s):",
        *packing,
        "    return content + pack_crc(crc32(content))",
    ]
    names = {"check": check_suspect, "crc32": crc32, "pack": pack.pack, "pack_crc": _CRC.pack}
    writer: Writer = _define("write", source, names)
    return writer
