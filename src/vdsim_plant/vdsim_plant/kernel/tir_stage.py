"""Slip and contact force of the wheels with a tyre from a property file, wheel after wheel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import (
    kept_stretch,
    slip_length,
    speed_share,
    spin_terms,
    transient_slip,
)
from vdsim_plant.tyres import tir_forces as formula

Buffer = NDArray[np.float64]

tir_forces = compiled_form(formula.tir_forces)

PROBE = 1e-6  # of slip: the slope of the force is a difference over it


@inlined
def tir_wheel_forces(car: Buffer, coefficients: Buffer) -> None:
    """Do as `mf96_forces` with the other force law; its offsets fade out at standstill."""
    for i in range(4):
        c = car[at.COS + i]
        s = car[at.SIN + i]
        at_x = car[at.VX] - car[at.YAW_RATE] * car[at.ARM_Y + i]
        at_y = car[at.VY] + car[at.YAW_RATE] * car[at.ARM_X + i]
        load = car[at.FZ + i]
        mu = car[at.MU + i]
        along = at_x * c + at_y * s
        slip_x, slip_y, new_x, new_y, slip_per_rim, stick = transient_slip(
            along,
            at_y * c - at_x * s,
            car[at.RADIUS] * car[at.SPIN + i],
            car[at.STRETCH_X + i],
            car[at.STRETCH_Y + i],
            car[at.STIFFNESS_BASE] + mu * car[at.INVERSE_MU_NOMINAL],
            car[at.INVERSE_STICK_SPEED_SQUARED],
            car[at.SLIP_FLOOR],
            car[at.STICK_LENGTH],
            car[at.LENGTH_X],
            car[at.LENGTH_Y],
            car[at.STICK_DAMPING],
        )
        alpha = -math.atan(slip_y)
        side = car[at.SIDE + i]
        shift = 1.0 - stick
        fx, fy = tir_forces(slip_x, alpha, load, mu, side, shift, coefficients)
        beyond, _ = tir_forces(slip_x + PROBE, alpha, load, mu, side, shift, coefficients)
        slope = min(max((beyond - fx) / PROBE, 0.0), car[at.STIFFNESS_PER_LOAD] * load)
        _, inverse_rho = slip_length(
            slip_x * car[at.INVERSE_KAPPA_PEAK + i], slip_y * car[at.INVERSE_ALPHA_PEAK + i]
        )
        kept = kept_stretch(inverse_rho, stick)
        car[at.STRETCH_X + i] = new_x * kept
        car[at.STRETCH_Y + i] = new_y * kept
        car[at.SLIP_X + i] = slip_x
        car[at.SLIP_Y + i] = slip_y
        car[at.FX + i] = fx
        car[at.FY + i] = fy
        body_fx = fx * c - fy * s
        body_fy = fx * s + fy * c
        car[at.BODY_FX + i] = body_fx
        car[at.BODY_FY + i] = body_fy
        car[at.MOMENT + i] = car[at.ARM_X + i] * body_fy - car[at.ARM_Y + i] * body_fx
        car[at.SPIN_TOP + i], car[at.SPIN_BOTTOM + i] = spin_terms(
            car[at.SPIN + i],
            car[at.DRIVE + i],
            fx,
            slope * slip_per_rim * car[at.RADIUS],
            1.0,
            car[at.RADIUS],
            car[at.INVERSE_RADIUS],
            car[at.INERTIA + i],
            car[at.INVERSE_INERTIA + i],
            (car[at.AX] + car[at.YAW_RATE] * car[at.VY]) * speed_share(new_x, along),
            car[at.DT],
        )
        resistance = car[at.ROLLING_RESISTANCE] * car[at.RADIUS] * load
        car[at.SPIN_HOLD + i] = car[at.BRAKE + i] + resistance
