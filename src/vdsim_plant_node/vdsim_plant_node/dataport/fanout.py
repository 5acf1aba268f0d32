"""Sends telemetry: the state of vehicles as JSON datagrams, each at its own rate. Shell."""

from __future__ import annotations

import asyncio
import json
import socket
import time

from vdsim_plant.session import SessionOutput

from vdsim_plant_node.dataport import json_views
from vdsim_plant_node.dataport.rates import Beat
from vdsim_plant_node.dataport.schema import TargetsRequest
from vdsim_plant_node.dataport.server_access import ServerAccess
from vdsim_plant_node.dataport.targets import Telemetry, TelemetryTable
from vdsim_plant_node.live.wire_vehicle import WireVehicle


class Fanout:
    """Runs on the data port's loop: one task for each vehicle that has a receiver."""

    def __init__(self, access: ServerAccess) -> None:
        self.table = TelemetryTable(access.vehicles)
        self.sent = 0
        self.failed = 0
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def change(self, vehicle: WireVehicle, request: TargetsRequest) -> Telemetry:
        """Apply new settings to a vehicle; they count from now on."""
        settings = self.table.change(vehicle.vehicle_id, request)
        running = self._tasks.pop(vehicle.vehicle_id, None)
        if running is not None:
            running.cancel()
        if settings.active:
            task = asyncio.get_running_loop().create_task(self._send_for_ever(vehicle, settings))
            self._tasks[vehicle.vehicle_id] = task
        return settings

    def close(self) -> None:
        """Send nothing any more."""
        for task in self._tasks.values():
            task.cancel()
        self._socket.close()

    async def _send_for_ever(self, vehicle: WireVehicle, settings: Telemetry) -> None:
        beat = Beat(settings.rate_hz, time.monotonic())
        shown = None
        while True:
            output = vehicle.output
            if output is not shown:  # never the same tick twice: it may be paused, or slow
                shown = output
                self._send(telemetry_datagram(vehicle, output, settings), settings)
            await asyncio.sleep(beat.wait_s(time.monotonic()))

    def _send(self, datagram: bytes, settings: Telemetry) -> None:
        for target in settings.targets:
            try:
                self._socket.sendto(datagram, target.address)
                self.sent += 1
            except OSError:
                self.failed += 1


def telemetry_datagram(vehicle: WireVehicle, output: SessionOutput, settings: Telemetry) -> bytes:
    """A tick of a vehicle as one JSON object."""
    content: json_views.Json = {"veh": vehicle.vehicle_id, "t": output.time_s}
    if settings.send_state:
        content.update(json_views.telemetry_view(output, vehicle.settings.origin))
    if settings.send_cmd:
        content["cmd"] = json_views.command_view(output.commanded)
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
