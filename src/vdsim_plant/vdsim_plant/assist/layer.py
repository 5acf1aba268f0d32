"""AssistedRun: runs a car's substeps and lets the assistance change the held torques in between.

What it decides is in decision.py; its numbers stand behind those of the car, its state last.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assist import layout as of
from vdsim_plant.assist.loops import assist_car
from vdsim_plant.assist.parameters import AssistParameters
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import VehicleParameters

Buffer = NDArray[np.float64]
MEMORY = of.SIZE - of.MEMORY
TAKE, GIVE_BACK = 0, -1  # in place of a number of substeps (decision.py)


class AssistedRun:
    """In place of the loop over a car's substeps: the same call, with assistance."""

    def __init__(
        self, parameters: AssistParameters, car: Buffer, run: Callable[[int], None]
    ) -> None:
        self._car = car
        self._run = run
        self._decide = assist_car.on(car)
        self._part = substeps_between(parameters, car.item(at.DT))

    def reset(self) -> None:
        """Take the present yaw rate as the wanted one, and both sides as gripping alike."""
        forget(self._car, self._car.item(at.YAW_RATE))

    def __call__(self, substeps: int) -> None:
        """Run, as the loop itself does; what is held is as before afterwards."""
        if substeps == 0:
            self._run(0)
            return
        self._decide(TAKE)
        done = 0
        while done < substeps:
            part = min(self._part, substeps - done)
            self._decide(part)
            self._run(part)
            done += part
        self._decide(GIVE_BACK)


def with_assistance(
    car: Buffer, parameters: AssistParameters, vehicle: VehicleParameters
) -> Buffer:
    """Return the buffer of a car with the numbers of its assistance behind it."""
    own = np.zeros(of.SIZE)
    wheels, body, axles = vehicle.wheels, vehicle.body, vehicle.axles
    front = axles.cornering_stiffness_front_n_per_rad
    rear = axles.cornering_stiffness_rear_n_per_rad
    lead = body.cg_to_rear_axle_m * rear - body.cg_to_front_axle_m * front
    # A car that oversteers is asked for a neutral one.
    own[of.UNDERSTEER] = max(body.mass_kg * lead / (body.wheelbase_m * front * rear), 0.0)
    own[of.ABS] = parameters.abs == "on"
    own[of.TRACTION] = parameters.traction == "on"
    own[of.STABILITY] = parameters.stability == "on"
    own[of.SLIP_SHARE] = parameters.slip_share
    own[of.SLOWEST] = parameters.slowest_mps
    own[of.WHEEL_BRAKE_BELOW] = parameters.wheel_brake_below_mps
    own[of.YAW_MOMENT] = body.yaw_inertia_kgm2 * parameters.yaw_gain_per_s
    own[of.YAW_TOLERANCE] = parameters.yaw_tolerance_radps
    own[of.YAW_LAG] = parameters.yaw_lag_s
    own[of.BUILD_UP] = parameters.yaw_build_up_s
    own[of.GRIP_SHARE] = parameters.grip_share
    own[of.SLOWEST_YAW] = parameters.slowest_yaw_mps
    own[of.HALF_TRACK : of.HALF_TRACK + 2] = 0.5 * body.track_front_m, 0.5 * body.track_rear_m
    inertias = np.repeat((wheels.inertia_front_kgm2, wheels.inertia_rear_kgm2), 2)
    own[of.GAIN : of.GAIN + 4] = inertias / (wheels.radius_m * parameters.slip_time_s)
    return np.concatenate([car, own])


def substeps_between(parameters: AssistParameters, substep_s: float) -> int:
    """Return how many substeps are from one decision to the next."""
    return max(1, round(parameters.period_s / substep_s))


def forget(cars: Buffer, yaw_rate: float | Buffer) -> None:
    """Reset the memory of a car, or of cars in columns, which turn at these rates [rad/s]."""
    cars[of.LET_THROUGH - of.SIZE] = 0.0
    cars[of.WANTED - of.SIZE] = yaw_rate
