"""Logs faults of the data port: one line, at most once a second. Shell.

A fault of a client is answered, or its connection closed, without a line: a stranger
must not be able to fill the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from vdsim_plant_node.live.throttled_note import ThrottledNote

UNREADABLE = (HttpProcessingError, web.RequestPayloadError)
"""What aiohttp makes of bytes that are no HTTP, or a body that cannot be decoded."""


class FaultLog(logging.Handler):
    """Collects the faults of the data port's handlers and of aiohttp."""

    def __init__(
        self, log: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(logging.WARNING)
        self._say = log
        self._clock = clock
        self._note = ThrottledNote()

    def report(self, where: str, error: BaseException | None) -> None:
        """Something has failed."""
        self._note.add(f"data port: {where}" + (f": {error!r}" if error is not None else ""))
        line = self._note.due(self._clock())
        if line:
            self._say(line)

    def emit(self, record: logging.LogRecord) -> None:
        """What aiohttp logs, without its traceback."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, (*UNREADABLE, ConnectionError)):
            self.report(record.getMessage(), error)

    def logger(self) -> logging.Logger:
        """For aiohttp to log to: it ends here and nowhere else."""
        made = logging.Logger("data port", logging.WARNING)
        made.addHandler(self)
        return made
