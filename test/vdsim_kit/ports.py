"""Free ports for processes that are given a port at start.

Until such a process has opened its port, nothing shows that it is taken: a test of another process
that ran at the same time was sometimes given it too. So a port is held by its name (domains.py).
"""

from __future__ import annotations

import atexit
import random
import socket
from collections import deque
from contextlib import ExitStack

from vdsim_kit.domains import hold
from vdsim_protocol import contract_ports

ABOVE_EPHEMERAL = range(61_000, 65_536)
"""No socket without a port of its own gets one of these from Linux, so nothing takes a free one.

Each participant of DDS opens several such sockets, and so does each request by HTTP.
"""
_HELD_N = 128
"""More than the tests of one file are given; a port of an earlier file is open, or free again."""
_random = random.SystemRandom()
_held: deque[socket.socket] = deque()


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that are free now, for UDP and for TCP, and nobody else's."""
    found: list[int] = []
    for port in _random.sample(ABOVE_EPHEMERAL, len(ABOVE_EPHEMERAL)):
        if len(found) == count:
            break
        holder = hold(f"port.{port}")
        if holder is None:
            continue
        if _is_free_for_both(port):
            found.append(port)
            _held.append(holder)
        else:
            holder.close()
    _let_go(_HELD_N)
    return found


@atexit.register
def _let_go(kept: int = 0) -> None:
    while len(_held) > kept:
        _held.popleft().close()


def is_free(port: int, kind: socket.SocketKind = socket.SOCK_DGRAM) -> bool:
    """Whether a server can listen on a port of the loopback interface."""
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _is_free_for_both(port: int) -> bool:
    return is_free(port) and is_free(port, socket.SOCK_STREAM)


_reserved = ExitStack()


def reserve_contract_ports() -> None:
    """Make the middleware of every process on this machine pass over 7001 and 7002."""
    release_contract_ports()
    _reserved.enter_context(contract_ports.reserved())


def release_contract_ports() -> None:
    """Undo `reserve_contract_ports`."""
    _reserved.close()
