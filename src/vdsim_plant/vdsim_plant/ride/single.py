"""One car of level l3: the loops over substeps, as kernel/single.py has them for level l2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import bend_axles
from vdsim_plant.kernel.observing import observe
from vdsim_plant.kernel.stages import (
    add_motor_torque,
    mf96_forces,
    move_body,
    new_spins,
    painted_friction,
    take_inputs,
)
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.body import (
    corner_force,
    moved_body,
    moved_wheel,
    observe_body,
    patches_aside,
    push_of_forces,
    road_heights,
    road_push,
    tyre_load,
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
    for i in range(4):
        car[at.FZ + i] = tyre_load(car, i, 0, 1)
    if car[at.BENDS] > 0.0:
        bend_axles(car, car[l3.ROLL], 0, 1)
    vy: float = car[at.VY]
    car[at.VY] = vy + patches_aside(car, 0, 1)
    return vy


@inlined
def move_suspension(car: Buffer) -> None:
    """Advance body and wheels on their springs by one substep, contact forces held."""
    (
        car[l3.LINK],
        car[l3.LINK + 1],
        car[l3.LEANS],
        car[l3.DIVES],
        car[l3.LIFTS],
    ) = push_of_forces(car, 0, 1)
    dt = car[at.DT] * car[l3.INVERSE_PARTS]
    for _ in range(int(car[l3.PARTS])):
        for i in range(4):
            car[l3.CORNER_FORCE + i], car[l3.WHEEL_ACC + i] = corner_force(car, i, 0, 1)
        for i in range(4):
            car[l3.WHEEL_RATE + i], car[l3.WHEEL_Z + i] = moved_wheel(car, i, dt, 0, 1)
        (
            car[l3.HEAVE],
            car[l3.ROLL],
            car[l3.PITCH],
            car[l3.HEAVE_RATE],
            car[l3.ROLL_RATE],
            car[l3.PITCH_RATE],
            car[l3.ROLL_ACC],
        ) = moved_body(car, dt, 0, 1)


@inlined
def move_car(car: Buffer) -> None:
    """Move the suspension, then the car in the plane of the road, pushed by the road's rise."""
    move_suspension(car)
    x, y = road_push(car, 0, 1)
    gravity_x = car[at.GRAVITY_X]
    gravity_y = car[at.GRAVITY_Y]
    car[at.GRAVITY_X] = gravity_x + x
    car[at.GRAVITY_Y] = gravity_y + y
    move_body(car)
    car[at.GRAVITY_X] = gravity_x
    car[at.GRAVITY_Y] = gravity_y


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
    observe_body(car, 0, 1)


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
    observe_body(car, 0, 1)
    observe_tir_peaks(car, l3.SIZE)
