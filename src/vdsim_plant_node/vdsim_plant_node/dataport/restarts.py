"""Restarts a vehicle as another car, chosen over the data port. Shell: one thread builds the car.

    check, build (a thread of its own, one car at a time)  ->  swap (the server's thread, at a tick)

Loading and compiling a car takes up to some seconds: neither the ticks nor the data port wait for
it. Who may restart is who may reset: nobody while CMD packets drive, which is asked before the
car is built and again in the moment of the swap.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport.front import BusyError
from vdsim_plant_node.dataport.rates import TokenBucket
from vdsim_plant_node.dataport.server_access import ServerAccess, refuse_while_driven
from vdsim_plant_node.live.compile_ahead import compile_ahead
from vdsim_plant_node.live.recording_session import restart_vehicle
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import loops_of, prepare_car
from vdsim_plant_node.live.wire_vehicle import PreparedCar, WireVehicle
from vdsim_plant_node.settings import choices

Result = TypeVar("Result")
MOST_WAITING = 4
START_RATE_HZ, START_BURST = 2.0, 10


class Restarts:
    """Builds cars for one server and puts them in the place of its vehicles."""

    def __init__(self, access: ServerAccess) -> None:
        self._access = access
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._bucket = TokenBucket(START_RATE_HZ, START_BURST)

    async def checked(self, vehicle: WireVehicle, document: Mapping[str, Any]) -> PreparedCar:
        """The car that a document chooses, built; a ParameterError names what is wrong.

        In place of the fields the document may hold `yaml`, the text of a settings file.
        """
        return await self._in_turn(lambda: self._built(vehicle, document))

    async def start(self, vehicle: WireVehicle, document: Mapping[str, Any]) -> None:
        """Restart a vehicle with what a document chooses; what it leaves out stays."""
        number = vehicle.vehicle_id
        await self._access.ask(lambda server: _refuse(server, number))

        async def build_and_swap() -> None:
            car = await self._built(vehicle, document)

            def swap(server: PlantServer) -> None:
                _refuse(server, number)
                restart_vehicle(server, number, car)

            await self._access.ask(swap)

        await self._in_turn(build_and_swap)

    async def _built(self, vehicle: WireVehicle, document: Mapping[str, Any]) -> PreparedCar:
        substep_s = self._access.server.settings.substep_s

        def build() -> PreparedCar:
            settings = choices.chosen(vehicle.settings, _file_of(document))
            for loop in loops_of(settings):
                compile_ahead(loop)
            return prepare_car(settings, substep_s=substep_s)

        return await asyncio.wrap_future(_on_a_thread(build))

    async def _in_turn(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do it when those before have ended, so that each begins with what they have left."""
        if self._waiting >= MOST_WAITING:
            raise BusyError(f"start: {MOST_WAITING} cars are being built; wait for them")
        if not self._bucket.allow(time.monotonic()):
            raise BusyError(f"start: more than {START_RATE_HZ:g} cars a second")
        self._waiting += 1

        async def one_at_a_time() -> Result:
            try:
                async with self._lock:
                    return await work()
            finally:
                self._waiting -= 1

        task = asyncio.ensure_future(one_at_a_time())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        # A client that goes away does not make room: its car is built to the end.
        return await asyncio.shield(task)


def _refuse(server: PlantServer, number: int) -> None:
    refuse_while_driven(server, [server.vehicle(number)], "stop or deactivate their sender first")


def _on_a_thread(build: Callable[[], Result]) -> Future[Result]:
    """Run it on a thread that does not keep the process from ending."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(build())
        except Exception as error:  # belongs to the request
            future.set_exception(error)

    threading.Thread(target=run, name="builds a car", daemon=True).start()
    return future


def settings_view(vehicle: WireVehicle) -> dict[str, Any]:
    """What can be chosen of a vehicle, and what it has now."""
    return {"vehicle": vehicle.vehicle_id, "settings": choices.described(vehicle.settings)}


def _file_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a request chooses: its fields, or those of the settings file that it holds as text."""
    if "yaml" not in document:
        return document
    text = document["yaml"]
    if len(document) > 1 or not isinstance(text, str):
        raise ParameterError("yaml", "must be the text of a settings file, and the only field")
    return choices.document_of(text)
