"""The seam between the data port and the server. Shell: both threads meet here.

What the server's thread swaps whole (the last tick of a session, who drives) is read from the data
port's thread at no cost to the server. What it changes in place (link statistics, counters,
inputs) is read or written on the server's thread, by `PlantServer.call`, in portions so small that
no tick notices.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.session import AT_REST

from vdsim_plant_node.dataport import json_views
from vdsim_plant_node.dataport.joy import STOP_HELD, JoyOutput
from vdsim_plant_node.dataport.metrics import PortActivity, Readings
from vdsim_plant_node.dataport.schema import IoRequest, ResetRequest
from vdsim_plant_node.interface.state import InterfaceOutput
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.snapshots import PortSnapshot, VehicleSnapshot
from vdsim_plant_node.live.wire_vehicle import WireVehicle, WireVehicleStatus
from vdsim_plant_node.runs.recording import InputSource

Result = TypeVar("Result")
ANSWER_TIMEOUT_S = 2.0
_VEHICLES_PER_CALL = 16
_NEIGHBOURS_SHOWN = 64


class NotAnsweringError(Exception):
    """The server's thread does not answer."""


class DrivenError(Exception):
    """CMD packets drive a vehicle; nothing else may move or stop it."""


@dataclass(frozen=True)
class IoOutcome:
    """What became of a command; a reason when it was not taken."""

    applied: bool
    reason: str = ""


class ServerAccess:
    """One server, as the data port sees it. The coroutines belong to the data port's loop."""

    def __init__(
        self,
        server: PlantServer,
        *,
        can_pause: bool,
        interface: InterfaceOutput | None = None,
    ) -> None:
        self.server = server
        self.interface = interface
        self.can_pause = can_pause
        self.vehicles: dict[int, WireVehicle] = {
            vehicle.vehicle_id: vehicle for vehicle in server.vehicles
        }
        self._last_io_s: dict[int, float] = {}

    # --- read from the data port's thread

    def vehicle(self, vehicle_id: int | None) -> WireVehicle | None:
        """A vehicle, the first when none is named; None when it is not there."""
        return self.server.vehicles[0] if vehicle_id is None else self.vehicles.get(vehicle_id)

    def snapshot(self, vehicle: WireVehicle) -> json_views.Json:
        """Everything about a vehicle that changes with each tick."""
        now = self.server.now()
        last_s = self._last_io_s.get(vehicle.vehicle_id)
        driver = json_views.driver_of(vehicle.drive, vehicle.commanded_by(now))
        return {
            "vehicle": vehicle.vehicle_id,
            "restarts": vehicle.restarts,
            "running": not self.server.paused,
            **json_views.snapshot_view(vehicle.output, vehicle.settings.origin),
            "driver": driver.value,
            "lost": vehicle.lost,
            "io_age": None if last_s is None else now - last_s,
        }

    def neighbours(self, vehicle: WireVehicle) -> json_views.Json:
        """Where the other vehicles are, up to a number that can be drawn."""
        others = [other for other in self.server.vehicles if other is not vehicle][
            :_NEIGHBOURS_SHOWN
        ]
        return {
            str(each.vehicle_id): json_views.neighbour_view(
                each.session.frame(), each.settings.origin
            )
            for each in others
        }

    def fleet(self) -> list[json_views.Json]:
        """Where all vehicles are and who drives them, up to a number that can be shown."""
        now = self.server.now()
        return [
            json_views.fleet_view(
                each.vehicle_id,
                json_views.driver_of(each.drive, each.commanded_by(now)),
                lost=each.lost,
                frame=each.session.frame(),
                origin=each.settings.origin,
            )
            for each in self.server.vehicles[:_NEIGHBOURS_SHOWN]
        ]

    def descriptions(self) -> list[json_views.Json]:
        """What the vehicles are and where they are driven from; it changes with a restart."""
        ports = {
            vehicle.vehicle_id: port.address
            for port in self.server.ports
            for vehicle in port.vehicles
        }
        return [
            {
                "vehicle": vehicle.vehicle_id,
                "name": vehicle.session.name,
                "level": vehicle.settings.level,
                "cmd": {"ip": ports[vehicle.vehicle_id][0], "port": ports[vehicle.vehicle_id][1]},
                "cmd_timeout": vehicle.settings.failsafe.timeout_s,
                "failsafe_policy": vehicle.settings.failsafe.describe(),
                "shape": json_views.shape_view(vehicle.session.vehicle.parameters),
            }
            for vehicle in self.server.vehicles
        ]

    # --- through the server's thread

    async def ask(self, action: Callable[[PlantServer], Result]) -> Result:
        """Run something on the server's thread before its next tick."""
        answer = asyncio.wrap_future(self.server.call(action))
        done, _ = await asyncio.wait((answer,), timeout=ANSWER_TIMEOUT_S)
        if not done:
            answer.cancel()  # what was answered "no" must not happen later
            raise NotAnsweringError(f"the plant did not answer within {ANSWER_TIMEOUT_S:g} s")
        return answer.result()

    async def command(
        self, vehicle_id: int, request: IoRequest, *, timeout_s: float = 0.0
    ) -> IoOutcome:
        """Drive a vehicle; CMD packets have priority while they are fresh.

        `timeout_s`: how long it holds, where that is more than the vehicle's own time-out.
        """
        return await self.ask(lambda server: self._latch(vehicle_id, request, timeout_s))

    async def reset(self, request: ResetRequest) -> None:
        """Put vehicles to a state."""

        def reset(server: PlantServer) -> None:
            some = server.vehicles if request.vehicle is None else [server.vehicle(request.vehicle)]
            self._refuse_while_driven(server, some)
            server.reset(request.vehicle, request.initial)

        await self.ask(reset)

    async def pause(self, paused: bool) -> None:
        """Stop or resume time."""
        if not self.can_pause:
            raise ParameterError("paused", "cannot be set in lockstep: time passes only in ~/step")

        def pause(server: PlantServer) -> None:
            if paused:
                self._refuse_while_driven(server, server.vehicles)
            server.pause(paused)

        await self.ask(pause)

    def _refuse_while_driven(self, server: PlantServer, vehicles: Sequence[WireVehicle]) -> None:
        """Raise when CMD packets drive a vehicle, unless a vehicle interface is known to send them.

        The plant's node does the same by service for whoever reaches it.
        """
        interface = self.interface
        unknown = [
            each
            for each in vehicles
            if interface is None or not interface.is_heard(each.vehicle_id)
        ]
        refuse_while_driven(server, unknown)

    async def stop(self, vehicle: WireVehicle, joy: JoyOutput | None) -> IoOutcome:
        """An emergency stop, from whoever sees the page, whoever drives."""
        number = vehicle.vehicle_id
        asked = IoOutcome(True, "the vehicle interface is asked to stop")
        if self.interface is not None and self.interface.stop(number):
            return asked
        if joy is not None and joy.is_subscribed(number):
            joy.publish(number, STOP_HELD)
            return asked
        return await self.ask(lambda server: _let_go(server, number))

    async def link(self, vehicle: WireVehicle) -> json_views.Json:
        """How the commands of a vehicle arrive, its port and the server's pacing."""
        return await self.ask(lambda server: _link_report(server, vehicle))

    async def statuses(self) -> list[json_views.Json]:
        """Who drives each vehicle and how its commands arrive."""
        return [
            json_views.status_view(vehicle.status) for vehicle in await self._vehicle_snapshots()
        ]

    async def readings(self, activity: PortActivity) -> Readings:
        """Everything for the metrics."""
        vehicles = await self._vehicle_snapshots()
        ports = await self.ask(lambda server: tuple(_ports(server)))
        pacing = await self.ask(lambda server: server.pacing())
        server = self.server
        return Readings(
            time_s=server.now(),
            paused=server.paused,
            pacing=pacing,
            vehicles=vehicles,
            ports=ports,
            activity=activity,
        )

    async def _vehicle_snapshots(self) -> list[VehicleSnapshot]:
        found: list[VehicleSnapshot] = []
        vehicles = self.server.vehicles
        for first in range(0, len(vehicles), _VEHICLES_PER_CALL):
            some = vehicles[first : first + _VEHICLES_PER_CALL]
            statuses = await self.ask(partial(_statuses, vehicles=some))
            found += [
                VehicleSnapshot(vehicle.output, status)
                for vehicle, status in zip(some, statuses, strict=True)
            ]
        return found

    def _latch(self, vehicle_id: int, request: IoRequest, timeout_s: float) -> IoOutcome:
        """On the server's thread: take a command, unless CMD packets drive."""
        server = self.server
        now = server.now()
        vehicle = server.vehicle(vehicle_id)
        source = vehicle.commanded_by(now)
        if source is InputSource.COMMAND:
            reason = (
                f"CMD packets drive vehicle {vehicle_id}; they have priority while they are fresh"
            )
            return IoOutcome(False, reason)
        # What is latched, and not what was last asked for here: ~/step drives in the same way.
        base = vehicle.latched if source is InputSource.LOCAL else AT_REST
        server.drive(vehicle_id, request.over(base), timeout_s=timeout_s)
        self._last_io_s[vehicle_id] = now
        return IoOutcome(True)


BY_SERVICE = "the ROS node's services ~/reset and ~/pause do it all the same"


def refuse_while_driven(
    server: PlantServer, vehicles: Sequence[WireVehicle], way_out: str = BY_SERVICE
) -> None:
    """On the server's thread: raise when CMD packets drive one of the vehicles."""
    now = server.now()
    for vehicle in vehicles:
        if vehicle.commanded_by(now) is InputSource.COMMAND:
            raise DrivenError(
                f"CMD packets drive vehicle {vehicle.vehicle_id}; they have priority while they "
                f"are fresh ({way_out})"
            )


def _let_go(server: PlantServer, number: int) -> IoOutcome:
    """On the server's thread: no interface is there; the stop of the plant is its fail-safe."""
    if server.vehicle(number).commanded_by(server.now()) is InputSource.COMMAND:
        reason = (
            f"CMD packets drive vehicle {number}, and no vehicle interface is heard: stop their "
            "sender"
        )
        return IoOutcome(False, reason)
    server.release(number, on_purpose=True)
    return IoOutcome(True, "the fail-safe brakes")


def _statuses(server: PlantServer, vehicles: Sequence[WireVehicle]) -> list[WireVehicleStatus]:
    now = server.now()
    return [vehicle.status(now) for vehicle in vehicles]


def _ports(server: PlantServer) -> list[PortSnapshot]:
    return [port.snapshot() for port in server.ports]


def _link_report(server: PlantServer, vehicle: WireVehicle) -> json_views.Json:
    port = next(port for port in server.ports if vehicle in port.vehicles).snapshot()
    return {
        **json_views.status_view(vehicle.status(server.now())),
        "paused": server.paused,
        "restarts": server.restarts,
        "port": json_views.port_view(port),
        **json_views.senders_view(port, vehicle.vehicle_id),
        "pacing": json_views.pacing_view(server.pacing()),
        "recording": json_views.recording_view(server.recording_status()),
    }
