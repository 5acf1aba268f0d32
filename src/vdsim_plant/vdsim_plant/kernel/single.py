"""One car: the loops over substeps; with a tyre of a property file in tyres/tir_single.py. Compiled
by compilation.py, called through loops.py; arrays come as address and size.

All change `car` in place, with inputs held, and write its observation; 0 substeps only observe.
The inner loops call nothing, which lets the compiler keep in registers what is constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import bend_a_car
from vdsim_plant.kernel.kinematic import roll_along
from vdsim_plant.kernel.observing import observe
from vdsim_plant.kernel.stages import (
    add_motor_torque,
    may_have_changed,
    mf96_forces,
    move_body,
    new_spins,
    painted_friction,
    stripe_friction,
    take_inputs,
    wheel_loads,
)

Buffer = NDArray[np.float64]


def advance(car_at: Any, car_size: int, road_at: Any, road_size: int, substeps: int) -> None:
    """Advance a car with the MF96 tyre on a road that is uniform or has stripes across x."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    take_inputs(car)
    done = 0
    while done < substeps:
        stripe_friction(car, ground)
        while True:
            if car[at.THROTTLE] != 0.0:
                add_motor_torque(car)
            wheel_loads(car)
            bend_a_car(car)
            mf96_forces(car)
            new_spins(car)
            move_body(car)
            done += 1
            if done >= substeps or may_have_changed(car):
                break
    observe(car)


def advance_painted(
    car_at: Any, car_size: int, road_at: Any, road_size: int, substeps: int
) -> None:
    """Advance a car with the MF96 tyre on any road."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    take_inputs(car)
    for _ in range(substeps):
        painted_friction(car, ground)
        if car[at.THROTTLE] != 0.0:
            add_motor_torque(car)
        wheel_loads(car)
        bend_a_car(car)
        mf96_forces(car)
        new_spins(car)
        move_body(car)
    observe(car)


def advance_kinematic(
    car_at: Any, car_size: int, road_at: Any, road_size: int, substeps: int
) -> None:
    """Advance a car whose wheels do not slip."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    take_inputs(car)
    for _ in range(substeps):
        painted_friction(car, ground)
        if car[at.THROTTLE] != 0.0:
            add_motor_torque(car)
        wheel_loads(car)
        roll_along(car)
    observe(car)
