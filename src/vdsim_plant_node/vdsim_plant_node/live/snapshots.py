"""What a viewer of the server sees at one moment: read-only values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vdsim_plant.realtime.pacing import PacingReport
from vdsim_plant.session import SessionOutput

from vdsim_plant_node.live.strangers import Stranger
from vdsim_plant_node.live.wire_vehicle import WireVehicleStatus
from vdsim_plant_node.runs.recording_status import RecordingStatus
from vdsim_protocol import vds1


@dataclass(frozen=True)
class VehicleSnapshot:
    """One vehicle at one moment."""

    output: SessionOutput
    status: WireVehicleStatus


@dataclass(frozen=True)
class PortSnapshot:
    """One port: where it listens and what has arrived there."""

    address: vds1.Source
    counters: vds1.ReceiverCounters
    send_failures: int
    discarded: int
    """By the kernel, unread: in a flood of strangers, or because the socket was full."""
    owners: Mapping[int, vds1.Source | None]
    """By vehicle, the address that may drive it; None before the first command."""
    strangers: Mapping[int, Stranger | None]
    """By vehicle, the latest sender that may not."""


@dataclass(frozen=True)
class ServerSnapshot:
    """The whole server at one moment; vehicles in the order of the settings."""

    time_s: float
    """Since the start [s]."""
    ticks: int
    paused: bool
    vehicles: tuple[VehicleSnapshot, ...]
    ports: tuple[PortSnapshot, ...]
    pacing: PacingReport
    recording: RecordingStatus | None
