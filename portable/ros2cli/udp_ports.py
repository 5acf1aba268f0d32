"""UDP ports that this process leaves to other programs.

The graph reader of each process on Fast DDS takes the first free UDP port from 7000 to 7399, on
all addresses or those of its profile, when the first node is created.
`ROS2_PORTABLE_RESERVED_UDP_PORTS` lists those of them that a server of the user's needs, separated
by commas.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

VARIABLE = "ROS2_PORTABLE_RESERVED_UDP_PORTS"


def _own_address() -> str:
    """Return a loopback address of this process alone.

    A socket there keeps a port from whoever wants it on all addresses, but not from another process
    that starts at the same time.
    """
    high, middle, low = (os.getpid() >> shift & 255 for shift in (16, 8, 0))
    return f"127.{128 + high % 64}.{middle}.{low}"


def _is_on_loopback() -> bool:
    """Whether the profile fastdds_loopback.xml binds the middleware to 127.0.0.1."""
    names = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
    return any(os.environ.get(name, "").endswith("fastdds_loopback.xml") for name in names)


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
            if not _is_on_loopback():
                continue
            # Several commands may keep it at once; the middleware does not share it.
            beside = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            beside.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError, OverflowError):
                beside.bind(("127.0.0.1", port))
        yield
