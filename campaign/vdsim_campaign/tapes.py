"""The tapes of a campaign: what entered the interface in each cell, played again.

A process whose tape is asked for writes it to a socket, as to the recorder of `record:=`.
"""

from __future__ import annotations

import threading
from pathlib import Path

from vdsim_record.tape.receiving import TapeSocket
from vdsim_record.tape.replayed import Replayed, replayed

_LOOK_S = 0.02


class Tapes:
    """Receives the tapes of all processes that are started while it lives, in a thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = TapeSocket(path)
        self._packets: dict[int, list[bytes]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take what is left, and end the thread."""
        self._stop.set()
        self._thread.join()
        self._socket.close()

    def replay(self, name: str, faults: list[str]) -> Replayed:
        """Play what was received; call it after close()."""
        return replayed(name, faults, self._packets.values())

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self._take()
        self._take()

    def _take(self) -> None:
        for tape, packet in self._socket.receive():
            self._packets.setdefault(tape, []).append(packet)
