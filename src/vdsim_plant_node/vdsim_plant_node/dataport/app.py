"""The routes of the data port of a running plant. Shell round the cores.

Runs on the data port's own loop, behind `front`.
"""

from __future__ import annotations

import asyncio
import time

from aiohttp import web
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport import json_views, metrics, schema
from vdsim_plant_node.dataport.drive_socket import DriveSockets
from vdsim_plant_node.dataport.fanout import Fanout
from vdsim_plant_node.dataport.faults import FaultLog
from vdsim_plant_node.dataport.front import (
    Front,
    UnknownVehicleError,
    document_of,
    error_answer,
    json_answer,
)
from vdsim_plant_node.dataport.joy import JoyOutput
from vdsim_plant_node.dataport.restarts import Restarts, settings_view
from vdsim_plant_node.dataport.server_access import ServerAccess
from vdsim_plant_node.dataport.stream import serve_stream
from vdsim_plant_node.dataport.stream_slots import LARGEST_STREAM_COUNT, StreamSlots
from vdsim_plant_node.interface.state import checked_request
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.choices import as_yaml, current
from vdsim_plant_node.settings.http_address import HttpAddress

_INTERFACE_TIMEOUT_S = 3.0


class DataPortApp:
    """Answers requests about one server."""

    def __init__(
        self,
        access: ServerAccess,
        address: HttpAddress,
        faults: FaultLog,
        joy: JoyOutput | None = None,
    ) -> None:
        self.front = Front(address, faults)
        self.fanout = Fanout(access)
        self._access = access
        self._restarts = Restarts(access)
        self._address = address
        self._streams = StreamSlots()
        self._joy = joy
        self._drives = DriveSockets(access, joy)

    def application(self) -> web.Application:
        """What an aiohttp runner serves."""
        application = self.front.application()
        application.router.add_get("/api/vehicles", self._vehicles)
        application.router.add_get("/api/road", self._road)
        application.router.add_get("/api/state", self._state)
        application.router.add_get("/api/io", self._state)
        application.router.add_post("/api/io", self._io)
        application.router.add_post("/api/manual", self._manual)
        application.router.add_get("/api/io/targets", self._targets)
        application.router.add_post("/api/io/targets", self._change_targets)
        application.router.add_get("/api/stream", self._stream, allow_head=False)
        application.router.add_get("/api/drive", self._drive, allow_head=False)
        application.router.add_post("/api/stop", self._stop)
        application.router.add_post("/api/interface", self._ask_interface)
        application.router.add_post("/api/reset", self._reset)
        application.router.add_post("/api/pause", self._pause)
        application.router.add_get("/api/settings", self._settings)
        application.router.add_get("/api/settings.yaml", self._settings_file)
        application.router.add_post("/api/settings", self._check_settings)
        application.router.add_post("/api/start", self._start)
        application.router.add_get("/metrics", self._metrics)
        return application

    def close(self) -> None:
        """End what would go on by itself."""
        self.fanout.close()
        self.front.close()

    # --- reading

    async def _vehicles(self, request: web.Request) -> web.StreamResponse:
        access = self._access
        statuses = await access.statuses()
        vehicles = [
            {**description, **status}
            for description, status in zip(access.descriptions(), statuses, strict=True)
        ]
        return json_answer(
            {
                "vehicles": vehicles,
                "paused": access.server.paused,
                "can_pause": access.can_pause,
                "tick_rate": access.server.settings.tick_hz,
                "state_rate": access.server.settings.state_rate_hz,
                "reject_reasons": json_views.reason_texts(),
            }
        )

    async def _state(self, request: web.Request) -> web.StreamResponse:
        """What POST /api/io answers, without a command."""
        return json_answer(self._access.snapshot(self._vehicle(request.query.get("vehicle"))))

    async def _road(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        return json_answer(
            json_views.road_view(vehicle.session.vehicle.ground, vehicle.settings.origin)
        )

    async def _metrics(self, request: web.Request) -> web.StreamResponse:
        fanout = self.fanout
        activity = metrics.PortActivity(
            requests=self.front.requests,
            refused=self.front.refused,
            streams=len(self._streams),
            telemetry_sent=fanout.sent,
            telemetry_failed=fanout.failed,
        )
        text = metrics.prometheus_text(await self._access.readings(activity))
        return web.Response(body=text.encode(), headers={"Content-Type": metrics.CONTENT_TYPE})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        rate_hz = schema.stream_rate(request.query.get("rate"))
        kinds = schema.stream_events(request.query.get("events"))
        vehicle = self._vehicle(request.query.get("vehicle"))
        stream = object()
        transport = request.transport
        end = (lambda: None) if transport is None else transport.abort
        if not self._streams.take(stream, end, time.monotonic()):
            return error_answer(f"streams: {LARGEST_STREAM_COUNT} are open, which is the most", 429)
        try:
            return await serve_stream(request, self._access, vehicle, rate_hz, kinds)
        finally:
            self._streams.give_back(stream)

    # --- doing

    async def _io(self, request: web.Request) -> web.StreamResponse:
        vehicle, outcome = await self._command(request)
        return json_answer({**outcome, **self._access.snapshot(vehicle)})

    async def _manual(self, request: web.Request) -> web.StreamResponse:
        """A command like that of POST /api/io, answered without the state."""
        _, outcome = await self._command(request)
        return json_answer({"ok": outcome.pop("applied", True), **outcome})

    async def _command(self, request: web.Request) -> tuple[WireVehicle, json_views.Json]:
        command = schema.io_request(await document_of(request))
        vehicle = self._vehicle(command.vehicle)
        outcome: json_views.Json = {}
        if command.commands:
            result = await self._access.command(vehicle.vehicle_id, command)
            outcome["applied"] = result.applied
            if result.reason:
                outcome["reason"] = result.reason
        return vehicle, outcome

    async def _drive(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        return await self._drives.serve(request, vehicle)

    async def _stop(self, request: web.Request) -> web.StreamResponse:
        """An emergency stop: nothing in the body but the vehicle's number is judged."""
        outcome = await self._access.stop(await self._vehicle_to_stop(request), self._joy)
        return json_answer({"ok": outcome.applied, "reason": outcome.reason})

    async def _vehicle_to_stop(self, request: web.Request) -> WireVehicle:
        """The vehicle that a request names; the first where its body cannot be read."""
        try:
            document = await document_of(request)
        except ParameterError:
            document = {}
        return self._vehicle(document.get("vehicle"))

    async def _ask_interface(self, request: web.Request) -> web.StreamResponse:
        """Engage, disengage or give control back, as the interface's services do."""
        document = await document_of(request)
        schema.refuse_unknown(document, ("vehicle", "request"))
        wanted = checked_request(document.get("request"))
        vehicle = self._vehicle(document.get("vehicle"))
        interface = self._access.interface
        if interface is None:
            return error_answer(f"{wanted}: this plant has no vehicle interface beside it", 409)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[bool, str]] = loop.create_future()

        def settle(outcome: tuple[bool, str]) -> None:
            if not answer.done():  # it has waited too long
                answer.set_result(outcome)

        def answered(success: bool, reason: str) -> None:
            loop.call_soon_threadsafe(settle, (success, reason))

        interface.request(vehicle.vehicle_id, wanted, answered)
        done, _ = await asyncio.wait((answer,), timeout=_INTERFACE_TIMEOUT_S)
        if not done:
            answer.cancel()
            problem = f"{wanted}: the vehicle interface did not answer within "
            return error_answer(f"{problem}{_INTERFACE_TIMEOUT_S:g} s", 503)
        success, reason = answer.result()
        return json_answer({"ok": success, "reason": reason})

    async def _targets(self, request: web.Request) -> web.StreamResponse:
        fanout = self.fanout
        if "vehicle" in request.query:
            number = self._vehicle(request.query["vehicle"]).vehicle_id
            return json_answer(fanout.table.of(number).described(number))
        return json_answer(
            {"targets": fanout.table.described(), "sent": fanout.sent, "failed": fanout.failed}
        )

    async def _change_targets(self, request: web.Request) -> web.StreamResponse:
        change = schema.targets_request(
            await document_of(request), loopback_only=self._address.token is None
        )
        vehicle = self._vehicle(change.vehicle)
        return json_answer(self.fanout.change(vehicle, change).described(vehicle.vehicle_id))

    async def _reset(self, request: web.Request) -> web.StreamResponse:
        wanted = schema.reset_request(await document_of(request))
        if wanted.vehicle is not None:
            self._vehicle(wanted.vehicle)
        elif wanted.initial is not None and len(self._access.vehicles) > 1:
            problem = "is missing: a pose is for one of several vehicles"
            raise ParameterError("vehicle", problem)
        await self._access.reset(wanted)
        return json_answer(self._access.snapshot(self._vehicle(wanted.vehicle)))

    async def _pause(self, request: web.Request) -> web.StreamResponse:
        await self._access.pause(schema.pause_request(await document_of(request)))
        return json_answer({"paused": self._access.server.paused})

    # --- another car

    async def _settings(self, request: web.Request) -> web.StreamResponse:
        return json_answer(settings_view(self._vehicle(request.query.get("vehicle"))))

    async def _settings_file(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        name = f"vdsim_vehicle_{vehicle.vehicle_id}.yaml"
        return web.Response(
            body=as_yaml(vehicle.settings).encode(),
            content_type="application/yaml",
            charset="utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def _check_settings(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        car = await self._restarts.checked(vehicle, await document_of(request))
        return json_answer({"settings": current(car.settings), "yaml": as_yaml(car.settings)})

    async def _start(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        await self._restarts.start(vehicle, await document_of(request))
        return json_answer(
            {"settings": current(vehicle.settings), **self._access.snapshot(vehicle)}
        )

    def _vehicle(self, given: str | int | None) -> WireVehicle:
        """The vehicle that a request names, the first when it names none."""
        number = schema.vehicle_number(given)
        vehicle = self._access.vehicle(number)
        if vehicle is None:
            assert number is not None
            raise UnknownVehicleError(number, self._access.vehicles)
        return vehicle
