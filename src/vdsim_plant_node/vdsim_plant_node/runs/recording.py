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
from typing import Any, Protocol

from vdsim_plant.motion import InitialState, PedalInput

FORMAT_VERSION = 1
MAGIC = b"VDSREC"
FILE_HEADER = struct.Struct("<6sHI")
RECORD_HEADER = struct.Struct("<BBHIQd")
CRC = struct.Struct("<I")
_INPUT = struct.Struct("<dddiBB")
_RESET = struct.Struct("<6d")
_LARGEST_PAYLOAD = 65_535


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
    """Reads a recording; iterate over it for the records."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._data = path.read_bytes()
        self.metadata, self._first = self._read_header()
        self.truncated = False

    def _read_header(self) -> tuple[dict[str, Any], int]:
        if len(self._data) < FILE_HEADER.size or not self._data.startswith(MAGIC):
            raise RecordingError(f"{self._path}: is not a vdsim recording")
        _, version, length = FILE_HEADER.unpack_from(self._data)
        if version != FORMAT_VERSION:
            raise RecordingError(
                f"{self._path}: format version {version}, this program reads {FORMAT_VERSION}"
            )
        end = FILE_HEADER.size + length
        try:
            metadata = json.loads(self._data[FILE_HEADER.size : end])
        except ValueError as error:
            raise RecordingError(f"{self._path}: damaged metadata: {error}") from error
        if not isinstance(metadata, dict):
            raise RecordingError(f"{self._path}: damaged metadata: not a mapping")
        return metadata, end

    def __iter__(self) -> Iterator[Record]:
        offset = self._first
        while offset < len(self._data):
            record, offset = self._read_record(offset)
            if record is None:
                self.truncated = True
                return
            yield record

    def _read_record(self, offset: int) -> tuple[Record | None, int]:
        """The record at `offset` and where the next begins; no record where the file ends early."""
        data = self._data
        start, end = offset, offset + RECORD_HEADER.size
        if end + CRC.size > len(data):
            return None, offset
        kind, zero, vehicle_id, length, tick, time_s = RECORD_HEADER.unpack_from(data, start)
        if zero != 0 or length > _LARGEST_PAYLOAD or kind not in _KINDS:
            raise RecordingError(f"{self._path}: damaged record at byte {start}")
        end += length
        if end + CRC.size > len(data):
            return None, offset
        if CRC.unpack_from(data, end)[0] != zlib.crc32(data[start:end]):
            raise RecordingError(f"{self._path}: damaged record at byte {start}: wrong CRC")
        payload = data[start + RECORD_HEADER.size : end]
        record = Record(
            kind=RecordKind(kind), vehicle_id=vehicle_id, tick=tick, time_s=time_s, payload=payload
        )
        return record, end + CRC.size


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
