"""Link faults on virtual time, and the relay core that puts them between two processes."""

from vdsim_protocol.faults.parameters import (
    Blackout,
    BurstLoss,
    LinkFaults,
    faults_from_mapping,
)
from vdsim_protocol.faults.relay import (
    BACK,
    TO,
    Address,
    RelayControl,
    RelayPlan,
    Route,
    parse_address,
    plan_from_mapping,
)
from vdsim_protocol.faults.simulator import LinkSimulator

__all__ = [
    "BACK",
    "TO",
    "Address",
    "Blackout",
    "BurstLoss",
    "LinkFaults",
    "LinkSimulator",
    "RelayControl",
    "RelayPlan",
    "Route",
    "faults_from_mapping",
    "parse_address",
    "plan_from_mapping",
]
