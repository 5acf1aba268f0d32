"""Shared memory that Fast DDS leaves behind where its process was killed.

A participant holds a lock on `fastrtps_ID_el` as long as it lives, and the kernel releases it with
the process. Other participants remove the segment of one that ends beside them; where all were
killed at once it stays, 0.5 MB each. A lock that can be had means that nobody uses the segment.
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
SETTLED_S = 60.0
"""Younger files are not touched: a participant that starts makes the file, then takes the lock."""


def remove_of_dead(folder: Path = FOLDER, *, now_s: float | None = None) -> int:
    """Remove what participants of this user that were killed have left; return how many.

    `now_s`: by the clock of the files, in place of now [s].
    """
    now_s = time.time() if now_s is None else now_s
    removed = 0
    with contextlib.suppress(OSError):  # no such folder on this system
        for lock in [each for each in folder.iterdir() if _LOCK.fullmatch(each.name)]:
            with contextlib.suppress(OSError):  # in use, of somebody else, or removed meanwhile
                if lock.stat().st_uid == os.getuid() and now_s - lock.stat().st_mtime > SETTLED_S:
                    _remove(lock)
                    removed += 1
    return removed


def _remove(lock: Path) -> None:
    descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.with_name(lock.name.removesuffix("_el")).unlink(missing_ok=True)
        lock.unlink()
    finally:
        os.close(descriptor)
