"""Slip and contact force of the wheels with a tyre from a property file, in four lanes.

`tyre`: where the constants begin (tir_layout.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.contact import put_contact_force
from vdsim_plant.kernel.equations import (
    free_spin,
    kept_stretch,
    patch_lag,
    patch_speed,
    slip_length,
    speed_share,
    transient_slip,
)
from vdsim_plant.parameters.tir import index as tir_index
from vdsim_plant.tyres.tir_combined import tir_force
from vdsim_plant.tyres.tir_law import load_change
from vdsim_plant.tyres.tir_peaks import STEPS, nearer_peak, peak_bends, shown_peaks

Buffer = NDArray[np.float64]


@inlined
def tir_wheel_forces(car: Buffer, tyre: int) -> None:
    """Do as `mf96_forces` with the other force law; its offsets fade out at standstill."""
    vx = car[at.VX]
    vy = car[at.VY]
    yaw_rate = car[at.YAW_RATE]
    radius = car[at.RADIUS]
    stick_speed = car[at.INVERSE_STICK_SPEED_SQUARED]
    slip_floor = car[at.SLIP_FLOOR]
    length_x = car[at.LENGTH_X]
    length_y = car[at.LENGTH_Y]
    rolling_resistance = car[at.ROLLING_RESISTANCE]
    balance = fma(vy, yaw_rate, car[at.AX]) * car[at.SPIN_PER_SPEED]
    for i in range(4):
        along, across = patch_speed(
            vx,
            vy,
            yaw_rate,
            car[at.ARM_X + i],
            car[at.ARM_Y + i],
            car[at.COS + i],
            car[at.SIN + i],
        )
        stick, lag_x, lag_y, gain_x, gain_y = patch_lag(
            along,
            across,
            stick_speed,
            slip_floor,
            car[at.STANDING_LENGTH + i],
            length_x,
            length_y,
        )
        slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
            along,
            across,
            radius * car[at.SPIN + i],
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
        fx, fy, slope = tir_force(
            slip_x, slip_y, load, mu, car[at.SIDE + i], 1.0 - stick, car, tyre + i, 4
        )
        _, inverse_rho, _ = slip_length(
            slip_x * car[at.INVERSE_KAPPA_PEAK + i], slip_y * car[at.INVERSE_ALPHA_PEAK + i]
        )
        kept = kept_stretch(inverse_rho, stick)
        car[at.STRETCH_X + i] = new_x * kept
        car[at.STRETCH_Y + i] = new_y * kept
        car[at.SLIP_X + i] = slip_x
        car[at.SLIP_Y + i] = slip_y
        put_contact_force(car, i, 0, 1, fx, fy)
        inverse_peak = car[at.INVERSE_KAPPA_PEAK + i]
        car[at.FREE_SPIN + i], car[at.SPIN_GAIN + i] = free_spin(
            car[at.SPIN + i],
            fma(-radius, fx, car[at.DRIVE + i]),
            slip_per_rim * car[at.SPIN_PER_SLOPE + i] * inverse_peak * slope,
            inverse_peak,
            car[at.SPIN_PER_TORQUE + i],
            balance * speed_share(new_x, along),
        )
        car[at.SPIN_HOLD + i] = fma(rolling_resistance * radius, load, car[at.BRAKE + i])


@inlined
def observe_tir_peaks(car: Buffer, tyre: int) -> None:
    """Write the peaks at the present load and friction over those of the nominal ones."""
    for i in range(4):
        slip_x = car[at.SLIP_X + i]
        slip_y = car[at.SLIP_Y + i]
        _, dfz = load_change(car[at.FZ + i], car, tyre + i, 4)
        bend_x, bend_y = peak_bends(dfz, slip_x, slip_y, car[at.SIDE + i], car, tyre + i, 4)
        target_x = car[tyre + i + 4 * tir_index.TARGET_X]
        target_y = car[tyre + i + 4 * tir_index.TARGET_Y]
        bx_x = target_x
        bx_y = target_y
        missing_x = 0.0
        missing_y = 0.0
        for _ in range(STEPS):
            bx_x, missing_x = nearer_peak(bx_x, target_x, bend_x)
            bx_y, missing_y = nearer_peak(bx_y, target_y, bend_y)
        wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
        peaks = wheel + at.OBSERVED_PEAKS
        car[wheel + 6], car[peaks], car[peaks + 1] = shown_peaks(
            bx_x,
            bx_y,
            missing_x,
            missing_y,
            car[at.FZ + i],
            car[at.MU + i],
            car,
            tyre + i,
            4,
        )
