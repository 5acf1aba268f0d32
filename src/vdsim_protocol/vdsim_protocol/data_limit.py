"""The memory that a process may allocate beyond what it needs itself.

The middleware of ROS 2 takes the length of a list from a request before it has checked it. It
misreads a request in the framing of another DDS vendor that way, and would allocate up to all
memory. With a limit of the kernel on the data of the process the allocation fails instead. What the
process does by itself, at a user's request, is not counted: it may import, compile and load.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
from collections.abc import Iterator
from pathlib import Path

_MEGABYTE = 1 << 20
_KILOBYTE = 1 << 10
_WARN_SHARE, _FREE_SHARE = 0.5, 0.4
_STACK = 1 << 20
_PTHREAD_ATTR_SIZE = 64
"""Of pthread_attr_t, the largest on any 64-bit Linux."""


def reserve_small_stacks() -> None:
    """Threads that start from now on reserve 1 MiB for their stack in place of 8.

    A stack counts as data. Fast DDS starts its thread for messages with the first of them, which
    says that memory has run out, and aborts the process when there is none for a stack.
    """
    try:
        libc = ctypes.CDLL(None)
        change = libc.pthread_setattr_default_np
    except (OSError, AttributeError):  # another C library
        return
    attributes = ctypes.create_string_buffer(_PTHREAD_ATTR_SIZE)
    libc.pthread_attr_init(attributes)
    libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(_STACK))
    change(attributes)
    libc.pthread_attr_destroy(attributes)


def data_bytes() -> int:
    """The size of the process's data, as the kernel limits it."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").split("\n"):
        if line.startswith("VmData:"):
            return int(line.split()[1]) * _KILOBYTE
    return 0


class DataLimit:
    """The limit of this process, from now on, and the watch on how much of it is used.

    `growth_mb`: 0 is no limit. `is_low`: more than half of it is used, until less than 0.4 is.
    """

    def __init__(self, growth_mb: int) -> None:
        self._growth = growth_mb * _MEGABYTE
        self._start = data_bytes()
        self._soft, self._hard = resource.getrlimit(resource.RLIMIT_DATA)
        self._depth = 0
        self.is_low = False
        self._impose()

    @contextlib.contextmanager
    def own_work(self) -> Iterator[None]:
        """No limit within; what the process allocates meanwhile does not count afterwards."""
        before = data_bytes()
        self._depth += 1
        self.lift()
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._start += max(0, data_bytes() - before)
                self._impose()

    def lift(self) -> None:
        """No limit of ours from now on: the process ends, and what it still does must not fail."""
        if self._growth:
            resource.setrlimit(resource.RLIMIT_DATA, (self._soft, self._hard))

    def _impose(self) -> None:
        if self._growth:
            limit = self._start + self._growth
            if self._soft == resource.RLIM_INFINITY or limit <= self._soft:
                resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))

    def update(self) -> str:
        """Return, once each time, what to say when more than half of the growth is used."""
        if not self._growth:
            return ""
        used = data_bytes() - self._start
        was_low = self.is_low
        self.is_low = used > (_FREE_SHARE if was_low else _WARN_SHARE) * self._growth
        if was_low or not self.is_low:
            return ""
        return (
            f"memory has grown by {used // _MEGABYTE} of {self._growth // _MEGABYTE} MiB "
            "(process.data_growth_mb) since the start; an allocation beyond it fails"
        )
