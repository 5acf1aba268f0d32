"""The interface's end of the tape's socket: entry point of `vdsim_interface.tape`.

Nothing here may delay or end the process that drives: a packet that the recorder does not take yet
waits here; when too many wait, the tape ends.
"""

from __future__ import annotations

import socket
from collections import deque
from typing import Any

from vdsim_interface.guard.frames import Activate
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.pipeline.pipeline import Pipeline

from vdsim_record.tape.taping import Taping

MOST_WAITING = 20_000
"""Packets, one a period: some minutes of a recorder that is not there."""
_tapings: dict[str, Taping] = {}


class Sender:
    """Sends packets to the recorder's socket, in order, without ever waiting."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._end: socket.socket | None = None
        self._waiting: deque[bytes] = deque()
        self._has_ended = False

    def send(self, data: bytes) -> None:
        """Send a packet, after those that wait."""
        if self._has_ended:
            return
        self._waiting.append(data)
        if len(self._waiting) > MOST_WAITING:
            self._end_tape()
            return
        try:
            if self._end is None:
                self._end = self._connected()
            while self._waiting:
                self._end.send(self._waiting[0])
                self._waiting.popleft()
        except (BlockingIOError, FileNotFoundError, ConnectionRefusedError):
            return  # the recorder is not there yet, or reads later
        except OSError:
            self._end_tape()  # it has ended: its next tape begins with the next process

    def _connected(self) -> socket.socket:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        end.setblocking(False)
        try:
            end.connect(self._path)
        except OSError:
            end.close()
            raise
        return end

    def _end_tape(self) -> None:
        self._has_ended = True
        self._waiting.clear()
        if self._end is not None:
            self._end.close()


def attach(target: str, made: object, *setup: Any) -> None:
    """Write the calls of a pipeline, with its parameters and those of its platform, or a guard.

    Of a desk, and of stages in processes of their own, there is no tape.
    """
    if not isinstance(made, Pipeline | Guard):
        return
    taping = _tapings.get(target)
    if taping is None:
        taping = _tapings[target] = Taping(Sender(target).send)
    if isinstance(made, Guard):
        taping.of_guard(made)
        return
    interface, platform = setup
    values = flat_values(interface), flat_values(platform)
    taping.of_pipeline(made, Activate(interface.platform, interface.platform_path, *values))
