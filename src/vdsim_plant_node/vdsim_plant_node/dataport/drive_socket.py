"""Driving from the page: one WebSocket for as long as somebody drives. Shell.

    page -> {"throttle": 0.3, ...}           to the plant, as POST /api/io
         -> {"axes": [6], "buttons": [21]}   to a vehicle interface, as Joy (ROS node of the plant)
    page <- {"drives": "plant" | "joy"}      first, and it stays
         <- {"applied": false, "reason": ...}, {"error": ...}   when that has changed

Of commands that arrive faster than the plant takes them, the newest counts; an emergency stop in
any message passes at once, also from a page that does not drive. A command holds for
DRIVE_TIMEOUT_S. When the connection ends, for whatever reason, the vehicle is let go of at once.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Coroutine, Mapping
from typing import Any, Protocol

from aiohttp import WSCloseCode, WSMessage, WSMsgType, web
from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport import schema
from vdsim_plant_node.dataport.front import error_answer
from vdsim_plant_node.dataport.joy import (
    NOTHING_HELD,
    STOP_HELD,
    JoyOutput,
    JoySample,
    asks_to_stop,
    joy_sample,
)
from vdsim_plant_node.dataport.rates import TokenBucket
from vdsim_plant_node.dataport.seats import (
    COMMAND_BURST,
    COMMAND_RATE_HZ,
    DRIVE_TIMEOUT_S,
    IDLE_S,
    MOST_PAGES,
    Seats,
)
from vdsim_plant_node.dataport.server_access import IoOutcome, NotAnsweringError, ServerAccess
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.runs.recording import InputSource

_LARGEST_MESSAGE_BYTES = 4096
_STALLED_S = 5.0
_USED_TYPES = (WSMsgType.TEXT, WSMsgType.PING, WSMsgType.PONG)
_CLOSE_TIMEOUT_S = 1.0


class _Target(Protocol):
    """What a page drives."""

    kind: str

    def checked(self, document: Mapping[str, Any]) -> Any:
        """Return the command of a message; a ParameterError names what is wrong with it."""

    async def command(self, wanted: Any) -> IoOutcome:
        """Pass a checked command on."""

    def look_for_a_stop(self, text: str) -> None:
        """Pass an emergency stop on at once: from every page, whatever else is in its message."""

    def fall_silent(self) -> None:
        """No command has come for DRIVE_TIMEOUT_S."""

    def let_go(self, *, on_purpose: bool) -> None:
        """Nobody drives from this page any more."""


class _Pedals:
    """The plant itself."""

    kind = "plant"

    def __init__(self, access: ServerAccess, vehicle_id: int) -> None:
        self._access, self._vehicle_id = access, vehicle_id

    def checked(self, document: Mapping[str, Any]) -> schema.IoRequest:
        return schema.io_request({**document, "vehicle": self._vehicle_id})

    async def command(self, wanted: schema.IoRequest) -> IoOutcome:
        return await self._access.command(self._vehicle_id, wanted, timeout_s=DRIVE_TIMEOUT_S)

    def look_for_a_stop(self, text: str) -> None:
        """The plant has none: letting go is its fail-safe."""

    def fall_silent(self) -> None:
        """The plant's own watchdog finds out, which may be patient."""

    def let_go(self, *, on_purpose: bool) -> None:
        number = self._vehicle_id
        self._access.server.call(lambda server: server.release(number, on_purpose=on_purpose))


class _Pad:
    """A vehicle interface, which takes the page for a gamepad."""

    kind = "joy"

    def __init__(self, output: JoyOutput, vehicle_id: int) -> None:
        self._output, self._vehicle_id = output, vehicle_id

    def checked(self, document: Mapping[str, Any]) -> JoySample:
        return joy_sample(document)

    async def command(self, wanted: JoySample) -> IoOutcome:
        if not self._output.is_subscribed(self._vehicle_id):
            return IoOutcome(False, "the vehicle interface has ended")
        self._output.publish(self._vehicle_id, wanted)
        return IoOutcome(True)

    def look_for_a_stop(self, text: str) -> None:
        if asks_to_stop(text):
            self._output.publish(self._vehicle_id, STOP_HELD)

    def fall_silent(self) -> None:
        self._output.publish(self._vehicle_id, NOTHING_HELD)

    def let_go(self, *, on_purpose: bool) -> None:
        self._output.publish(self._vehicle_id, NOTHING_HELD)


class DriveSockets:
    """The driving pages of one data port."""

    def __init__(self, access: ServerAccess, joy: JoyOutput | None) -> None:
        self._access = access
        self._joy = joy
        self._seats = Seats()

    async def serve(self, request: web.Request, vehicle: WireVehicle) -> web.StreamResponse:
        """Answer a request of a page to drive a vehicle; returns when it no longer does."""
        vehicle_id = vehicle.vehicle_id
        socket = web.WebSocketResponse(
            max_msg_size=_LARGEST_MESSAGE_BYTES,
            compress=False,
            timeout=_CLOSE_TIMEOUT_S,
            autoping=False,
        )
        if not socket.can_prepare(request).ok:
            return error_answer(f"{request.path}: must be a WebSocket", 426)
        page = _Page(socket, request, self._seats, self._target(vehicle), vehicle_id)
        if not self._seats.enter(page):
            return error_answer(f"drive: {MOST_PAGES} pages are connected, which is the most", 429)
        try:
            await socket.prepare(request)
            await page.serve()
        except ConnectionError:
            pass  # the page is gone
        finally:
            page.end()
            self._seats.leave(page)
        return socket

    def _target(self, vehicle: WireVehicle) -> _Target:
        """Where CMD packets drive and Joy has a subscriber, that is a vehicle interface."""
        number = vehicle.vehicle_id
        source = vehicle.commanded_by(self._access.server.now())
        joy = self._joy
        if joy is not None and source is InputSource.COMMAND and joy.is_subscribed(number):
            return _Pad(joy, number)
        return _Pedals(self._access, number)


class _Page:
    """One connection."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        request: web.Request,
        seats: Seats,
        target: _Target,
        vehicle_id: int,
    ) -> None:
        self._socket, self._request = socket, request
        self._seats, self._target, self._vehicle_id = seats, target, vehicle_id
        self._bucket = TokenBucket(COMMAND_RATE_HZ, COMMAND_BURST)
        self._newest = ""
        self._arrived = asyncio.Event()
        self._last_s = self._heard_s = 0.0
        self._holds = False
        self._answer: dict[str, Any] = {}

    async def serve(self) -> None:
        """Take commands until the connection ends."""
        await self._send({"drives": self._target.kind, "timeout": DRIVE_TIMEOUT_S})
        self._last_s = self._heard_s = time.monotonic()
        tasks = [asyncio.ensure_future(each) for each in (self._read(), self._act())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        for task in done:
            task.result()

    async def _read(self) -> None:
        """Receive what the page sends; of what waits to be acted on, the newest counts."""
        while True:
            message = await self._receive(DRIVE_TIMEOUT_S)
            now = time.monotonic()
            if message is not None and message.type is WSMsgType.TEXT:
                self._target.look_for_a_stop(message.data)
            if message is None:
                self._fall_silent()
            elif message.type not in _USED_TYPES:
                await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA)
                return
            elif not self._bucket.allow(now):
                await self._refuse(f"rate: more than {COMMAND_RATE_HZ:g} commands a second")
                return
            elif message.type is WSMsgType.TEXT:
                self._newest, self._heard_s = message.data, now
                self._arrived.set()
            else:
                await self._on_ping(message, now)
            if now - self._last_s > IDLE_S:
                await self._refuse(f"drive: no command for {IDLE_S:g} s")
                return

    async def _on_ping(self, message: WSMessage, now: float) -> None:
        """Answer a ping; neither it nor a pong is a command."""
        if now - self._heard_s > DRIVE_TIMEOUT_S:
            self._fall_silent()
        if message.type is WSMsgType.PING:
            await self._in_time(self._socket.pong(message.data))

    async def _act(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            if await self._take(self._newest):
                self._last_s = time.monotonic()

    def end(self) -> None:
        """The connection has ended; the close code of a page that lets go is 1000."""
        if self._seats.is_driven_by(self, self._vehicle_id):
            self._target.let_go(on_purpose=self._socket.close_code == WSCloseCode.OK)

    async def _receive(self, timeout_s: float) -> WSMessage | None:
        """The next message; None when none comes in time."""
        try:
            return await self._socket.receive(timeout_s)
        except asyncio.TimeoutError:
            return None

    async def _take(self, text: str) -> bool:
        """Act on one message; whether it was a valid command."""
        try:
            outcome = await self._outcome(schema.parse_body(text.encode("utf-8", "replace")))
        except ParameterError as error:
            await self._tell({"error": str(error), "field": error.key})
            return False
        except NotAnsweringError as error:
            outcome = IoOutcome(False, str(error))
        self._holds = self._holds or outcome.applied
        await self._tell({"applied": outcome.applied, "reason": outcome.reason})
        return True

    async def _outcome(self, document: Mapping[str, Any]) -> IoOutcome:
        wanted = self._target.checked(document)
        if not self._seats.drive(self, self._vehicle_id, time.monotonic()):
            return IoOutcome(False, f"another page drives vehicle {self._vehicle_id}")
        return await self._target.command(wanted)

    def _fall_silent(self) -> None:
        if self._holds:
            self._holds = False
            self._target.fall_silent()

    async def _tell(self, answer: dict[str, Any]) -> None:
        """Send an answer that is another one than the last."""
        if answer != self._answer:
            self._answer = answer
            await self._send(answer)

    async def _refuse(self, reason: str) -> None:
        await self._tell({"error": reason, "field": ""})
        await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, message=reason.encode())

    async def _send(self, content: dict[str, Any]) -> None:
        await self._in_time(self._socket.send_str(json.dumps(content, separators=(",", ":"))))

    async def _in_time(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send, and cut off a page that takes nothing."""
        transport = self._request.transport
        if transport is None:
            sending.close()
            raise ConnectionResetError
        stalled = asyncio.get_running_loop().call_later(_STALLED_S, transport.abort)
        try:
            await sending
        finally:
            stalled.cancel()
