"""A recording that runs: the journal, and the process that makes the MCAP file of it.

    recorder ──segments──▶ disk ──▶ finisher ──chunks──▶ drive.mcap
        └────────────── pipe ─────────▲

The finisher notices at the end of the pipe that this process has ended, however it ended, and
completes the file. A second finisher has been started, imports all it needs and waits for the
lock of the first: it goes on at once where that one is killed, and this process starts another.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from vdsim_record.journal.folder import FINISHER, RECORDER, JournalBusyError, JournalFolder
from vdsim_record.journal.writer import JournalWriter
from vdsim_record.mcap_file import records
from vdsim_record.mcap_file.finishing import Finished, finish_all
from vdsim_record.mcap_file.records import MessageHead

FINISHER_MODULE = "vdsim_record.cli.finisher"
_FINISHERS_N = 2
"""One that works and one that waits: under load a process needs seconds to begin."""


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
        self._finishers: list[subprocess.Popen[bytes]] = []
        self.finishers_n = 0
        self._reading, self._pipe = os.pipe()
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
        self._finishers = [each for each in self._finishers if each.poll() is None]
        if len(self._finishers) < _FINISHERS_N and self._is_served():
            self._start_finisher()

    @property
    def finisher_pid(self) -> int:
        """The process that works as the finisher; the other one waits."""
        return self._finishers[0].pid if self._finishers else -1

    def _is_served(self) -> bool:
        """Whether the first finisher works, or there is none: then another one may start."""
        if not self._finishers:
            return True
        try:
            with self.folder.locked(FINISHER):
                return False
        except JournalBusyError:
            return True

    def close(self, patience_s: float = 60.0) -> list[Finished] | None:
        """End, and wait for the finisher; None where it has completed the file.

        Else what this process has completed in its place.
        """
        with contextlib.suppress(OSError):
            self._journal.close()
        self._stack.close()
        os.close(self._pipe)
        os.close(self._reading)
        with contextlib.suppress(subprocess.TimeoutExpired):
            for each in self._finishers:
                each.wait(patience_s)
        return finish_all(self.folder.target.parent) if self.folder.path.exists() else None

    def _start_finisher(self) -> None:
        """In a session of its own: Ctrl-C of a terminal is not for it."""
        self.finishers_n += 1
        self._finishers.append(
            subprocess.Popen(
                [sys.executable, "-m", FINISHER_MODULE, str(self.folder.path), str(self._reading)],
                pass_fds=(self._reading,),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
            )
        )
