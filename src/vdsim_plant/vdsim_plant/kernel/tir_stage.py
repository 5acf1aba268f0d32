"""Slip and contact force of the wheels with a tyre from a property file, wheel after wheel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import kept_stretch, slip_length, spin_terms, transient_slip
from vdsim_plant.tyres import tir_forces as formula

Buffer = NDArray[np.float64]

tir_forces = compiled_form(formula.tir_forces)

# The file's offsets give a force without slip. The implicit spin update needs a stiffness that is
# not below the true one: the secant, raised by this share of the grip, and no more than at rest.
OFFSET_SHARE = 0.05


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
        slip_x, slip_y, new_x, new_y, slip_per_rim, stick = transient_slip(
            at_x * c + at_y * s,
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
        fx, fy = tir_forces(slip_x, alpha, load, mu, car[at.SIDE + i], 1.0 - stick, coefficients)
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
        secant = (abs(fx) + OFFSET_SHARE * mu * load) / max(abs(slip_x), 1e-9)
        stiffness = min(secant, car[at.STIFFNESS_PER_LOAD] * load)
        car[at.SPIN_TOP + i], car[at.SPIN_BOTTOM + i] = spin_terms(
            car[at.SPIN + i],
            car[at.DRIVE + i],
            fx,
            stiffness * slip_per_rim * car[at.RADIUS],
            car[at.RADIUS],
            car[at.INERTIA + i],
            car[at.AX],
            car[at.DT],
        )
