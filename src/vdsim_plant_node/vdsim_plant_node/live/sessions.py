"""Builds what the settings ask for: the car, its road, its session, its vehicle."""

from __future__ import annotations

from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.ground import Ground, flat, load_ground
from vdsim_plant.layer_files import IDEAL, load_actuator, load_sensor
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.sensor import SensorLayer
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

from vdsim_plant_node.live.wire_vehicle import WireVehicle
from vdsim_plant_node.settings.server_settings import ServerSettings, StartState, VehicleSettings


def build_wire_vehicles(settings: ServerSettings) -> tuple[WireVehicle, ...]:
    """Every vehicle of a server."""
    return tuple(
        build_wire_vehicle(vehicle, tick_s=settings.tick_s, substep_s=settings.substep_s)
        for vehicle in settings.vehicles
    )


def build_wire_vehicle(
    settings: VehicleSettings, *, tick_s: float, substep_s: float
) -> WireVehicle:
    """The vehicle as the wire sees it."""
    session = build_session(settings, substep_s=substep_s)
    # Load the core, or compile it on the first run, before time begins to count; the session is
    # then exactly as it was.
    start = session.snapshot()
    session.tick(substep_s)
    session.restore(start)
    return WireVehicle(settings, session, tick_s)


def build_session(
    settings: VehicleSettings, *, substep_s: float, road: Ground | None = None
) -> SimSession:
    """The session of a vehicle, on its own ground or on `road`."""
    parameters = load_vehicle(settings.vehicle)
    tyre = load_tyre(parameters.axles.tyre if settings.tyre == "vehicle" else settings.tyre)
    vehicle = Vehicle(
        parameters,
        tyre,
        road_of(settings) if road is None else road,
        level=settings.level,
        substep_s=substep_s,
        allow_coarse_substep=True,  # whoever asks has checked it, under the option's own name
    )
    return SimSession(
        vehicle,
        initial=initial_state(settings.start),
        actuator=_actuator(settings),
        sensor=_sensor(settings),
        charge=settings.charge,
    )


def _actuator(settings: VehicleSettings) -> ActuatorLayer | None:
    if settings.actuator == IDEAL:
        return None
    return ActuatorLayer(load_actuator(settings.actuator))


def _sensor(settings: VehicleSettings) -> SensorLayer | None:
    if settings.sensor == IDEAL:
        return None
    return SensorLayer(load_sensor(settings.sensor), seed=settings.seed)


def road_of(settings: VehicleSettings) -> Ground:
    """The ground that the settings name, with their friction where it states none."""
    if settings.ground == "flat":
        return flat() if settings.mu is None else flat(settings.mu)
    return load_ground(settings.ground, base_mu=settings.mu)


def initial_state(start: StartState) -> InitialState:
    """The start in the plant's words."""
    return InitialState(
        x_m=start.x_m,
        y_m=start.y_m,
        yaw_rad=start.yaw_rad,
        vx_mps=start.vx_mps,
        vy_mps=start.vy_mps,
        yaw_rate_radps=start.yaw_rate_radps,
    )
