"""One car of level l3: the loops over substeps, as kernel/single.py has them for level l2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.observing import observe
from vdsim_plant.kernel.stages import (
    add_motor_torque,
    mf96_forces,
    new_spins,
    painted_friction,
    take_inputs,
)
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.bends import bend_axles
from vdsim_plant.ride.body import (
    move_car,
    observe_body,
    patches_aside,
    road_heights,
    tyre_loads,
)
from vdsim_plant.tyres.tir_stage import observe_tir_peaks, tir_wheel_forces

Buffer = NDArray[np.float64]


@inlined
def _before_forces(car: Buffer, ground: Buffer, surface: Buffer) -> float:
    """Friction, drive and loads; then VY is that of the contact patches. Return the body's."""
    painted_friction(car, ground)
    road_heights(car, surface)
    if car[at.THROTTLE] != 0.0:
        add_motor_torque(car)
    tyre_loads(car)
    if car[at.BENDS] > 0.0:
        bend_axles(car, car[l3.ROLL], 0, 1)
    vy: float = car[at.VY]
    car[at.VY] = vy + patches_aside(car)
    return vy


def advance_ride(
    car_at: Any,
    car_size: int,
    road_at: Any,
    road_size: int,
    surface_at: Any,
    surface_size: int,
    substeps: int,
) -> None:
    """Advance a car of level l3 with the MF96 tyre. A tyre sees the roll of the body."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    surface = carray(surface_at, (surface_size,))
    take_inputs(car)
    for _ in range(substeps):
        vy = _before_forces(car, ground, surface)
        mf96_forces(car)
        car[at.VY] = vy
        new_spins(car)
        move_car(car)
    observe(car)
    observe_body(car)


def advance_ride_tir(
    car_at: Any,
    car_size: int,
    road_at: Any,
    road_size: int,
    surface_at: Any,
    surface_size: int,
    substeps: int,
) -> None:
    """Advance a car of level l3 with a tyre from a property file."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    surface = carray(surface_at, (surface_size,))
    take_inputs(car)
    for _ in range(substeps):
        vy = _before_forces(car, ground, surface)
        tir_wheel_forces(car, l3.SIZE)
        car[at.VY] = vy
        new_spins(car)
        move_car(car)
    observe(car)
    observe_body(car)
    observe_tir_peaks(car, l3.SIZE)
