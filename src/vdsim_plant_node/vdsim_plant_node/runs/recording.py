"""The recording of a live run (`.vds`): every CMD and STATE with its tick, and what was latched.

Written by `recording_writer` while the server runs, read by `vdsim_replay` and `vdsim_plot`. The
layout is described in docs/recording.md; all numbers are little-endian.

    file    := magic "VDSREC" | version u16 | length u32 | metadata (JSON, UTF-8) | record*
    record  := kind u8 | 0 u8 | vehicle_id u16 | length u32 | tick u64 | time_s f64
               | payload | crc u32

The CRC-32 covers record header and payload. A file that ends inside a record (the process was
killed) is read up to there; a damaged record ends the reading with an error that names its place.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters.checked_file import FileError, open_checked

FORMAT_VERSION = 1
MAGIC = b"VDSREC"
FILE_HEADER = struct.Struct("<6sHI")
RECORD_HEADER = struct.Struct("<BBHIQd")
CRC = struct.Struct("<I")
_INPUT = struct.Struct("<dddiBB")
_RESET = struct.Struct("<6d")
_LARGEST_PAYLOAD = 65_535
_LARGEST_FILE = 1 << 50
_LARGEST_METADATA = 16 << 20


class RecordKind(IntEnum):
    """What a record holds."""

    CMD = 1
    STATE = 2
    INPUT = 3
    RESET = 4
    SNAPSHOT = 5


class InputSource(IntEnum):
    """Where a latched input came from."""

    COMMAND = 0
    FAILSAFE = 1
    LOCAL = 2


@dataclass(frozen=True)
class Record:
    """One event: it took effect before tick number `tick` (STATE: after it), at `time_s`.

    `time_s` counts seconds of the recording machine's monotonic clock from the start of the run.
    """

    kind: RecordKind
    vehicle_id: int
    tick: int
    time_s: float
    payload: bytes


class RecordingError(ValueError):
    """The file is not a readable recording; the message names place and reason."""


class Recorder(Protocol):
    """Where a vehicle records to; times are seconds since the start of the run."""

    def command(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """Record an accepted CMD as it was received."""

    def state(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """Record a STATE as it was sent."""

    def input(
        self, vehicle_id: int, tick: int, time_s: float, pedals: PedalInput, source: InputSource
    ) -> None:
        """Record a newly latched input."""

    def reset(self, vehicle_id: int, tick: int, time_s: float, initial: InitialState) -> None:
        """Record that the vehicle was put to an initial state."""

    def snapshot(self, vehicle_id: int, tick: int, time_s: float, snapshot: bytes) -> None:
        """Record the exact state of a session."""


class RecordingReader:
    """Reads a recording, one record at a time; iterate over it for the records."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as file:
            self.metadata = self._read_header(file)
            self._first = file.tell()
        self.truncated = False

    def _open(self) -> BinaryIO:
        """The file, to be read record by record: its size is no limit."""
        try:
            return open_checked(self._path, largest_bytes=_LARGEST_FILE)
        except FileError as fault:
            raise RecordingError(str(fault)) from None

    def _read_header(self, file: BinaryIO) -> dict[str, Any]:
        start = file.read(FILE_HEADER.size)
        if len(start) < FILE_HEADER.size or not start.startswith(MAGIC):
            raise RecordingError(f"{self._path}: is not a vdsim recording")
        _, version, length = FILE_HEADER.unpack(start)
        if version != FORMAT_VERSION:
            raise RecordingError(
                f"{self._path}: format version {version}, this program reads {FORMAT_VERSION}"
            )
        if length > _LARGEST_METADATA:
            raise RecordingError(f"{self._path}: damaged metadata: {length} bytes")
        try:
            metadata = json.loads(file.read(length))
        except RecursionError:
            raise RecordingError(f"{self._path}: damaged metadata: nested too deeply") from None
        except ValueError as error:
            raise RecordingError(f"{self._path}: damaged metadata: {error}") from error
        if not isinstance(metadata, dict):
            raise RecordingError(f"{self._path}: damaged metadata: not a mapping")
        return metadata

    def __iter__(self) -> Iterator[Record]:
        with self._open() as file:
            file.seek(self._first)
            while True:
                offset = file.tell()
                header = file.read(RECORD_HEADER.size)
                if not header:
                    return
                record = self._read_record(file, header, offset)
                if record is None:
                    self.truncated = True
                    return
                yield record

    def _read_record(self, file: BinaryIO, header: bytes, offset: int) -> Record | None:
        """The record at `offset`, whose header is read; None where the file ends early."""
        if len(header) < RECORD_HEADER.size:
            return None
        kind, zero, vehicle_id, length, tick, time_s = RECORD_HEADER.unpack(header)
        payload = file.read(min(length, _LARGEST_PAYLOAD))
        crc = file.read(CRC.size)
        if len(payload) == 0 < length and not crc:
            return None
        if zero != 0 or length > _LARGEST_PAYLOAD or kind not in _KINDS:
            raise RecordingError(f"{self._path}: damaged record at byte {offset}")
        if len(crc) < CRC.size:
            return None
        if CRC.unpack(crc)[0] != zlib.crc32(payload, zlib.crc32(header)):
            raise RecordingError(f"{self._path}: damaged record at byte {offset}: wrong CRC")
        return Record(
            kind=RecordKind(kind), vehicle_id=vehicle_id, tick=tick, time_s=time_s, payload=payload
        )


_KINDS = frozenset(int(kind) for kind in RecordKind)


def pack_input(pedals: PedalInput, source: InputSource) -> bytes:
    """Payload of an INPUT record."""
    return _INPUT.pack(
        pedals.steer_rad,
        pedals.throttle,
        pedals.brake,
        pedals.gear,
        bool(pedals.handbrake),
        source,
    )


def unpack_input(payload: bytes) -> tuple[PedalInput, InputSource]:
    """The latched input of an INPUT record, exactly."""
    steer_rad, throttle, brake, gear, handbrake, source = _INPUT.unpack(payload)
    return PedalInput(
        steer_rad=steer_rad, throttle=throttle, brake=brake, gear=gear, handbrake=bool(handbrake)
    ), InputSource(source)


def pack_reset(initial: InitialState) -> bytes:
    """Payload of a RESET record."""
    return _RESET.pack(
        initial.x_m,
        initial.y_m,
        initial.yaw_rad,
        initial.vx_mps,
        initial.vy_mps,
        initial.yaw_rate_radps,
    )


def unpack_reset(payload: bytes) -> InitialState:
    """The initial state of a RESET record, exactly."""
    return InitialState(*_RESET.unpack(payload))
