"""The socket between guard and shell: local, in a private folder, between processes of one user.

A Unix socket of packets (SOCK_SEQPACKET): the kernel keeps the borders of frames and reports the
end of the peer at once; nothing from the network can reach it, and no other process can write into
a connection. Its folder belongs to the user and is closed to all others; both ends check the user
of the peer.
"""

import contextlib
import os
import re
import socket
import stat
import struct
from collections import deque
from pathlib import Path

from vdsim_interface.guard.shapes import LARGEST

_CREDENTIALS = struct.Struct("3i")
_BUFFER = 1 << 20
_MOST_LAST = 4096
_LONGEST_PATH = 107
"""Limit of the kernel for the path of a Unix socket [bytes]."""


class LocalSocketError(OSError):
    """The socket cannot be used; the text is one line for the user."""


def default_path(namespace: str, domain_id: int | None = None) -> Path:
    """The socket of a namespace in a ROS domain: guard and shell find each other by it."""
    domain = os.environ.get("ROS_DOMAIN_ID", "0") if domain_id is None else str(domain_id)
    name = re.sub(r"[^A-Za-z0-9]+", "_", namespace.strip("/")) or "root"
    return _folder() / f"guard_{domain}_{name}.sock"


def _folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_dir() and Path(runtime).stat().st_uid == os.getuid():
        return Path(runtime) / "vdsim"
    return Path("/tmp") / f"vdsim-{os.getuid()}"


def _checked_folder(path: Path) -> None:
    """Create the folder of a socket; refuse one that others can enter."""
    folder = path.parent
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise LocalSocketError(f"guard.socket={path}: its folder must be yours, with mode 700")


def _checked_path(path: Path) -> str:
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise LocalSocketError(f"guard.socket={path}: must be <= {_LONGEST_PATH} bytes")
    return str(path)


class Connection:
    """One end of a connection; never blocks. System errors end it, as the end of the peer does.

    What the peer sent before it ended is received first: its last frame says why it ended.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        self._end = end
        self.is_open = True
        self.dropped_n = 0
        self._last: deque[bytes] = deque()

    def fileno(self) -> int:
        """The file descriptor, to wait for."""
        return self._end.fileno()

    def receive(self) -> bytes | None:
        """Return the next frame; None when there is none, or the connection has ended."""
        if self._last:
            return self._last.popleft()
        if not self.is_open:
            return None
        try:
            data = self._next()
        except BlockingIOError:
            return None
        if not data:
            self.close()
            return None
        return data

    def _next(self) -> bytes:
        """Return the next frame; empty when the peer has ended, as a frame never is."""
        try:
            try:
                return self._end.recv(LARGEST + 1)
            except ConnectionResetError:  # it ended without having read ours; what it sent is here
                return self._end.recv(LARGEST + 1)
        except BlockingIOError:
            raise
        except OSError:
            return b""

    def send(self, data: bytes) -> None:
        """Send a frame; one that does not fit because the peer does not read is dropped."""
        if not self.is_open:
            return
        try:
            self._end.send(data)
        except BlockingIOError:
            self.dropped_n += 1
        except OSError:
            self._keep_last()
            self.close()

    def _keep_last(self) -> None:
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_LAST):  # a peer that only does not receive may send for ever
                data = self._next()
                if not data:
                    return
                self._last.append(data)

    def close(self) -> None:
        """Close this end."""
        self.is_open = False
        with contextlib.suppress(OSError):
            self._end.close()


def is_same_user(end: socket.socket) -> bool:
    """Whether the process at the other end runs as our user, or as root."""
    data = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(data)
    return user in (os.getuid(), 0)


class Listener:
    """The guard's end. A path belongs to the one guard that listens on it."""

    def __init__(self, path: Path) -> None:
        _checked_folder(path)
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        try:
            if _has_listener(path):
                raise LocalSocketError(f"guard.socket={path}: another guard listens there")
            path.unlink(missing_ok=True)
            # The path takes this mode: at no moment may others of the machine connect.
            os.fchmod(self._socket.fileno(), 0o600)
            self._socket.bind(_checked_path(path))
            self._socket.listen(4)
            self._inode = path.stat().st_ino
        except OSError:
            self._socket.close()
            raise

    def fileno(self) -> int:
        """The file descriptor, to wait for."""
        return self._socket.fileno()

    def accept(self) -> Connection | None:
        """Return a new connection; None when there is none, or its user is another one."""
        try:
            end, _ = self._socket.accept()
        except OSError:
            return None
        if not is_same_user(end):
            end.close()
            return None
        return Connection(end)

    def close(self) -> None:
        """Stop to listen, and remove the path unless it is another guard's by now."""
        self._socket.close()
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()


def _has_listener(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.settimeout(0.5)
        try:
            probe.connect(_checked_path(path))
        except TimeoutError:
            return True
        except OSError as error:
            if isinstance(error, LocalSocketError):
                raise
            return False
    return True


def connect(path: Path) -> Connection:
    """Return a connection to the guard; raises OSError when none listens."""
    end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    end.setblocking(False)
    try:
        end.connect(_checked_path(path))
        if not is_same_user(end):
            raise LocalSocketError(f"guard.socket={path}: the guard there runs as another user")
    except OSError:
        end.close()
        raise
    return Connection(end)
