"""Builds what the settings ask for: the car, its road, its session, its vehicle."""

from __future__ import annotations

from pathlib import Path

from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.assist.loops import assist_car
from vdsim_plant.assist.parameters import NONE, load_assist
from vdsim_plant.car.loop_choice import loops_for
from vdsim_plant.compiled.linking import Loop
from vdsim_plant.fmu_import.foreign_vehicle import ForeignVehicle
from vdsim_plant.fmu_import.names import read_names
from vdsim_plant.ground import Ground
from vdsim_plant.layer_files import IDEAL, load_actuator, load_sensor
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import TyreParameters, load_tyre, load_vehicle
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.sensor import SensorLayer
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

from vdsim_plant_node.live.state_block import StateBlock
from vdsim_plant_node.live.wire_vehicle import PreparedCar, WireVehicle
from vdsim_plant_node.settings.road import make_road
from vdsim_plant_node.settings.server_settings import ServerSettings, StartState, VehicleSettings

NO_FMU = "none"


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
    return WireVehicle(settings, _ready_session(settings, substep_s), tick_s)


def loops_of(settings: VehicleSettings) -> tuple[Loop, ...]:
    """What the numeric core of the car runs on, found without loading it."""
    loops = loops_for(settings.level, _tyre(settings), road_of(settings))
    return loops if settings.assist == NONE else (*loops, assist_car)


def prepare_car(settings: VehicleSettings, *, substep_s: float) -> PreparedCar:
    """A car to restart a vehicle with."""
    session = _ready_session(settings, substep_s)
    return PreparedCar(settings, session, StateBlock(session.vehicle, settings.origin))


def _ready_session(settings: VehicleSettings, substep_s: float) -> SimSession:
    """The session, with its core loaded, or compiled on the first run, before its time begins."""
    if settings.fmu != NO_FMU:
        return _session_of(settings, _imported(settings, substep_s))
    session = build_session(settings, substep_s=substep_s)
    start = session.snapshot()
    session.tick(substep_s)
    session.restore(start)  # exactly as it was
    return session


def build_session(
    settings: VehicleSettings, *, substep_s: float, road: Ground | None = None
) -> SimSession:
    """The session of a built-in car, on its own ground or on `road`.

    A recording or a scenario may come from anywhere, an FMU is a program: it is never loaded here.
    """
    if settings.fmu != NO_FMU:
        raise wrong_value("fmu", settings.fmu, "none: only a server drives an imported car")
    vehicle = Vehicle(
        load_vehicle(settings.vehicle),
        _tyre(settings),
        road_of(settings) if road is None else road,
        level=settings.level,
        substep_s=substep_s,
        assist=load_assist(settings.assist),
        allow_coarse_substep=True,  # whoever asks has checked it, under the option's own name
    )
    return _session_of(settings, vehicle)


def _imported(settings: VehicleSettings, substep_s: float) -> Vehicle:
    names = {} if settings.fmu_names == NO_FMU else read_names(Path(settings.fmu_names))
    return ForeignVehicle(
        Path(settings.fmu),
        names,
        load_vehicle(settings.vehicle),
        road_of(settings),
        substep_s=substep_s,
    )


def _session_of(settings: VehicleSettings, vehicle: Vehicle) -> SimSession:
    return SimSession(
        vehicle,
        initial=initial_state(settings.start),
        actuators=_actuator(settings),
        sensors=_sensor(settings),
        charge=settings.charge,
    )


def _tyre(settings: VehicleSettings) -> TyreParameters:
    parameters = load_vehicle(settings.vehicle)
    return load_tyre(parameters.axles.tyre if settings.tyre == "vehicle" else settings.tyre)


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
    return make_road(settings.ground, settings.mu)


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
