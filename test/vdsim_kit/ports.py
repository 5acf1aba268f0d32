"""Free UDP ports for processes that are given a port at start."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from vdsim_protocol import contract_ports


def free_ports(count: int) -> list[int]:
    """UDP ports of the loopback interface that are free now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def is_free(port: int) -> bool:
    """Whether a server can listen on a UDP port of the loopback interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


_reserved = ExitStack()


def reserve_contract_ports() -> None:
    """Make the middleware of every process on this machine pass over 7001 and 7002."""
    release_contract_ports()
    _reserved.enter_context(contract_ports.reserved())


def release_contract_ports() -> None:
    """Undo `reserve_contract_ports`."""
    _reserved.close()
