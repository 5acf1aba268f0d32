"""The routes of a run that is played again. Shell round `chunks`, behind the data port's front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.session import SimSession

from vdsim_plant_node.dataport import json_views, schema
from vdsim_plant_node.dataport.faults import FaultLog
from vdsim_plant_node.dataport.front import Front, UnknownVehicleError, json_answer
from vdsim_plant_node.replay.chunks import ReplayChunks
from vdsim_plant_node.settings.http_address import HttpAddress
from vdsim_plant_node.settings.server_settings import VehicleSettings


@dataclass(frozen=True)
class ReplayedCar:
    """A vehicle of the run."""

    settings: VehicleSettings
    session: SimSession


class ReplayApp:
    """Answers requests about one run."""

    def __init__(
        self,
        chunks: ReplayChunks,
        cars: Mapping[int, ReplayedCar],
        address: HttpAddress,
        faults: FaultLog,
    ) -> None:
        self.front = Front(address, faults)
        self._chunks = chunks
        self._cars = cars

    def application(self) -> web.Application:
        """What an aiohttp runner serves."""
        application = self.front.application()
        application.router.add_get("/api/vehicles", self._vehicles)
        application.router.add_get("/api/road", self._road)
        application.router.add_get("/api/replay", self._replay)
        return application

    def close(self) -> None:
        """End what would go on by itself."""
        self.front.close()

    async def _vehicles(self, request: web.Request) -> web.StreamResponse:
        chunks = self._chunks
        run = {"duration": chunks.duration_s, "chunk": chunks.chunk_s}
        vehicles = [_description(number, car) for number, car in self._cars.items()]
        return json_answer({"vehicles": vehicles, "can_pause": False, "replay": run})

    async def _road(self, request: web.Request) -> web.StreamResponse:
        car = self._cars[self._vehicle(request)]
        ground, origin = car.session.vehicle.ground, car.settings.origin
        return json_answer(json_views.road_view(ground, origin))

    async def _replay(self, request: web.Request) -> web.StreamResponse:
        vehicle = self._vehicle(request)
        given = request.query.get("chunk", "0")
        is_number = given.isascii() and given.isdigit() and len(given) < 9
        chunk = self._chunks.chunk(vehicle, int(given)) if is_number else None
        if chunk is None:
            raise wrong_value("chunk", given, "the number of a chunk of the run, from 0 on")
        return web.Response(
            body=chunk, content_type="application/json", headers={"Content-Encoding": "deflate"}
        )

    def _vehicle(self, request: web.Request) -> int:
        number = schema.vehicle_number(request.query.get("vehicle"))
        if number is None:
            return next(iter(self._cars))
        if number not in self._cars:
            raise UnknownVehicleError(number, self._cars)
        return number


def _description(number: int, car: ReplayedCar) -> dict[str, Any]:
    return {
        "vehicle": number,
        "name": car.session.name,
        "level": car.settings.level,
        "failsafe_policy": car.settings.failsafe.describe(),
        "shape": json_views.shape_view(car.session.vehicle.parameters),
    }
