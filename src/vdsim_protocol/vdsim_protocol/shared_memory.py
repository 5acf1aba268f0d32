"""Shared memory that Fast DDS leaves behind where its process was killed.

A participant holds a lock on `fastrtps_ID_el` as long as it lives, and the kernel releases it with
the process. Other participants remove the segment of one that ends beside them; where all were
killed at once it stays, 0.5 MB each. A lock that can be had means that nobody uses the segment.

A process that is killed while it makes the port `fastrtps_portN` leaves it without a size, or
marked as being made. Whoever opens that port then waits without end for it to be complete: every
later node of that ROS domain would hang before it says a word.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from pathlib import Path

FOLDER = Path("/dev/shm")
_LOCK = re.compile(r"fastrtps_[0-9a-f]{16}_el")
_PORT = re.compile(r"fastrtps_port[0-9]{1,5}")
_BEING_MADE = (b"", b"\0\0\0\0", b"\1\0\0\0")
"""How a port begins until it is complete: Boost.Interprocess writes 2 there."""
SETTLED_S = 60.0
"""Younger files are not touched: a participant that starts makes the file, then takes the lock."""


def remove_of_dead(folder: Path = FOLDER, *, now_s: float | None = None) -> int:
    """Remove what participants of this user that were killed have left; return how many.

    `now_s`: by the clock of the files, in place of now [s].
    """
    now_s = time.time() if now_s is None else now_s
    removed = 0
    with contextlib.suppress(OSError):  # no such folder on this system
        for file in list(folder.iterdir()):
            is_lock = _LOCK.fullmatch(file.name) is not None
            if not is_lock and _PORT.fullmatch(file.name) is None:
                continue
            with contextlib.suppress(OSError):  # in use, of somebody else, or removed meanwhile
                found = file.lstat()
                if found.st_uid != os.getuid() or now_s - found.st_mtime <= SETTLED_S:
                    continue
                if is_lock:
                    _remove(file)
                elif _is_complete(file):
                    continue
                else:
                    file.with_name(f"sem.{file.name}_mutex").unlink(missing_ok=True)
                    file.unlink()
                removed += 1
    return removed


def _is_complete(port: Path) -> bool:
    descriptor = os.open(port, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        return os.read(descriptor, 4) not in _BEING_MADE
    finally:
        os.close(descriptor)


def _remove(lock: Path) -> None:
    descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.with_name(lock.name.removesuffix("_el")).unlink(missing_ok=True)
        lock.unlink()
    finally:
        os.close(descriptor)
