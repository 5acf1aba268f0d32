"""Starts the recording of a server: what is needed to build the same vehicles again goes first.

Shell.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from vdsim_plant.vehicle import MODEL_VERSION

from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.wire_vehicle import PreparedCar
from vdsim_plant_node.runs.recording_status import RecordingFiles
from vdsim_plant_node.runs.recording_writer import RecordingWriter
from vdsim_plant_node.settings.server_settings import VehicleSettings


def open_recording(server: PlantServer) -> RecordingWriter | None:
    """Record the server as its settings ask for; None: they do not."""
    settings = server.settings
    if settings.record is None:
        return None
    files = RecordingFiles(
        Path(settings.record),
        replace=settings.record_replace,
        largest_bytes=round(settings.record_file_mb * 1e6),
        kept=settings.record_keep,
    )
    return start_recording(server, files)


def start_recording(server: PlantServer, files: RecordingFiles) -> RecordingWriter:
    """Record the server from now on, until the writer is closed."""
    server.recording = RecordingWriter(files, _metadata(server))
    for vehicle in server.vehicles:
        vehicle.record_to(server.recording, server.now())
    return server.recording


def restart_vehicle(server: PlantServer, vehicle_id: int, car: PreparedCar) -> None:
    """Restart a vehicle of a server; a recording goes on in its next file, with the new car."""
    server.restart(vehicle_id, car)
    recording = server.recording
    if recording is None or recording.failure is not None:
        return
    recording.begin_next(_metadata(server))
    for vehicle in server.vehicles:
        vehicle.record_to(recording, server.now())


def _metadata(server: PlantServer) -> dict[str, Any]:
    """What is needed to build the vehicles again."""
    settings = server.settings
    return {
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
            for vehicle in server.vehicles
        ],
    }


def settings_record(settings: VehicleSettings) -> dict[str, Any]:
    """The settings of a vehicle as they can be read back from JSON."""
    record = asdict(settings)
    record["state_to"] = [f"{end.ip}:{end.port}" for end in settings.state_to]
    return record
