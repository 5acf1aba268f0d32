"""The HTTP side of the data port: routes, what is let in, answers. Shell round the cores.

Runs on the data port's own loop. Every fault of a request is answered 4xx with
{"error": "field=value: what is allowed"}. A fault of our own is answered 500 and logged.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport import json_views, metrics, schema
from vdsim_plant_node.dataport.admission import COOKIE, Admission
from vdsim_plant_node.dataport.assets import PAGE, Asset, load_assets
from vdsim_plant_node.dataport.connections import Connections
from vdsim_plant_node.dataport.fanout import Fanout
from vdsim_plant_node.dataport.faults import UNREADABLE, FaultLog
from vdsim_plant_node.dataport.rates import TokenBucket
from vdsim_plant_node.dataport.restarts import BusyError, Restarts, settings_view
from vdsim_plant_node.dataport.server_access import DrivenError, NotAnsweringError, ServerAccess
from vdsim_plant_node.dataport.stream import serve_stream
from vdsim_plant_node.dataport.stream_slots import LARGEST_STREAM_COUNT, StreamSlots
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.choices import as_yaml, current
from vdsim_plant_node.settings.http_address import HttpAddress

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
REQUEST_RATE_HZ, REQUEST_BURST = 500.0, 250
WRONG_TOKEN_RATE_HZ, WRONG_TOKEN_BURST = 2.0, 20
_BODY_TIMEOUT_S = 5.0
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class DataPortApp:
    """Answers requests about one server."""

    def __init__(self, access: ServerAccess, address: HttpAddress, faults: FaultLog) -> None:
        self.fanout = Fanout(access)
        self._faults = faults
        self._access = access
        self._restarts = Restarts(access)
        self._address = address
        self._admission = Admission(address.ip, address.token)
        self._bucket = TokenBucket(REQUEST_RATE_HZ, REQUEST_BURST)
        self._assets = load_assets()
        self._running: set[asyncio.Task[Any]] = set()
        self._wrong_tokens = TokenBucket(WRONG_TOKEN_RATE_HZ, WRONG_TOKEN_BURST)
        self._streams = StreamSlots()
        self.connections: Connections | None = None
        """The connections that the requests come on, once there are some."""
        self._requests = 0
        self._refused = 0

    def application(self) -> web.Application:
        """What an aiohttp runner serves."""
        application = web.Application(
            middlewares=[self._guard], client_max_size=schema.LARGEST_BODY_BYTES
        )
        application.router.add_get("/", self._page)
        application.router.add_get("/assets/{name:.+}", self._asset)
        application.router.add_get("/api/vehicles", self._vehicles)
        application.router.add_get("/api/road", self._road)
        application.router.add_get("/api/state", self._state)
        application.router.add_get("/api/io", self._state)
        application.router.add_post("/api/io", self._io)
        application.router.add_post("/api/manual", self._manual)
        application.router.add_get("/api/io/targets", self._targets)
        application.router.add_post("/api/io/targets", self._change_targets)
        application.router.add_get("/api/stream", self._stream, allow_head=False)
        application.router.add_post("/api/reset", self._reset)
        application.router.add_post("/api/pause", self._pause)
        application.router.add_get("/api/settings", self._settings)
        application.router.add_get("/api/settings.yaml", self._settings_file)
        application.router.add_post("/api/settings", self._check_settings)
        application.router.add_post("/api/start", self._start)
        application.router.add_get("/metrics", self._metrics)
        return application

    def close(self) -> None:
        """End what would go on by itself: streams, and bodies that are still on their way."""
        self.fanout.close()
        for request in self._running:
            request.cancel()

    # --- around every request

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self._requests += 1
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        transport = request.transport
        if self.connections is not None:
            self.connections.began(transport)
        try:
            response = await self._answer(request, handler)
        finally:
            self._running.discard(task)
            if self.connections is not None:
                self.connections.ended(transport)
        if 400 <= response.status < 500:
            self._refused += 1
        if not response.prepared:
            response.headers.update(_HEADERS)
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    def _refusal(self, request: web.Request) -> web.Response | None:
        refusal = self._admission.refusal(
            request.method,
            request.headers,
            cookie=request.cookies.get(COOKIE),
            query=request.query.get("token") if request.path == "/" else None,
        )
        if refusal is not None:
            if refusal.status == 401 and not self._wrong_tokens.allow(time.monotonic()):
                return _error("token: too many wrong ones; wait a second", 429)
            return _error(refusal.reason, refusal.status)
        if not self._bucket.allow(time.monotonic()):
            return _try_again(f"rate: more than {REQUEST_RATE_HZ:g} requests a second")
        return None

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            refusal = self._refusal(request)
            return await handler(request) if refusal is None else refusal
        except ConnectionError:
            raise  # the client is gone
        except ParameterError as error:
            # A fault of a file is named by the file's own key, which is no field of the request.
            field = "" if error.source else error.key
            return _json({"error": str(error), "field": field}, 400)
        except _UnknownVehicleError as error:
            return _json(json_views.unknown_vehicle(error.vehicle, self._access.vehicles), 404)
        except DrivenError as error:
            return _error(str(error), 409)
        except BusyError as error:
            return _try_again(str(error))
        except NotAnsweringError as error:
            return _error(str(error), 503)
        except web.HTTPRequestEntityTooLarge:
            return _error(f"body: has more than {schema.LARGEST_BODY_BYTES} bytes", 413)
        except web.HTTPMethodNotAllowed as error:
            allowed = ", ".join(sorted(error.allowed_methods))
            return _error(f"{request.method} {request.path}: must be one of {allowed}", 405)
        except web.HTTPNotFound:
            return _error(f"{request.path}: no such resource", 404)
        except Exception as error:  # our own fault; a viewer must not stop the plant
            self._faults.report(f"{request.method} {request.path[:80]!a}", error)
            return _failure(request)

    # --- the page

    async def _page(self, request: web.Request) -> web.StreamResponse:
        if self._address.token is not None and "token" in request.query:
            moved = web.Response(status=303, headers={"Location": "/"})
            moved.set_cookie(COOKIE, self._address.token, httponly=True, samesite="Strict")
            return moved
        return _asset_response(request, self._assets[PAGE])

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        asset = self._assets.get(request.match_info["name"])
        if asset is None:
            raise web.HTTPNotFound
        return _asset_response(request, asset)

    # --- reading

    async def _vehicles(self, request: web.Request) -> web.StreamResponse:
        access = self._access
        statuses = await access.statuses()
        vehicles = [
            {**description, **status}
            for description, status in zip(access.descriptions(), statuses, strict=True)
        ]
        return _json(
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
        return _json(self._access.snapshot(self._vehicle(request.query.get("vehicle"))))

    async def _road(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        return _json(json_views.road_view(vehicle.session.vehicle.ground, vehicle.settings.origin))

    async def _metrics(self, request: web.Request) -> web.StreamResponse:
        fanout = self.fanout
        activity = metrics.PortActivity(
            requests=self._requests,
            refused=self._refused,
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
            return _error(f"streams: {LARGEST_STREAM_COUNT} are open, which is the most", 429)
        try:
            return await serve_stream(request, self._access, vehicle, rate_hz, kinds)
        finally:
            self._streams.give_back(stream)

    # --- doing

    async def _io(self, request: web.Request) -> web.StreamResponse:
        vehicle, outcome = await self._command(request)
        return _json({**outcome, **self._access.snapshot(vehicle)})

    async def _manual(self, request: web.Request) -> web.StreamResponse:
        """A command like that of POST /api/io, answered without the state."""
        _, outcome = await self._command(request)
        return _json({"ok": outcome.pop("applied", True), **outcome})

    async def _command(self, request: web.Request) -> tuple[WireVehicle, json_views.Json]:
        command = schema.io_request(await _document(request))
        vehicle = self._vehicle(command.vehicle)
        outcome: json_views.Json = {}
        if command.commands:
            result = await self._access.command(vehicle.vehicle_id, command)
            outcome["applied"] = result.applied
            if result.reason:
                outcome["reason"] = result.reason
        return vehicle, outcome

    async def _targets(self, request: web.Request) -> web.StreamResponse:
        fanout = self.fanout
        if "vehicle" in request.query:
            number = self._vehicle(request.query["vehicle"]).vehicle_id
            return _json(fanout.table.of(number).described(number))
        return _json(
            {"targets": fanout.table.described(), "sent": fanout.sent, "failed": fanout.failed}
        )

    async def _change_targets(self, request: web.Request) -> web.StreamResponse:
        change = schema.targets_request(
            await _document(request), loopback_only=self._address.token is None
        )
        vehicle = self._vehicle(change.vehicle)
        return _json(self.fanout.change(vehicle, change).described(vehicle.vehicle_id))

    async def _reset(self, request: web.Request) -> web.StreamResponse:
        wanted = schema.reset_request(await _document(request))
        if wanted.vehicle is not None:
            self._vehicle(wanted.vehicle)
        elif wanted.initial is not None and len(self._access.vehicles) > 1:
            problem = "is missing: a pose is for one of several vehicles"
            raise ParameterError("vehicle", problem)
        await self._access.reset(wanted)
        return _json(self._access.snapshot(self._vehicle(wanted.vehicle)))

    async def _pause(self, request: web.Request) -> web.StreamResponse:
        await self._access.pause(schema.pause_request(await _document(request)))
        return _json({"paused": self._access.server.paused})

    # --- another car

    async def _settings(self, request: web.Request) -> web.StreamResponse:
        return _json(settings_view(self._vehicle(request.query.get("vehicle"))))

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
        car = await self._restarts.checked(vehicle, await _document(request))
        return _json({"settings": current(car.settings), "yaml": as_yaml(car.settings)})

    async def _start(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request.query.get("vehicle"))
        await self._restarts.start(vehicle, await _document(request))
        return _json({"settings": current(vehicle.settings), **self._access.snapshot(vehicle)})

    def _vehicle(self, given: str | int | None) -> WireVehicle:
        """The vehicle that a request names, the first when it names none."""
        number = schema.vehicle_number(given)
        vehicle = self._access.vehicle(number)
        if vehicle is None:
            assert number is not None
            raise _UnknownVehicleError(number)
        return vehicle


class _UnknownVehicleError(Exception):
    def __init__(self, vehicle: int) -> None:
        super().__init__(vehicle)
        self.vehicle = vehicle


async def _document(request: web.Request) -> Any:
    try:
        return schema.parse_body(await asyncio.wait_for(request.read(), _BODY_TIMEOUT_S))
    except asyncio.TimeoutError:
        raise ParameterError("body", f"did not arrive within {_BODY_TIMEOUT_S:g} s") from None
    except UNREADABLE:
        raise ParameterError("body", "cannot be decoded") from None


def _json(content: json_views.Json, status: int = 200) -> web.Response:
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    return web.Response(body=body, status=status, content_type="application/json")


def _error(reason: str, status: int) -> web.Response:
    return _json({"error": reason}, status)


def _try_again(reason: str) -> web.Response:
    response = _error(reason, 429)
    response.headers["Retry-After"] = "1"
    return response


def _failure(request: web.Request) -> web.Response:
    """The answer to a request that we failed on; a stream that has begun can only break off."""
    if request.writer.output_size > 0:
        raise ConnectionAbortedError
    return _error("the data port failed on this request; its log has the reason", 500)


def _asset_response(request: web.Request, asset: Asset) -> web.Response:
    headers = {"ETag": asset.tag, "Cache-Control": "no-cache"}
    if request.headers.get("If-None-Match") == asset.tag:
        return web.Response(status=304, headers=headers)
    return web.Response(
        body=asset.content, content_type=asset.kind, charset="utf-8", headers=headers
    )
