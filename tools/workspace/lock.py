"""One set-up or build at a time: a lock file that the kernel releases when its holders end.

The commands that run under the lock inherit it: when `ws` itself is killed, pip or colcon may
continue for a while, and the next `ws` waits for them.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(path: Path, purpose: str) -> Iterator[int]:
    """Hold the lock at `path`, after waiting for another holder with a message; yields the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another ws"
            print(f"ws: waiting for {holder} ({purpose}) ...", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()}")
        file.flush()
        yield file.fileno()
