"""One car: the loops over substeps. Called through loops.py.

All change `car` in place, with inputs held, and write its observation; 0 substeps only observe.
The inner loops call nothing, which lets the compiler keep in registers what is constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.inlining import inlined, whole
from vdsim_plant.kernel.kinematic import roll_along
from vdsim_plant.kernel.stages import (
    add_motor_torque,
    may_have_changed,
    mf96_forces,
    move_body,
    new_spins,
    observe,
    painted_friction,
    stripe_friction,
    take_inputs,
    wheel_loads,
)
from vdsim_plant.kernel.tir_stage import tir_wheel_forces

Buffer = NDArray[np.float64]


@whole
def advance(car: Buffer, ground: Buffer, substeps: int) -> None:
    """Advance a car with the MF96 tyre on a road that is uniform or has stripes across x."""
    take_inputs(car)
    done = 0
    while done < substeps:
        stripe_friction(car, ground)
        while True:
            _mf96_substep(car)
            done += 1
            if done >= substeps or may_have_changed(car):
                break
    observe(car)


@whole
def advance_painted(car: Buffer, ground: Buffer, substeps: int) -> None:
    """Advance a car with the MF96 tyre on any road."""
    take_inputs(car)
    for _ in range(substeps):
        painted_friction(car, ground)
        _mf96_substep(car)
    observe(car)


@inlined
def _mf96_substep(car: Buffer) -> None:
    if car[at.THROTTLE] != 0.0:
        add_motor_torque(car)
    wheel_loads(car)
    mf96_forces(car)
    new_spins(car)
    move_body(car)


@whole
def advance_tir(car: Buffer, ground: Buffer, coefficients: Buffer, substeps: int) -> None:
    """Advance a car with a tyre from a property file."""
    take_inputs(car)
    for _ in range(substeps):
        painted_friction(car, ground)
        if car[at.THROTTLE] != 0.0:
            add_motor_torque(car)
        wheel_loads(car)
        tir_wheel_forces(car, coefficients)
        new_spins(car)
        move_body(car)
    observe(car)


@whole
def advance_kinematic(car: Buffer, ground: Buffer, substeps: int) -> None:
    """Advance a car whose wheels do not slip."""
    take_inputs(car)
    for _ in range(substeps):
        painted_friction(car, ground)
        if car[at.THROTTLE] != 0.0:
            add_motor_torque(car)
        wheel_loads(car)
        roll_along(car)
    observe(car)
