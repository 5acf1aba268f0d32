"""A program of ours ends with the launch that started it, however that one ends.

Upstream's launch leaves its processes behind when SIGTERM, SIGHUP or SIGKILL ends it alone, as a
supervisor or the kernel does; every launch does so after SIGKILL. Our launch files therefore name
the process of the launch in the environment of each process that they start (`mark`). That process
waits for the end of the launch on a thread of its own, and then sends itself SIGTERM, on which it
ends in order: with its last, safe command, and exit code 0. Started in any other way it has no such
variable and waits for nothing.

The kernel's parent-death signal would not do: it is about the thread that started the process, and
about the direct parent, which may be a debugger or a terminal between the launch and the process.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VARIABLE = "VDSIM_LAUNCH"
"""The launch: its process id, when it started [clock ticks after boot], its PID namespace."""
PATIENCE_S = 10.0
"""How long an end in order may take, as in a launch: 5 s to SIGTERM, and 5 s to SIGKILL."""
_POLL_S = 0.1
_STACK_BYTES = 1 << 18
_ZOMBIE_STATES = "ZX"
_OPEN_PROCESS: Callable[[int], int] | None = getattr(os, "pidfd_open", None)


def mark() -> dict[str, str]:
    """Variables for a process that is to end with this one."""
    return {VARIABLE: identity(os.getpid())}


def end_with_launch(patience_s: float = PATIENCE_S) -> None:
    """From now on end this process when the launch that started it has gone.

    Call it once handlers of SIGTERM are set. Programs that this process starts do not inherit it.
    """
    launch = os.environ.pop(VARIABLE, "")
    # Process ids of another PID namespace, such as that of a container, mean nothing here.
    if not launch or launch.rpartition(":")[2] != _namespace():
        return
    # Small: the guard may lock all its memory. The size is that of every later thread, so restore.
    before = threading.stack_size(_STACK_BYTES)
    try:
        watch = threading.Thread(
            target=_watch, args=(launch, patience_s), name="launch watch", daemon=True
        )
        watch.start()
    finally:
        threading.stack_size(before)


def _watch(launch: str, patience_s: float) -> None:
    wait_for_end(launch)
    _leave_broken_outputs()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(patience_s)
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_end(launch: str, open_process: Callable[[int], int] | None = _OPEN_PROCESS) -> None:
    """Wait until the process of a value of `mark` has ended; it may have been long before.

    `open_process`: gives a descriptor that can be read once a process has ended. It is missing in
    a Python that was built for old kernels, and some sandboxes refuse it.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = open_process(int(launch.partition(":")[0])) if open_process else None
    # Checked after that: from here on the number cannot be given to another process unnoticed.
    if not _runs(launch):
        return
    if descriptor is None:
        while _runs(launch):
            time.sleep(_POLL_S)
    else:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        ended.poll()


def _runs(launch: str) -> bool:
    """Whether the process runs; a zombie, which its parent has not asked for, does not."""
    try:
        return identity(int(launch.partition(":")[0])) == launch
    except OSError:  # for a moment no file can be opened: that says nothing about the launch
        return True


def identity(pid: int) -> str:
    """The value that names a process; empty when it has ended.

    The number alone does not: in a container that starts again, a process has that of the one
    before.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    # pid (name, with any characters) state and so on; the start is the 22nd field.
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in _ZOMBIE_STATES else f"{pid}:{fields[19]}:{_namespace()}"


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _leave_broken_outputs() -> None:
    """Send what is still printed nowhere: the pipes to the launch have no reader any more.

    Else the first line printed on the way to the end would be an error that shortens it.
    """
    for output in (1, 2):
        poll = select.poll()
        poll.register(output, 0)
        if any(events & select.POLLERR for _, events in poll.poll(0)):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, output)
            os.close(null)
