"""The simulated car in this process: VDS1 packets in and out, without a socket.

Its dimensions are those of Autoware's vehicle description, the rest those of a vehicle file. The
packets are those of the UDP link, so that interface and car act as they do in two processes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import VehicleParameters, load_tyre
from vdsim_plant.parameters.files import VEHICLE_FOLDER, read_yaml, resolve
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.road import make_road
from vdsim_plant_node.settings.server_settings import VehicleSettings

from vdsim_autoware.adapter.vehicle_info import VehicleInfo, car_file
from vdsim_autoware.model.kinematic import share_of_mass
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_protocol import vds1

VERSION = vds1.VERSIONS[-1]
SUBSTEP_S = 5e-4
INTERFACE = ("127.0.0.1", 7002)
CAR = ("127.0.0.1", 7001)
"""Addresses that the two name each other by; nothing is opened."""


class Start(NamedTuple):
    """Where the rear axle starts: ENU of the map, forward speed."""

    x_m: float
    y_m: float
    z_m: float
    yaw_rad: float
    speed_mps: float = 0.0


def vehicle_parameters(name: str, info: VehicleInfo, limit_rad: float) -> VehicleParameters:
    """Return the parameters of a car with Autoware's dimensions."""
    path = resolve(name, VEHICLE_FOLDER, (".yaml",), "vehicle")
    content = read_yaml(path)
    assert isinstance(content, dict)
    made = car_file(content, info)
    made["steering"]["max_angle_rad"] = limit_rad
    return from_mapping(VehicleParameters, made, source=path.name)


class SimulatedCar:
    """One car on its road."""

    def __init__(
        self,
        parameters: SimulatorParameters,
        info: VehicleInfo,
        *,
        level: str,
        limit_rad: float,
        period_s: float,
    ) -> None:
        car = vehicle_parameters(parameters.vehicle, info, limit_rad)
        tyre = car.axles.tyre if parameters.tyre == "vehicle" else parameters.tyre
        ground = make_road(parameters.ground, parameters.friction)
        vehicle = Vehicle(car, load_tyre(tyre), ground, level=level, substep_s=SUBSTEP_S)
        self.to_axle_m = car.body.cg_to_rear_axle_m
        self.share_of_mass = share_of_mass(car)
        self.slope = (ground.slope_x, ground.slope_y)
        self.tilted = self.slope
        """The slope whose gravity pulls the car."""
        self._vehicle = vehicle
        self._wire = WireVehicle(VehicleSettings(level=level), SimSession(vehicle), period_s)
        self._receiver = vds1.Receiver(vds1.Command, versions=(VERSION,))

    def advance(self, now: float) -> bytes:
        """Drive on for a period; return the STATE at its end."""
        self._wire.tick(now)
        return self._wire.state_datagrams((VERSION,), now)[VERSION]

    def on_datagram(self, datagram: bytes, now: float) -> None:
        """Apply a CMD; anything else is discarded, as on the wire."""
        outcome = self._receiver.receive(datagram, INTERFACE, now)
        if isinstance(outcome, vds1.Accepted):
            self._wire.on_command(outcome.packet.body, VERSION, datagram, now)

    def put(self, start: Start, now: float) -> None:
        """Put the rear axle there."""
        ahead_m = self.to_axle_m
        centre = InitialState(
            x_m=start.x_m + ahead_m * math.cos(start.yaw_rad),
            y_m=start.y_m + ahead_m * math.sin(start.yaw_rad),
            yaw_rad=start.yaw_rad,
            vx_mps=start.speed_mps,
        )
        latched = replace(self._wire.latched, throttle=0.0, steer_rad=0.0)
        self._wire.reset(centre, now)
        self._wire.on_local_input(latched, now)

    def tilt(self, slope_x: float, slope_y: float) -> None:
        """Let gravity pull as on a road with this rise along +x and +y."""
        self.tilted = (slope_x, slope_y)
        self._vehicle.tilt(slope_x, slope_y)
