"""What every request of the data port meets first: limits, admission, answers to faults. Shell.

    request -> admission, rate -> handler -> answer        any fault -> {"error": "..."}, 4xx

Every fault of a request is answered 4xx with {"error": "field=value: what is allowed"}. A fault of
our own is answered 500 and logged. The files of the page are served here too.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport import json_views, schema
from vdsim_plant_node.dataport.admission import COOKIE, Admission
from vdsim_plant_node.dataport.assets import PAGE, Asset, load_assets
from vdsim_plant_node.dataport.connections import Connections
from vdsim_plant_node.dataport.faults import UNREADABLE, FaultLog
from vdsim_plant_node.dataport.rates import RequestRates, TokenBucket
from vdsim_plant_node.dataport.server_access import DrivenError, NotAnsweringError
from vdsim_plant_node.settings.http_address import HttpAddress

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
WRONG_TOKEN_RATE_HZ, WRONG_TOKEN_BURST = 2.0, 20
_BODY_TIMEOUT_S = 5.0
_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,200}")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class BusyError(Exception):
    """More is asked for than can be done now; later it can."""


class UnknownVehicleError(Exception):
    """There is no vehicle of that number."""

    def __init__(self, vehicle: int, known: Mapping[int, object]) -> None:
        super().__init__(vehicle)
        self.vehicle, self.known = vehicle, known


class Front:
    """Around the routes of one application."""

    def __init__(self, address: HttpAddress, faults: FaultLog) -> None:
        self._faults = faults
        self._address = address
        self._admission = Admission(address.ip, address.token)
        self._rates = RequestRates()
        self._assets = load_assets()
        self._running: set[asyncio.Task[Any]] = set()
        self._wrong_tokens = TokenBucket(WRONG_TOKEN_RATE_HZ, WRONG_TOKEN_BURST)
        self.connections: Connections | None = None
        """The connections that the requests come on, once there are some."""
        self.requests = 0
        self.refused = 0

    def application(self) -> web.Application:
        """An application with the page, for more routes."""
        application = web.Application(
            middlewares=[self._guard], client_max_size=schema.LARGEST_BODY_BYTES
        )
        application.router.add_get("/", self._page)
        application.router.add_get("/assets/{name:.+}", self._asset)
        return application

    def close(self) -> None:
        """End what would go on by itself: streams, and bodies that are still on their way."""
        for request in self._running:
            request.cancel()

    # --- around every request

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.requests += 1
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
            self.refused += 1
        if not response.prepared:
            response.headers.update(_HEADERS)
            response.headers["Content-Security-Policy"] = _policy(request.headers.get("Host", ""))
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
                return error_answer("token: too many wrong ones; wait a second", 429)
            return error_answer(refusal.reason, refusal.status)
        reason = self._rates.refusal(request.method, request.path, time.monotonic())
        return _try_again(reason) if reason else None

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            refusal = self._refusal(request)
            return await handler(request) if refusal is None else refusal
        except ConnectionError:
            raise  # the client is gone
        except ParameterError as error:
            # A fault of a file is named by the file's own key, which is no field of the request.
            field = "" if error.source else error.key
            return json_answer({"error": str(error), "field": field}, 400)
        except UnknownVehicleError as error:
            return json_answer(json_views.unknown_vehicle(error.vehicle, error.known), 404)
        except DrivenError as error:
            return error_answer(str(error), 409)
        except BusyError as error:
            return _try_again(str(error))
        except NotAnsweringError as error:
            return error_answer(str(error), 503)
        except web.HTTPRequestEntityTooLarge:
            return error_answer(f"body: has more than {schema.LARGEST_BODY_BYTES} bytes", 413)
        except web.HTTPMethodNotAllowed as error:
            allowed = ", ".join(sorted(error.allowed_methods))
            return error_answer(f"{request.method} {request.path}: must be one of {allowed}", 405)
        except web.HTTPNotFound:
            return error_answer(f"{request.path}: no such resource", 404)
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


def _policy(host: str) -> str:
    """What the page may load. For some browsers 'self' is no WebSocket of the same host."""
    if not _HOST.fullmatch(host):
        return _POLICY
    return f"{_POLICY}; connect-src 'self' ws://{host} wss://{host}"


async def document_of(request: web.Request) -> Any:
    """The JSON object of a request's body."""
    try:
        return schema.parse_body(await asyncio.wait_for(request.read(), _BODY_TIMEOUT_S))
    except asyncio.TimeoutError:
        raise ParameterError("body", f"did not arrive within {_BODY_TIMEOUT_S:g} s") from None
    except UNREADABLE:
        raise ParameterError("body", "cannot be decoded") from None


def json_answer(content: json_views.Json, status: int = 200) -> web.Response:
    """An answer of JSON."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    return web.Response(body=body, status=status, content_type="application/json")


def error_answer(reason: str, status: int) -> web.Response:
    """A refusal."""
    return json_answer({"error": reason}, status)


def _try_again(reason: str) -> web.Response:
    response = error_answer(reason, 429)
    response.headers["Retry-After"] = "1"
    return response


def _failure(request: web.Request) -> web.Response:
    """The answer to a request that we failed on; a stream that has begun can only break off."""
    if request.writer.output_size > 0:
        raise ConnectionAbortedError
    return error_answer("the data port failed on this request; its log has the reason", 500)


def _asset_response(request: web.Request, asset: Asset) -> web.Response:
    headers = {"ETag": asset.tag, "Cache-Control": "no-cache"}
    if request.headers.get("If-None-Match") == asset.tag:
        return web.Response(status=304, headers=headers)
    return web.Response(
        body=asset.content, content_type=asset.kind, charset="utf-8", headers=headers
    )
