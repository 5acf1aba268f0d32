"""The live stream: server-sent events about one vehicle, until the listener goes away. Shell.

event: state    up to 60 times a second: the snapshot, and where the other vehicles are
event: link     5 times a second: how commands arrive, port counters, pacing
event: interface  10 times a second: what the vehicle interface says, null where none is heard
event: path     when the planned path changes, null where nobody publishes one
event: fleet    with it, of several vehicles: where each one is, who drives it, whether it is lost
(no name)       as state: for EventSource.onmessage, which gets no named events
"""

from __future__ import annotations

import asyncio
import json
import time

from aiohttp import web

from vdsim_plant_node.dataport import json_views
from vdsim_plant_node.dataport.rates import Beat
from vdsim_plant_node.dataport.server_access import NotAnsweringError, ServerAccess
from vdsim_plant_node.interface.path import PlannedPath, path_view
from vdsim_plant_node.live.wire_vehicle import WireVehicle

LINK_RATE_HZ = 5.0
INTERFACE_RATE_HZ = 10.0
_RETRY = b"retry: 1000\n\n"
_STALLED_S = 5.0


async def serve_stream(
    request: web.Request,
    access: ServerAccess,
    vehicle: WireVehicle,
    rate_hz: float,
    kinds: frozenset[str],
) -> web.StreamResponse:
    """Answer a request with events; returns when the listener has gone or takes nothing."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
    )
    await response.prepare(request)
    await response.write(_RETRY)
    beat = Beat(rate_hz, time.monotonic())
    next_link_s = next_interface_s = 0.0
    sent: PlannedPath | None = None
    try:
        while True:
            now = time.monotonic()
            data = _data(_state(access, vehicle))
            events = b"event: state\n" + data if "named" in kinds else b""
            if "unnamed" in kinds:
                events += data
            if "named" in kinds and now >= next_link_s:
                next_link_s = now + 1.0 / LINK_RATE_HZ
                events += b"event: link\n" + _data(await access.link(vehicle))
                if len(access.vehicles) > 1:
                    events += b"event: fleet\n" + _data({"vehicles": access.fleet()})
            interface = access.interface
            if "named" in kinds and interface is not None and now >= next_interface_s:
                next_interface_s = now + 1.0 / INTERFACE_RATE_HZ
                shown = {
                    "vehicle": vehicle.vehicle_id,
                    "interface": interface.view(vehicle.vehicle_id),
                }
                events += b"event: interface\n" + _data(shown)
                path = interface.path(vehicle.vehicle_id)
                if path is not sent:
                    sent = path
                    content = {"vehicle": vehicle.vehicle_id, "path": path_view(path)}
                    events += b"event: path\n" + _data(content)
            await _write(request, response, events)
            await asyncio.sleep(beat.wait_s(time.monotonic()))
    except (ConnectionError, NotAnsweringError):
        return response


async def _write(request: web.Request, response: web.StreamResponse, events: bytes) -> None:
    """Write, and cut off a listener that takes nothing.

    Not with asyncio.wait_for: before Python 3.12 it can lose the cancellation that ends a stream.
    """
    if request.transport is None:
        raise ConnectionResetError
    stalled = asyncio.get_running_loop().call_later(_STALLED_S, request.transport.abort)
    try:
        await response.write(events)
    finally:
        stalled.cancel()


def _state(access: ServerAccess, vehicle: WireVehicle) -> json_views.Json:
    return {**access.snapshot(vehicle), "others": access.neighbours(vehicle)}


def _data(content: json_views.Json) -> bytes:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return f"data: {text}\n\n".encode()
