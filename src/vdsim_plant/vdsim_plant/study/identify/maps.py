"""Autoware's accel_map, brake_map and steer_map of a car; pure.

The first row holds speeds [m/s], the first column commands, the cells what the command gives there:
an acceleration along a level road [m/s2], or a rate of the road wheel angle [rad/s]. The commands
of the steer map are the angle that is asked for less the present one [rad].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.vehicle import Vehicle

SPEEDS_MPS = tuple(round(k * 5.0 / 3.6, 2) for k in range(12))  # as in Autoware's own maps
THROTTLES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
BRAKES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
STEER_ERRORS_RAD = (-0.3, -0.1, -0.03, -0.01, 0.0, 0.01, 0.03, 0.1, 0.3)
SETTLE_S = 0.4
MEAN_S = 0.1
SLOWEST_MPS = 2.0
"""Below, a braking car would stand before it has settled: the map goes on as it is there."""


def accel_map(vehicle: VehicleParameters, tyre: TyreParameters, mu: float) -> str:
    """Return the map of the throttle as CSV."""
    car = Vehicle(vehicle, tyre, Ground(base_mu=mu))
    return _table(THROTTLES, SPEEDS_MPS, lambda pedal, speed: _acceleration(car, speed, pedal, 0.0))


def brake_map(vehicle: VehicleParameters, tyre: TyreParameters, mu: float) -> str:
    """Return the map of the brake as CSV."""
    car = Vehicle(vehicle, tyre, Ground(base_mu=mu))
    return _table(BRAKES, SPEEDS_MPS, lambda pedal, speed: _acceleration(car, speed, 0.0, pedal))


def steer_map(actuators: ActuatorParameters) -> str:
    """Return the map of the steering as CSV: a first-order lag, the same at every speed."""
    lag = max(actuators.steering.lag_s, 1e-3)
    limit = actuators.steering.rate_limit_per_s or np.inf
    return _table(
        STEER_ERRORS_RAD,
        SPEEDS_MPS,
        lambda error, _: float(np.clip(error / lag, -limit, limit)),
    )


def _acceleration(car: Vehicle, speed: float, throttle: float, brake: float) -> float:
    """Hold the pedals, and return the mean acceleration about the moment of this speed."""
    asked = max(speed, SLOWEST_MPS)
    held = PedalInput(steer_rad=0.0, throttle=throttle, brake=brake, gear=1)
    # Start so that the car has this speed when it has settled.
    first = asked
    found = 0.0
    for _ in range(3):
        car.reset(InitialState(vx_mps=min(max(first, 0.5), 140.0)))
        car.step_pedals(held, SETTLE_S)
        before = car.motion().vx_mps
        car.step_pedals(held, MEAN_S)
        after = car.motion().vx_mps
        found = (after - before) / MEAN_S
        first += asked - 0.5 * (before + after)
    return found


def _table(
    commands: Sequence[float], speeds: Sequence[float], value: Callable[[float, float], float]
) -> str:
    lines = [",".join(["default", *(f"{speed:g}" for speed in speeds)])]
    for command in commands:
        cells = [f"{value(command, speed):.4f}" for speed in speeds]
        lines.append(",".join([f"{command:g}", *cells]))
    return "\n".join(lines) + "\n"
