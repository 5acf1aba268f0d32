"""One car with a tyre of a property file: the loop over substeps, as in kernel/single.py."""

from __future__ import annotations

from typing import Any

from vdsim_plant.compiled.inlining import carray
from vdsim_plant.ground.compilation import GRID_AT, POLYGON_COUNT, SPLIT
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.bends import bend_a_car
from vdsim_plant.kernel.observing import observe
from vdsim_plant.kernel.stages import (
    add_motor_torque,
    may_have_changed,
    move_body,
    new_spins,
    painted_friction,
    stripe_friction,
    take_inputs,
    wheel_loads,
)
from vdsim_plant.tyres.tir_stage import observe_tir_peaks, tir_wheel_forces


def advance_tir(car_at: Any, car_size: int, road_at: Any, road_size: int, substeps: int) -> None:
    """Advance a car with a tyre from a property file, whose constants follow the car's numbers."""
    car = carray(car_at, (car_size,))
    ground = carray(road_at, (road_size,))
    take_inputs(car)
    painted = ground[SPLIT] + ground[GRID_AT] + ground[POLYGON_COUNT] > 0.0
    done = 0
    while done < substeps:
        if painted:
            painted_friction(car, ground)
        else:
            stripe_friction(car, ground)
        while True:
            if car[at.THROTTLE] != 0.0:
                add_motor_torque(car)
            wheel_loads(car)
            bend_a_car(car)
            tir_wheel_forces(car, at.SIZE)
            new_spins(car)
            move_body(car)
            done += 1
            if painted or done >= substeps or may_have_changed(car):
                break
    observe(car)
    observe_tir_peaks(car, at.SIZE)
