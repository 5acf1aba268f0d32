"""How a manoeuvre drives: a plant, a driver, and a trace of what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vdsim_plant.assist import AssistParameters, load_assist
from vdsim_plant.ground import Ground
from vdsim_plant.observation import Observation
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    TyreParameters,
    VehicleParameters,
    load_tyre,
    load_vehicle,
)
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.plant_arguments import loaded
from vdsim_plant.study.manoeuvres.trace import Trace, trace_of

CONTROL_DT_S = 0.01

# What a driver does next, from what he sees: (wheel angle [rad], force intent [N]); None: done.
Driver = Callable[[Observation], "tuple[float, float] | None"]


@dataclass(frozen=True)
class CarUnderTest:
    """A car on its tyre on a road of uniform friction, ready to be driven."""

    vehicle: VehicleParameters
    tyre: TyreParameters
    mu: float
    assist: AssistParameters | None = None

    @property
    def weight_n(self) -> float:
        """Weight of the car."""
        return self.vehicle.body.mass_kg * GRAVITY_MPS2

    def drive(self, speed_mps: float, driver: Driver, *, longest_s: float) -> Trace:
        """Start in the origin along +x at a speed; drive until the driver is done."""
        plant = VDSimPlant(
            self.vehicle,
            ground=Ground(base_mu=self.mu),
            tyre=self.tyre,
            control_dt=CONTROL_DT_S,
            assist=self.assist,
        )
        observation = plant.reset([0.0, 0.0, 0.0, speed_mps, 0.0, 0.0])
        observations, commands = [observation], [(0.0, 0.0)]
        while observation["t"] < longest_s:
            command = driver(observation)
            if command is None:
                break
            observation = plant.step(command)
            observations.append(observation)
            commands.append(command)
        return trace_of(observations, commands)


class Ready(Exception):  # noqa: N818 (nothing is wrong then)
    """A manoeuvre has taken its arguments and would now drive."""


class CarAtTheStart(CarUnderTest):
    """A car that is put to where a manoeuvre starts and raises `Ready` there, to check arguments.

    It is given to a manoeuvre in place of a vehicle.
    """

    def drive(self, speed_mps: float, driver: Driver, *, longest_s: float) -> Trace:
        """Start, and drive nowhere."""
        super().drive(speed_mps, lambda _: None, longest_s=longest_s)
        raise Ready


def car_under_test(
    vehicle: str | VehicleParameters | CarUnderTest,
    tyre: str | TyreParameters | None,
    mu: float,
    assist: str | AssistParameters | None = None,
) -> CarUnderTest:
    """Return the car that a manoeuvre's arguments mean."""
    if isinstance(vehicle, CarUnderTest):
        return vehicle
    parameters = load_vehicle(vehicle) if isinstance(vehicle, str) else vehicle
    if tyre is None:
        tyre = parameters.axles.tyre
    tyre = load_tyre(tyre) if isinstance(tyre, str) else tyre
    if assist is not None:
        assist = loaded("assist", assist, AssistParameters, load_assist)
    return CarUnderTest(parameters, tyre, mu, assist)


def checked_speed(speed_mps: float) -> float:
    """Return a speed that a manoeuvre can start at, or raise."""
    if isinstance(speed_mps, bool) or not isinstance(speed_mps, (int, float)):
        raise wrong_value("speed_mps", speed_mps, "a number")
    if not 1.0 <= speed_mps <= 100.0:
        raise wrong_value("speed_mps", speed_mps, "1 to 100 m/s")
    return float(speed_mps)


def speed_keeper(car: CarUnderTest, speed_mps: float) -> Callable[[Observation], float]:
    """Return a controller that gives the force intent [N] which keeps a speed."""
    stiffness = 4.0 * car.vehicle.body.mass_kg
    limit = 0.5 * car.weight_n

    def force(seen: Observation) -> float:
        return min(max(stiffness * (speed_mps - seen["vx"]), -limit), limit)

    return force
