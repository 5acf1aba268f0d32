"""What a request may cost the process of a node: the parameters of its limits.

The limit on memory is vdsim_protocol/data_limit.py. Without parameter services most of the services
whose requests hold texts or lists do not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vdsim_protocol.checked_node import AUTO, SERVICE_CHOICES

from vdsim_interface.parameters.fields import Parameters, choice, flag, whole


@dataclass(frozen=True)
class ProcessParameters(Parameters):
    """Limits of a node's process."""

    PREFIX: ClassVar[str] = "process"
    AT_START: ClassVar[bool] = True

    data_growth_mb: int = whole(
        256,
        "memory that the process may allocate after its start, but for what it imports or loads "
        "itself [MiB]; 0: no limit",
        at_least=0,
        at_most=1048576,
    )
    parameter_services: str = choice(
        AUTO,
        "whether a request can reach the parameters; auto: not in a process that sends packets to "
        "a vehicle, or whose neighbours are of another vendor (docs/guard.md)",
        SERVICE_CHOICES,
    )


@dataclass(frozen=True)
class StageProcessParameters(ProcessParameters):
    """And what runs in the process of a stage."""

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
