"""The recorder's end of the tape's socket: each connection is one tape."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

_LARGEST = 1 << 17
_MOST_AT_ONCE = 2000


class TapeSocket:
    """Listens at a path in a folder of this user alone. `receive` gives (tape, packet)."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.parent.stat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise OSError(f"{path.parent}: must be yours, with mode 700")
        path.unlink(missing_ok=True)
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        os.fchmod(self._socket.fileno(), 0o600)
        self._socket.bind(str(path))
        self._socket.listen(4)
        self._tapes: dict[int, socket.socket] = {}
        self._count = 0

    def receive(self) -> Iterator[tuple[int, bytes]]:
        """Return what has arrived: the number of a tape and a packet of it."""
        with contextlib.suppress(OSError):
            while True:
                end, _ = self._socket.accept()
                end.setblocking(False)
                self._count += 1
                self._tapes[self._count] = end
        for number, end in list(self._tapes.items()):
            with contextlib.suppress(BlockingIOError):
                for _ in range(_MOST_AT_ONCE):
                    data = _next(end)
                    if not data:
                        end.close()
                        del self._tapes[number]
                        break
                    yield number, data

    def close(self) -> None:
        """Stop to listen."""
        self._socket.close()
        for end in self._tapes.values():
            end.close()
        with contextlib.suppress(OSError):
            self._path.unlink()


def _next(end: socket.socket) -> bytes:
    """Return the next packet; empty where the sender has ended."""
    try:
        return end.recv(_LARGEST)
    except BlockingIOError:
        raise
    except OSError:
        return b""
