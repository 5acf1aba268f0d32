"""Starts the recording of a server: what is needed to build the same vehicles again goes first."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.runs.recording import RecordingWriter
from vdsim_plant_node.settings.server_settings import VehicleSettings


def open_recording(path: Path, server: PlantServer) -> RecordingWriter:
    """Record every vehicle of a server from now on, until the writer is closed."""
    settings = server.settings
    metadata = {
        "program": "vdsim_realtime",
        "tick_s": settings.tick_s,
        "substep_s": settings.substep_s,
        "ticks_per_state": settings.ticks_per_state,
        "vehicles": [
            {"settings": settings_record(unit.settings), "fingerprint": unit.session.fingerprint()}
            for unit in server.units
        ],
    }
    now = server.now()
    writer = RecordingWriter(path, metadata, start_s=now)
    for unit in server.units:
        unit.record_to(writer, now)
    return writer


def settings_record(settings: VehicleSettings) -> dict[str, Any]:
    """The settings of a vehicle as they can be read back from JSON."""
    record = asdict(settings)
    record["state_to"] = [f"{end.ip}:{end.port}" for end in settings.state_to]
    return record
