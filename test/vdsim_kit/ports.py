"""Free ports for processes that are given a port at start."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from itertools import islice

from vdsim_protocol import contract_ports

ABOVE_EPHEMERAL = range(61_000, 65_536)
"""No socket without a port of its own gets one of these from Linux, so nothing takes a free one.

Each participant of DDS opens several such sockets, and so does each request by HTTP.
"""
_random = random.SystemRandom()


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that are free now, for UDP and for TCP."""
    candidates = _random.sample(ABOVE_EPHEMERAL, len(ABOVE_EPHEMERAL))
    return list(islice(filter(_is_free_for_both, candidates), count))


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
