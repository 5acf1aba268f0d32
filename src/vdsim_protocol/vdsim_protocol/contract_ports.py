"""Keep the contract's UDP ports out of the hands of the middleware of our own processes.

The graph reader of each ROS 2 process on Fast DDS takes the first free UDP port from 7000 to 7399,
on all addresses, when the first node is created, and holds it as long as the process
runs. The contract's 7001 and 7002 lie in that range: the second ROS process on a machine would keep
a VDS1 server from starting.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from vdsim_protocol.vds1.messages import DEFAULT_CMD_PORT, DEFAULT_STATE_PORT

CONTRACT_PORTS = (DEFAULT_CMD_PORT, DEFAULT_STATE_PORT)


def _own_address() -> str:
    """Return a loopback address of this process alone.

    A socket there keeps a port from whoever wants it on all addresses, as Fast DDS does, but
    neither from a server on 127.0.0.1 nor from another process that starts at the same time.
    """
    high, middle, low = (os.getpid() >> shift & 255 for shift in (16, 8, 0))
    return f"127.{128 + high % 64}.{middle}.{low}"


@contextlib.contextmanager
def reserved(ports: Sequence[int] = CONTRACT_PORTS) -> Iterator[None]:
    """Make the middleware pass over `ports`; to be held while the first node is created."""
    with contextlib.ExitStack() as stack:
        for port in ports:
            held = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            # Already taken, or no such address on this system: there is nothing to keep.
            with contextlib.suppress(OSError):
                held.bind((_own_address(), port))
        yield


class LeavesContractPorts:
    """Base of a node, before rclpy's: its creation takes no port of the contract."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        with reserved():
            super().__init__(*args, **kwargs)
