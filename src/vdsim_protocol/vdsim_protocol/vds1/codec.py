"""Encode and decode whole VDS1 datagrams. Decoding never raises; encoding refuses bad values."""

from __future__ import annotations

import dataclasses
import functools
import math
import struct
from collections.abc import Callable, Collection
from typing import Any, TypeAlias
from zlib import crc32

from vdsim_protocol.vds1.compiled import (
    CRC_RESIDUE,
    Buffer,
    Reader,
    compile_reader,
    compile_writer,
    prefix,
)
from vdsim_protocol.vds1.messages import (
    CRC_SIZE,
    DEFAULT_VERSION,
    LAYOUTS,
    MAGIC,
    VERSIONS,
    Command,
    CommandValues,
    MessageType,
    State,
    datagram_size,
)
from vdsim_protocol.vds1.packet import Packet, Reason, Reject
from vdsim_protocol.vds1.values import (
    U32_MAX,
    is_vehicle_id,
    offences_of_state,
    refuse_command,
    refuse_header,
)
from vdsim_protocol.wire import LITTLE_ENDIAN, EncodeError, Layout

Decoder: TypeAlias = Callable[[Buffer], "Packet[Any] | Reject"]

_PREFIX = struct.Struct(LITTLE_ENDIAN + "IHH")
_NEWEST = VERSIONS[-1]
_NEWEST_SIZE = datagram_size(MessageType.STATE, _NEWEST)
_NEWEST_PREFIX = _PREFIX.pack(MAGIC, _NEWEST, MessageType.STATE)
_SIZES = frozenset(
    datagram_size(message, version) for message in MessageType for version in VERSIONS
)


def make_decoder(
    messages: Collection[MessageType], versions: Collection[int], *, newer_state: bool = False
) -> Decoder:
    """A decode function that accepts only these message types and versions.

    `newer_state`: also a STATE of a version above the known ones, by `read_newer_state`.
    """
    decode = _compiled_decoder(tuple(messages), tuple(versions))
    if not newer_state:
        return decode

    def decode_newer(datagram: Buffer) -> Packet[Any] | Reject:
        """Decode; what no known version explains may be a STATE of a newer one. Never raises."""
        outcome = decode(datagram)
        if isinstance(outcome, Reject):
            return read_newer_state(datagram) or outcome
        return outcome

    return decode_newer


def newer_version(datagram: Buffer) -> int | None:
    """The version of an intact STATE above the known ones; None for any other bytes."""
    if len(datagram) < _NEWEST_SIZE:
        return None
    magic, version, message = _PREFIX.unpack_from(datagram)
    is_newer = magic == MAGIC and message == MessageType.STATE and version > _NEWEST
    return version if is_newer and crc32(datagram) == CRC_RESIDUE else None


def read_newer_state(datagram: Buffer) -> Packet[State] | None:
    """A STATE of a version above the known ones, by the fields of the newest known one.

    A new version appends fields and keeps the others where they are; the CRC-32 is the last word.
    """
    version = newer_version(datagram)
    if version is None:
        return None
    known = _NEWEST_PREFIX + bytes(datagram[_PREFIX.size : _NEWEST_SIZE - CRC_SIZE])
    packet = _compiled_decoder((MessageType.STATE,), (_NEWEST,))(
        known + crc32(known).to_bytes(CRC_SIZE, "little")
    )
    assert isinstance(packet, Packet)  # its length, prefix and CRC are right by construction
    return Packet((version, *packet[1:]))


@functools.lru_cache(maxsize=64)
def _compiled_decoder(messages: tuple[MessageType, ...], versions: tuple[int, ...]) -> Decoder:
    """Compile the function, which costs one or two milliseconds; equal ones are shared."""
    readers: dict[int, Reader] = {}
    for message in messages:
        for version in versions:
            size = datagram_size(message, version)
            same = {prefix(message, v): v for v in versions if datagram_size(message, v) == size}
            readers[size] = compile_reader(message, LAYOUTS[message][version], same)
    reader_of = readers.get

    def decode(datagram: Buffer) -> Packet[Any] | Reject:
        """Check length, magic, version, type and CRC, then build the packet. Never raises."""
        reader = reader_of(len(datagram))
        if reader is not None:
            packet = reader(datagram)
            if packet is not None:
                return packet
        return explain_reject(bytes(datagram), messages, versions)

    return decode


def explain_reject(
    datagram: bytes, messages: Collection[MessageType], versions: Collection[int]
) -> Reject:
    """Name the first check that failed, for a datagram that no reader accepted."""
    size = len(datagram)
    if size not in _SIZES:
        return Reject(Reason.LENGTH, f"{size} bytes")
    magic, version, message = _PREFIX.unpack_from(datagram)
    if magic != MAGIC:
        return Reject(Reason.MAGIC, f"starts with {datagram[:4].hex()}")
    if version not in versions:
        return Reject(Reason.VERSION, f"version {version}")
    if message not in messages:
        return Reject(Reason.TYPE, f"msg_type {message}")
    expected = datagram_size(MessageType(message), version)
    if size != expected:
        name = MessageType(message).name
        return Reject(
            Reason.LENGTH, f"{name} of version {version} has {expected} bytes, this has {size}"
        )
    return Reject(Reason.CRC, f"ends with {datagram[-4:].hex()}")


decode: Decoder = make_decoder(tuple(MessageType), VERSIONS)
"""Decode a datagram of any type and version: a `Packet`, or a `Reject` with its reason."""

_state_prefix = {version: prefix(MessageType.STATE, version) for version in VERSIONS}.get
_STATE_LAYOUTS = LAYOUTS[MessageType.STATE]
_NOT_NUMBERS = (struct.error, TypeError, ValueError, OverflowError)


def _require_finite(layout: Layout) -> Callable[[State], None]:
    def check(state: State) -> None:
        for offence in offences_of_state(state, layout.fields):
            raise EncodeError(offence)

    return check


_commands = {
    version: (prefix(MessageType.CMD, version), compile_writer(layout))
    for version, layout in LAYOUTS[MessageType.CMD].items()
}.get
_state_writers = {
    version: compile_writer(layout, _require_finite(layout))
    for version, layout in _STATE_LAYOUTS.items()
}


def encode_command(
    command: Command | CommandValues,
    *,
    seq: int,
    timestamp_s: float,
    version: int = DEFAULT_VERSION,
    vehicle_id: int = 0,
) -> bytes:
    """The CMD datagram of a command. Raises `EncodeError` when a value may not be sent."""
    return command_datagram(command, seq, timestamp_s, version, vehicle_id)


def command_datagram(
    command: Command | CommandValues, seq: int, timestamp_s: float, version: int, vehicle_id: int
) -> bytes:
    """`encode_command`, for a sender: a call without names costs less."""
    known = _commands(version)
    if (
        known is None
        or not 0 <= seq <= U32_MAX
        or timestamp_s - timestamp_s != 0.0
        or (vehicle_id != 0 and not is_vehicle_id(version, vehicle_id))
    ):
        raise refuse_header(version, seq, vehicle_id, timestamp_s)
    try:
        steer = command.steering_tire_angle_rad
        accel = command.aux_accel_target_mps2
        speed = command.aux_speed_target_mps
        if (
            steer - steer == 0.0
            and 0.0 <= command.throttle <= 1.0
            and 0.0 <= command.brake <= 1.0
            and -1 <= command.gear <= 1
            and (accel != accel or accel - accel == 0.0)
            and (speed != speed or speed - speed == 0.0)
        ):
            first, write = known
            return write(command, first, seq, vehicle_id, timestamp_s)
    except _NOT_NUMBERS:
        pass
    raise refuse_command(command)


def encode_state(
    state: State,
    *,
    seq: int,
    timestamp_s: float,
    version: int = DEFAULT_VERSION,
    vehicle_id: int = 0,
) -> bytes:
    """The STATE datagram of a state. Raises `EncodeError` when a value may not be sent.

    Values that `version` does not carry are not checked. A yaw of -pi is sent as +pi.
    """
    first = _state_prefix(version)
    if (
        first is None
        or not 0 <= seq <= U32_MAX
        or timestamp_s - timestamp_s != 0.0
        or (vehicle_id != 0 and not is_vehicle_id(version, vehicle_id))
    ):
        raise refuse_header(version, seq, vehicle_id, timestamp_s)
    try:
        if not -math.pi < state.yaw_rad <= math.pi:
            state = _with_yaw_in_range(state)
        return _state_writers[version](state, first, seq, vehicle_id, timestamp_s)
    except EncodeError:
        raise
    except _NOT_NUMBERS:
        raise EncodeError(offences_of_state(state, _STATE_LAYOUTS[version].fields)[0]) from None


def _with_yaw_in_range(state: State) -> State:
    """The half-open range of the contract: -pi is the same heading as +pi."""
    if state.yaw_rad == -math.pi:
        return dataclasses.replace(state, yaw_rad=math.pi)
    raise EncodeError(f"yaw_rad={state.yaw_rad!r}: must be in (-pi, pi]")
