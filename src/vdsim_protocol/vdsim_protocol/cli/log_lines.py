"""The log of a program that serves: a line can neither end the program nor delay it.

Whoever reads standard output may stop reading, or be gone, and a disk may be full. So a thread of
its own writes, to the file descriptor itself; what cannot be written is dropped.
"""

from __future__ import annotations

import os
import threading
from collections import deque

_LARGEST_BACKLOG = 1000
_CLOSE_TIMEOUT_S = 1.0
STANDARD_OUTPUT = 1


class LogLines:
    """Lines in their order, each with the program's name in front when one is given."""

    def __init__(self, program: str = "", file: int = STANDARD_OUTPUT) -> None:
        self._start = f"{program}: " if program else ""
        self._file = file
        self._pending: deque[str] = deque(maxlen=_LARGEST_BACKLOG)
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def __call__(self, line: str) -> None:
        """Write a line soon."""
        self._pending.append(f"{self._start}{line}\n")
        self._wake.set()

    def close(self) -> None:
        """Write what is pending, as far as somebody reads."""
        self._closing = True
        self._wake.set()
        self._thread.join(_CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait()
            self._wake.clear()
            self._write_pending()
        self._write_pending()

    def _write_pending(self) -> None:
        while self._pending:
            data = self._pending.popleft().encode(errors="replace")
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except OSError:
                continue  # nobody reads, or the disk is full
