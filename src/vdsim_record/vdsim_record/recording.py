"""A recording that runs: the journal, and the process that makes the MCAP file of it.

    recorder ──segments──▶ disk ──▶ finisher ──chunks──▶ drive.mcap
        └────────────── pipe ─────────▲

The finisher notices at the end of the pipe that this process has ended, however it ended, and
completes the file. This process notices that the finisher has ended, and starts another one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from vdsim_record.journal.folder import RECORDER, JournalFolder
from vdsim_record.journal.writer import JournalWriter
from vdsim_record.mcap_file import records
from vdsim_record.mcap_file.finishing import Finished, finish_all
from vdsim_record.mcap_file.records import MessageHead

FINISHER_MODULE = "vdsim_record.cli.finisher"


class RecordingError(Exception):
    """A recording cannot begin or go on; the text is one line for the user."""


class Recording:
    """Records messages into the file `target`. `now`: seconds of a clock that never jumps."""

    def __init__(self, target: Path, about: Mapping[str, Mapping[str, str]], now: float) -> None:
        folder = JournalFolder.of(target)
        if target.exists() or folder.path.exists():
            raise RecordingError(f"record:={target}: is there already; give another name")
        try:
            folder.path.mkdir()
        except OSError as error:
            raise RecordingError(f"record:={target}: {error.strerror or error}") from None
        self.folder = folder
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(folder.locked(RECORDER))
        self._journal = JournalWriter(folder, now)
        self._schemas: dict[str, int] = {}
        self._counts: list[int] = []
        for name, values in about.items():
            self._journal.append(records.metadata(name, values))
        self._journal.flush()
        self._finisher: subprocess.Popen[bytes] | None = None
        self._pipe = -1
        self.finishers_n = 0
        self._start_finisher()

    def channel(self, topic: str, type_name: str, text: str, metadata: Mapping[str, str]) -> int:
        """Return the number of a new channel. `text`: the type with all it uses."""
        if type_name not in self._schemas:
            number = len(self._schemas) + 1
            self._schemas[type_name] = number
            self._journal.add_to_head(records.schema(number, type_name, text))
        self._counts.append(0)
        number = len(self._counts)
        schema = self._schemas[type_name]
        self._journal.add_to_head(records.channel(number, topic, schema, metadata))
        return number

    def message(self, channel: int, data: bytes, log_ns: int, publish_ns: int) -> None:
        """Record a message. Times of the system clock."""
        self._counts[channel - 1] = count = self._counts[channel - 1] + 1
        head = MessageHead(channel, count & 0xFFFFFFFF, log_ns, publish_ns)
        self._journal.append(records.message(head, data))

    def turn(self, now: float) -> None:
        """Write what was received, and look after the finisher; call it every FLUSH_S.

        Raises RecordingError where the disk takes no more.
        """
        try:
            self._journal.turn(now)
        except OSError as error:
            reason = error.strerror or str(error)
            raise RecordingError(f"{self.folder.target}: {reason}: the recording ends") from None
        if self._finisher is not None and self._finisher.poll() is not None:
            os.close(self._pipe)
            self._start_finisher()

    @property
    def finisher_pid(self) -> int:
        """The finisher's process."""
        return -1 if self._finisher is None else self._finisher.pid

    def close(self, patience_s: float = 60.0) -> list[Finished] | None:
        """End, and wait for the finisher; None where it has completed the file.

        Else what this process has completed in its place.
        """
        with contextlib.suppress(OSError):
            self._journal.close()
        self._stack.close()
        os.close(self._pipe)
        assert self._finisher is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._finisher.wait(patience_s)
        return finish_all(self.folder.target.parent) if self.folder.path.exists() else None

    def _start_finisher(self) -> None:
        """In a session of its own: Ctrl-C of a terminal is not for it."""
        reading, self._pipe = os.pipe()
        self.finishers_n += 1
        try:
            self._finisher = subprocess.Popen(
                [sys.executable, "-m", FINISHER_MODULE, str(self.folder.path), str(reading)],
                pass_fds=(reading,),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
            )
        finally:
            os.close(reading)
