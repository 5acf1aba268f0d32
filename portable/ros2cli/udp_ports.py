"""UDP ports that this process leaves to other programs.

The graph reader of each process on Fast DDS takes the first free UDP port from 7000 to 7399, on
all addresses, when the first node is created. `ROS2_PORTABLE_RESERVED_UDP_PORTS` lists
those of them that a server of the user's needs, separated by commas.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

VARIABLE = "ROS2_PORTABLE_RESERVED_UDP_PORTS"


def _own_address() -> str:
    """Return a loopback address of this process alone.

    A socket there keeps a port from whoever wants it on all addresses, but neither from a server on
    127.0.0.1 nor from another process that starts at the same time.
    """
    high, middle, low = (os.getpid() >> shift & 255 for shift in (16, 8, 0))
    return f"127.{128 + high % 64}.{middle}.{low}"


@contextlib.contextmanager
def reserved() -> Iterator[None]:
    """Make the middleware pass over these ports; to be held while the first node is created."""
    ports = [int(word) for word in os.environ.get(VARIABLE, "").split(",") if word.isdecimal()]
    with contextlib.ExitStack() as stack:
        for port in ports:
            held = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            # Already taken, or no such port or address here: there is nothing to keep.
            with contextlib.suppress(OSError, OverflowError):
                held.bind((_own_address(), port))
        yield
