"""Starts the recording of a server: what is needed to build the same vehicles again goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vdsim_plant.vehicle import MODEL_VERSION

from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.runs.recording import RecordingWriter
from vdsim_plant_node.settings.server_settings import ServerSettings, VehicleSettings


def open_recording(
    path: Path, settings: ServerSettings, vehicles: Sequence[WireVehicle], now: float
) -> RecordingWriter:
    """Record the vehicles of a server from `now` [s] on, until the writer is closed."""
    metadata = {
        "program": "vdsim_realtime",
        "model": MODEL_VERSION,
        "tick_s": settings.tick_s,
        "substep_s": settings.substep_s,
        "ticks_per_state": settings.ticks_per_state,
        "vehicles": [
            {
                "settings": settings_record(vehicle.settings),
                "fingerprint": vehicle.session.fingerprint(),
            }
            for vehicle in vehicles
        ],
    }
    writer = RecordingWriter(path, metadata, start_s=now)
    for vehicle in vehicles:
        vehicle.record_to(writer, now)
    return writer


def settings_record(settings: VehicleSettings) -> dict[str, Any]:
    """The settings of a vehicle as they can be read back from JSON."""
    record = asdict(settings)
    record["state_to"] = [f"{end.ip}:{end.port}" for end in settings.state_to]
    return record
