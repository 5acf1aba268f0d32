"""The ways to encode and decode the same VDS1 datagrams that the benchmark compares."""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

from vdsim_protocol.vds1.messages import HEADER_FIELDS, LAYOUTS, MessageType

from vdsim_protocol import vds1

OURS = "ours, full path"
OURS_ARRAY = "ours, array path"
BARE = "bare struct and crc32"
OPERATIONS = ("CMD encode", "CMD decode", "STATE encode", "STATE decode")
Contender = Mapping[str, Callable[[], object]]

COMMAND = vds1.Command(0.1, 0.25, 0.0, 1, False, 0.5, 7.0)
STATE = vds1.State(
    **{
        field.name: tuple(k / 8 for k in range(index, index + 4))
        if field.wire.count > 1
        else index / 16
        for index, field in enumerate(LAYOUTS[MessageType.STATE][5].fields)
    }
)
SEQ, STAMP_S = 5, 1.5
COMMAND_FRAME = vds1.encode_command(COMMAND, seq=SEQ, timestamp_s=STAMP_S)
STATE_FRAME = vds1.encode_state(STATE, seq=SEQ, timestamp_s=STAMP_S)

_COMMAND_STRUCT = struct.Struct("<IHHIIddddiB3xdd")
_COMMAND_STRUCT_CRC = struct.Struct("<IHHIIddddiB3xddI")
_STATE_STRUCT = struct.Struct("<IHHIId51d")
_STATE_STRUCT_CRC = struct.Struct("<IHHIId51dI")
_CRC = struct.Struct("<I")
COMMAND_VALUES = _COMMAND_STRUCT.unpack(COMMAND_FRAME[:-4])
STATE_VALUES = _STATE_STRUCT.unpack(STATE_FRAME[:-4])
STATE_ARRAY = array("d", STATE_VALUES[6:])


def _bare_encode(packer: struct.Struct, values: tuple[Any, ...]) -> bytes:
    content = packer.pack(*values)
    return content + _CRC.pack(crc32(content))


def _bare_decode_command() -> tuple[Any, ...]:
    values = _COMMAND_STRUCT_CRC.unpack(COMMAND_FRAME)
    if crc32(COMMAND_FRAME[:72]) != values[-1]:
        raise ValueError("crc")
    return values


def _bare_decode_state() -> tuple[Any, ...]:
    values = _STATE_STRUCT_CRC.unpack(STATE_FRAME)
    if crc32(STATE_FRAME[:432]) != values[-1]:
        raise ValueError("crc")
    return values


def _ctypes_struct(message: MessageType) -> type[ctypes.LittleEndianStructure]:
    types = {"d": ctypes.c_double, "i": ctypes.c_int32, "I": ctypes.c_uint32} | {
        "H": ctypes.c_uint16,
        "?": ctypes.c_uint8,
    }
    fields: list[tuple[str, Any]] = []
    for field in (*HEADER_FIELDS, *LAYOUTS[message][3].fields):
        one = types[field.wire.format]
        fields.append((field.name, one * field.wire.count if field.wire.count > 1 else one))
        if field.wire.pad_after:
            fields.append((f"{field.name}_pad", ctypes.c_uint8 * field.wire.pad_after))
    namespace = {"_pack_": 1, "_fields_": [*fields, ("crc", ctypes.c_uint32)]}
    return type(f"Ctypes{message.name}", (ctypes.LittleEndianStructure,), namespace)


_CTYPES_COMMAND = _ctypes_struct(MessageType.CMD)
_CTYPES_STATE = _ctypes_struct(MessageType.STATE)
_QUAD = ctypes.c_double * 4


def _ctypes_encode_command() -> bytes:
    packet = _CTYPES_COMMAND(*COMMAND_VALUES[:11], (0, 0, 0), *COMMAND_VALUES[11:])
    packet.crc = crc32(memoryview(packet).cast("B")[:72])
    return bytes(packet)


_STATE_ARGUMENTS = [
    *STATE_VALUES[:6],
    *(
        _QUAD(*getattr(STATE, field.name)) if field.wire.count > 1 else getattr(STATE, field.name)
        for field in LAYOUTS[MessageType.STATE][3].fields
    ),
]


def _ctypes_encode_state() -> bytes:
    packet = _CTYPES_STATE(*_STATE_ARGUMENTS)
    packet.crc = crc32(memoryview(packet).cast("B")[:432])
    return bytes(packet)


def _ctypes_decode(kind: type[ctypes.LittleEndianStructure], frame: bytes) -> object:
    packet = kind.from_buffer_copy(frame)
    if crc32(frame[:-4]) != packet.crc:
        raise ValueError("crc")
    return packet


def _construct() -> Contender:
    """Declarative parsing with the construct library, compiled by itself to Python."""
    try:
        import construct
    except ImportError:
        return {}
    types = {
        "d": construct.Float64l,
        "i": construct.Int32sl,
        "I": construct.Int32ul,
        "H": construct.Int16ul,
        "?": construct.Int8ul,
    }

    def struct_of(message: MessageType) -> Any:
        parts = []
        for field in (*HEADER_FIELDS, *LAYOUTS[message][3].fields):
            one = types[field.wire.format]
            parts.append(field.name / (one[field.wire.count] if field.wire.count > 1 else one))
            if field.wire.pad_after:
                parts.append(construct.Padding(field.wire.pad_after))
        return construct.Struct(*parts).compile()

    command, state = struct_of(MessageType.CMD), struct_of(MessageType.STATE)
    command_dict = dict(command.parse(COMMAND_FRAME))
    state_dict = dict(state.parse(STATE_FRAME))

    def encode(compiled: Any, values: dict[str, Any]) -> bytes:
        content: bytes = compiled.build(values)
        return content + _CRC.pack(crc32(content))

    def decode(compiled: Any, frame: bytes) -> object:
        if _CRC.pack(crc32(frame[:-4])) != frame[-4:]:
            raise ValueError("crc")
        return compiled.parse(frame)

    return {
        "CMD encode": lambda: encode(command, command_dict),
        "CMD decode": lambda: decode(command, COMMAND_FRAME),
        "STATE encode": lambda: encode(state, state_dict),
        "STATE decode": lambda: decode(state, STATE_FRAME),
    }


CONTENDERS: dict[str, Contender] = {
    BARE: {
        "CMD encode": lambda: _bare_encode(_COMMAND_STRUCT, COMMAND_VALUES),
        "CMD decode": _bare_decode_command,
        "STATE encode": lambda: _bare_encode(_STATE_STRUCT, STATE_VALUES),
        "STATE decode": _bare_decode_state,
    },
    OURS: {
        "CMD encode": lambda: vds1.encode_command(COMMAND, seq=SEQ, timestamp_s=STAMP_S),
        "CMD decode": lambda: vds1.decode(COMMAND_FRAME),
        "STATE encode": lambda: vds1.encode_state(STATE, seq=SEQ, timestamp_s=STAMP_S),
        "STATE decode": lambda: vds1.decode(STATE_FRAME),
    },
    OURS_ARRAY: {
        "STATE encode": lambda: vds1.encode_state_values(STATE_ARRAY, seq=SEQ, timestamp_s=STAMP_S),
        "STATE decode": lambda: vds1.view_state(STATE_FRAME),
    },
    "ctypes and crc32": {
        "CMD encode": _ctypes_encode_command,
        "CMD decode": lambda: _ctypes_decode(_CTYPES_COMMAND, COMMAND_FRAME),
        "STATE encode": _ctypes_encode_state,
        "STATE decode": lambda: _ctypes_decode(_CTYPES_STATE, STATE_FRAME),
    },
    "construct, compiled": _construct(),
}


def same_datagrams() -> None:
    """Check that all contenders produce the same datagrams."""
    for name, contender in CONTENDERS.items():
        for operation, frame in (("CMD encode", COMMAND_FRAME), ("STATE encode", STATE_FRAME)):
            if operation in contender and contender[operation]() != frame:
                raise AssertionError(f"{name}: {operation} gives other bytes")
