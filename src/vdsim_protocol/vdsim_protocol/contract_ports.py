"""Keep the contract's UDP ports out of the hands of the middleware of our own processes.

The graph reader of each ROS 2 process on Fast DDS takes the first free UDP port from 7000 to 7399,
on all addresses or on 127.0.0.1 (loopback.py), when the first node is created, and holds it as long
as the process runs. The contract's 7001 and 7002 lie in that range: the second ROS process on a
machine would keep a VDS1 server from starting. While a node is created both are kept from the
middleware; a server of ours that starts in that moment waits for it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

from vdsim_protocol.loopback import bind_to_loopback, is_on_loopback, kept_to_this_machine
from vdsim_protocol.shared_memory import remove_of_dead
from vdsim_protocol.vds1.messages import DEFAULT_CMD_PORT, DEFAULT_STATE_PORT

CONTRACT_PORTS = (DEFAULT_CMD_PORT, DEFAULT_STATE_PORT)
_LOOPBACK = "127.0.0.1"
RECEIVE_BUFFER_BYTES = 1 << 20
PATIENCE_S = 3.0
"""How long a server waits for a port of the contract: as long as nodes take that start."""


def _own_address() -> str:
    """Return a loopback address of this process alone.

    A socket there keeps a port from whoever wants it on all addresses, as Fast DDS does, but
    neither from a server on 127.0.0.1 nor from another process that starts at the same time.
    """
    high, middle, low = (os.getpid() >> shift & 255 for shift in (16, 8, 0))
    return f"127.{128 + high % 64}.{middle}.{low}"


@contextlib.contextmanager
def reserved(
    ports: Sequence[int] = CONTRACT_PORTS, *, is_bound_to_loopback: bool = False
) -> Iterator[None]:
    """Make the middleware pass over `ports`; to be held while the first node is created.

    `is_bound_to_loopback`: it takes ports of 127.0.0.1 alone, where servers are.
    """
    with contextlib.ExitStack() as stack:
        for port in ports:
            held = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            # Already taken, or no such address on this system: there is nothing to keep.
            with contextlib.suppress(OSError):
                held.bind((_own_address(), port))
            if is_bound_to_loopback:
                beside = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                # Others that start at the same time keep it, too; the middleware does not share.
                beside.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                with contextlib.suppress(OSError):
                    beside.bind((_LOOPBACK, port))
        yield


def bind(server: socket.socket, address: tuple[str, int]) -> None:
    """Bind the socket of a server; a port that is kept while a node starts is free in a moment.

    It holds what arrives while its process does not run: at 50 000 datagrams a second the kernel's
    default is full after 5 ms, and then takes none of the peer's.
    """
    with contextlib.suppress(OSError):
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            server.bind(address)
        except OSError as error:
            is_kept = error.errno == errno.EADDRINUSE and address[1] in CONTRACT_PORTS
            if not is_kept or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


class LeavesContractPorts:
    """Base of a node, before rclpy's: what a process does before its participant exists.

    It takes no port of the contract, stays on loopback, and removes what killed ones have left.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bind_to_loopback()
        remove_of_dead()
        is_on = is_on_loopback(os.environ)
        with reserved(is_bound_to_loopback=is_on), kept_to_this_machine():
            super().__init__(*args, **kwargs)
