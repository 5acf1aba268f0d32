"""`vdsim_replay --http`: keeps the run while it is played, then serves it to the browser."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vdsim_plant.session import SimSession

from vdsim_plant_node.cli.running import StopSignal
from vdsim_plant_node.dataport.service import App, DataPortSocket, HttpService, claimed_socket
from vdsim_plant_node.replay.chunks import ReplayChunks
from vdsim_plant_node.settings.http_address import HttpAddress, parse_http
from vdsim_plant_node.settings.options import token_of
from vdsim_plant_node.settings.server_settings import VehicleSettings

if TYPE_CHECKING:
    from vdsim_plant_node.dataport.faults import FaultLog

Vehicles = Mapping[int, tuple[VehicleSettings, SimSession]]
_CHECK_S = 0.1


class ReplayPage:
    """The page of one run; its address is claimed before the run is played."""

    def __init__(self, claimed: DataPortSocket, tick_s: float, vehicles: Vehicles) -> None:
        origins = {number: settings.origin for number, (settings, _) in vehicles.items()}
        self._claimed, self._vehicles = claimed, vehicles
        self._chunks = ReplayChunks(tick_s, origins)
        self.take = self._chunks.take

    @staticmethod
    def open(
        http: str | None, token: str | None, tick_s: float, vehicles: Vehicles
    ) -> ReplayPage | None:
        """Claim the address of the option `http`; None without it."""
        address = None if http is None else parse_http(http, token_of(token))
        return None if address is None else ReplayPage(claimed_socket(address), tick_s, vehicles)

    def serve(self, log: Callable[[str], None]) -> None:
        """Serve the run until a signal comes."""
        self._chunks.finish()
        stopped = StopSignal()
        service = HttpService(self._claimed, self._app, log=log)
        log(f"replay at {service.url}")
        while not stopped():
            time.sleep(_CHECK_S)
        service.close()

    def close(self) -> None:
        """Give the address up: the run could not be played."""
        self._claimed.socket.close()

    def _app(self, address: HttpAddress, faults: FaultLog) -> App:
        from vdsim_plant_node.replay.app import ReplayApp, ReplayedCar  # loads aiohttp

        cars = {number: ReplayedCar(*each) for number, each in self._vehicles.items()}
        return ReplayApp(self._chunks, cars, address, faults)
