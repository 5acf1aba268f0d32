"""Slip and contact force of the wheels with a tyre from a property file, wheel after wheel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import (
    free_spin,
    kept_stretch,
    on_body,
    patch_lag,
    patch_speed,
    slip_length,
    speed_share,
    transient_slip,
)
from vdsim_plant.tyre_calibration import MOST_ALPHA_RAD, MOST_KAPPA
from vdsim_plant.tyres import tir_forces as formula

Buffer = NDArray[np.float64]

tir_forces = compiled_form(formula.tir_forces)
tir_peaks = compiled_form(formula.tir_peaks)

PROBE = 1e-6  # of slip: the slope of the force is a difference over it


@inlined
def tir_wheel_forces(car: Buffer, coefficients: Buffer) -> None:
    """Do as `mf96_forces` with the other force law; its offsets fade out at standstill."""
    for i in range(4):
        c = car[at.COS + i]
        s = car[at.SIN + i]
        along, across = patch_speed(
            car[at.VX],
            car[at.VY],
            car[at.YAW_RATE],
            car[at.ARM_X + i],
            car[at.ARM_Y + i],
            c,
            s,
        )
        stick, lag_x, lag_y, gain_x, gain_y = patch_lag(
            along,
            across,
            car[at.INVERSE_STICK_SPEED_SQUARED],
            car[at.SLIP_FLOOR],
            car[at.STANDING_LENGTH + i],
            car[at.LENGTH_X],
            car[at.LENGTH_Y],
        )
        slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
            along,
            across,
            car[at.RADIUS] * car[at.SPIN + i],
            car[at.STRETCH_X + i],
            car[at.STRETCH_Y + i],
            stick * car[at.STANDING_DAMPING + i],
            lag_x,
            lag_y,
            gain_x,
            gain_y,
        )
        load = car[at.FZ + i]
        mu = car[at.MU + i]
        alpha = -math.atan(slip_y)
        side = car[at.SIDE + i]
        shift = 1.0 - stick
        fx, fy = tir_forces(slip_x, alpha, load, mu, side, shift, coefficients)
        beyond, _ = tir_forces(slip_x + PROBE, alpha, load, mu, side, shift, coefficients)
        slope = min(max((beyond - fx) / PROBE, 0.0), car[at.STIFFNESS_PER_LOAD] * load)
        _, inverse_rho, _ = slip_length(
            slip_x * car[at.INVERSE_KAPPA_PEAK + i], slip_y * car[at.INVERSE_ALPHA_PEAK + i]
        )
        kept = kept_stretch(inverse_rho, stick)
        car[at.STRETCH_X + i] = new_x * kept
        car[at.STRETCH_Y + i] = new_y * kept
        car[at.SLIP_X + i] = slip_x
        car[at.SLIP_Y + i] = slip_y
        car[at.FX + i] = fx
        car[at.FY + i] = fy
        car[at.BODY_FX + i], car[at.BODY_FY + i], car[at.MOMENT + i] = on_body(
            fx, fy, c, s, car[at.ARM_X + i], car[at.ARM_Y + i]
        )
        rate = car[at.AX] + car[at.YAW_RATE] * car[at.VY]
        balance = rate * car[at.SPIN_PER_SPEED] * speed_share(new_x, along)
        car[at.FREE_SPIN + i], car[at.SPIN_GAIN + i] = free_spin(
            car[at.SPIN + i],
            car[at.DRIVE + i] - car[at.RADIUS] * fx,
            slope * slip_per_rim * car[at.SPIN_PER_SLOPE + i],
            1.0,
            car[at.SPIN_PER_TORQUE + i],
            balance,
        )
        resistance = car[at.ROLLING_RESISTANCE] * car[at.RADIUS] * load
        car[at.SPIN_HOLD + i] = car[at.BRAKE + i] + resistance


@inlined
def observe_tir_peaks(car: Buffer, coefficients: Buffer) -> None:
    """Write the peaks at the present load and friction over those of the nominal ones."""
    for i in range(4):
        wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
        highest, alpha_peak, kappa_peak = tir_peaks(
            car[at.FZ + i],
            car[at.MU + i],
            car[at.SLIP_X + i],
            -car[at.SLIP_Y + i],
            car[at.SIDE + i],
            coefficients,
        )
        car[wheel + 6] = highest
        car[wheel + at.OBSERVED_PEAKS] = min(alpha_peak, MOST_ALPHA_RAD)
        car[wheel + at.OBSERVED_PEAKS + 1] = min(kappa_peak, MOST_KAPPA)
