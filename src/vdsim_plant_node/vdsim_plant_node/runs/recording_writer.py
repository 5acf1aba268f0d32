"""Writes the recording of a live run (`recording` has the format) on a thread of its own. Shell.

The server's thread only appends bytes to a list. Every `FLUSH_S` the thread passes what is there to
the operating system, so that a process that is killed loses no more than that, and a slow disk
delays no tick. A file that has reached its size goes on in the next one: `run.vds`, `run.2.vds`.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.runs.recording import (
    CRC,
    FILE_HEADER,
    FORMAT_VERSION,
    MAGIC,
    RECORD_HEADER,
    InputSource,
    RecordKind,
    pack_input,
    pack_reset,
)
from vdsim_plant_node.runs.recording_status import RecordingFiles, RecordingStatus

FLUSH_S = 0.1
LARGEST_BACKLOG_BYTES = 64 << 20
"""What may wait for a disk that does not answer."""
_CLOSE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class _NextFile:
    """Among the pending records: what follows belongs into the next file."""

    header: bytes


def _header_of(metadata: Mapping[str, Any]) -> bytes:
    text = json.dumps(metadata, sort_keys=True).encode()
    return FILE_HEADER.pack(MAGIC, FORMAT_VERSION, len(text)) + text


class RecordingWriter:
    """Appends records; times are seconds since the start of the run."""

    def __init__(self, files: RecordingFiles, metadata: Mapping[str, Any]) -> None:
        """Create the first file, header included, or raise an OSError or ParameterError."""
        self.failure: str | None = None
        """Why recording ended early (disk full); the run that is recorded goes on."""
        self._files = files
        self._header = _header_of(metadata)
        self._number = 1
        self._pending: deque[bytes | _NextFile] = deque()
        self._pending_bytes = 0
        self._file_bytes = len(self._header)
        self._written_bytes = 0
        self._file = self._opened(self._header)
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="recording", daemon=True)
        self._thread.start()

    # --- the server's thread

    def command(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """Record an accepted CMD as it was received."""
        self._append(RecordKind.CMD, vehicle_id, tick, time_s, datagram)

    def state(self, vehicle_id: int, tick: int, time_s: float, datagram: bytes) -> None:
        """Record a STATE as it was sent."""
        self._append(RecordKind.STATE, vehicle_id, tick, time_s, datagram)

    def input(
        self, vehicle_id: int, tick: int, time_s: float, pedals: PedalInput, source: InputSource
    ) -> None:
        """Record a newly latched input."""
        self._append(RecordKind.INPUT, vehicle_id, tick, time_s, pack_input(pedals, source))

    def reset(self, vehicle_id: int, tick: int, time_s: float, initial: InitialState) -> None:
        """Record that the vehicle was put to an initial state."""
        self._append(RecordKind.RESET, vehicle_id, tick, time_s, pack_reset(initial))

    def snapshot(self, vehicle_id: int, tick: int, time_s: float, snapshot: bytes) -> None:
        """Record the exact state of a session, where a recording starts in the middle of a run."""
        self._append(RecordKind.SNAPSHOT, vehicle_id, tick, time_s, snapshot)

    @property
    def is_full(self) -> bool:
        """Whether the file has its size: `begin_next`, then a snapshot of each vehicle."""
        return self._file_bytes >= self._files.largest_bytes and self.failure is None

    def begin_next(self, metadata: Mapping[str, Any] | None = None) -> None:
        """Go on in the next file, with other metadata where the vehicles have changed."""
        if metadata is not None:
            self._header = _header_of(metadata)
        self._pending.append(_NextFile(self._header))
        self._file_bytes = len(self._header)

    def status(self) -> RecordingStatus:
        """How it goes."""
        return RecordingStatus(
            self._files.numbered(self._number), self._written_bytes, self.failure
        )

    def close(self) -> None:
        """Write what is pending and close the file."""
        self._closing = True
        self._wake.set()
        self._thread.join(_CLOSE_TIMEOUT_S)
        if self._thread.is_alive():
            self._fail("the disk does not answer")

    def _append(
        self, kind: RecordKind, vehicle_id: int, tick: int, time_s: float, payload: bytes
    ) -> None:
        if self.failure is not None:
            return
        body = RECORD_HEADER.pack(kind, 0, vehicle_id, len(payload), tick, time_s) + payload
        record = body + CRC.pack(zlib.crc32(body))
        self._pending.append(record)
        self._pending_bytes += len(record)
        self._file_bytes += len(record)
        if self._pending_bytes > self._written_bytes + LARGEST_BACKLOG_BYTES:
            self._fail("the disk does not keep up")

    def _fail(self, reason: str) -> None:
        self.failure = self.failure or reason

    # --- the recording's thread

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(FLUSH_S)
            self._flush()
        self._flush()
        try:
            self._file.close()
        except OSError as error:
            self._fail(str(error))

    def _flush(self) -> None:
        if self.failure is not None:
            self._pending.clear()
            return
        chunk: list[bytes] = []
        try:
            while self._pending:
                record = self._pending.popleft()
                if isinstance(record, _NextFile):
                    self._write(b"".join(chunk))
                    chunk.clear()
                    self._go_on_in_next_file(record.header)
                else:
                    chunk.append(record)
            self._write(b"".join(chunk))
        except (OSError, ParameterError) as error:
            self._fail(str(error))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            count = self._file.write(view)
            self._written_bytes += count
            view = view[count:]

    def _go_on_in_next_file(self, header: bytes) -> None:
        self._file.close()
        self._number += 1
        self._file = self._opened(header)
        if 0 < self._files.kept < self._number:
            self._files.numbered(self._number - self._files.kept).unlink(missing_ok=True)

    def _opened(self, header: bytes) -> BinaryIO:
        """Create the present file with its header; never over another one unless that is asked."""
        path = self._files.numbered(self._number)
        if not self._files.replace:
            for taken in (path, self._files.numbered(self._number + 1)):
                if taken.exists():
                    problem = f"={taken}: exists; choose another name, or set record_replace"
                    raise ParameterError("record", problem)
        file = path.open("wb" if self._files.replace else "xb", buffering=0)
        try:
            file.write(header)
        except OSError:
            file.close()
            raise
        return file
