"""What a foreign request may cost a node: memory up to a limit, and then a stop.

The middleware of ROS 2 takes the length of a list from a request before it has checked it. It
misreads a request in the framing of another DDS vendor that way: the node allocates up to all
memory, and does nothing else meanwhile. With a limit of the kernel on the data of the process the
allocation fails instead, and the request is dropped. Without parameter services most of the
services that take such a list do not exist.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, choice, flag, whole

_MEGABYTE = 1 << 20
_KILOBYTE = 1 << 10
_WARN_SHARE, _FREE_SHARE = 0.5, 0.4


@dataclass(frozen=True)
class ProcessParameters(Parameters):
    """Limits of a node's process."""

    PREFIX: ClassVar[str] = "process"
    AT_START: ClassVar[bool] = True

    data_growth_mb: int = whole(
        128,
        "memory that the process may allocate after its start [MiB]; 0: no limit",
        at_least=0,
        at_most=1048576,
    )
    parameter_services: str = choice(
        "in_process",
        "off: the node has no parameter services, so no foreign request can reach them",
        ("in_process", "off"),
    )
    adapter: str = choice(
        "none",
        "adapter in the process of vehicle_interface, whose commands need no hop: none or autoware "
        "(docs/autoware.md)",
        ("none", "autoware"),
    )
    component_services: bool = flag(
        False,
        "component_container offers load_node, unload_node and list_nodes (docs/components.md)",
    )


def data_bytes() -> int:
    """The size of the process's data, as the kernel limits it."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").split("\n"):
        if line.startswith("VmData:"):
            return int(line.split()[1]) * _KILOBYTE
    return 0


class DataLimit:
    """The limit of this process, from now on, and the watch on how much of it is used.

    `is_low`: more than half of it is, until less than 0.4 is.
    """

    def __init__(self, growth_mb: int) -> None:
        self._growth = growth_mb * _MEGABYTE
        self._start = data_bytes()
        self.is_low = False
        if growth_mb:
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            limit = self._start + self._growth
            if hard == resource.RLIM_INFINITY or limit <= hard:
                resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))

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
            "(process.data_growth_mb): a DDS peer of another vendor may have sent a request that "
            "this middleware misreads"
        )
