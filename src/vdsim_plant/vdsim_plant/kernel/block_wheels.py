"""The wheels of the cars of a block: slip, contact force and new spin, in short loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.contact import put_contact_force
from vdsim_plant.kernel.equations import (
    braked_spin,
    free_spin,
    joined_spin,
    kept_stretch,
    patch_lag,
    patch_speed,
    slip_length,
    speed_share,
    transient_slip,
)
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.mf96 import lateral_reach, mf96_angles, mf96_force, tyre_grip

Buffer = NDArray[np.float64]


@inlined
def patch_lags(block: Buffer) -> None:
    """Speed of the contact patches, and how their slip follows it."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            along, across = patch_speed(
                block[at.VX * LANES + lane],
                block[at.VY * LANES + lane],
                block[at.YAW_RATE * LANES + lane],
                block[(at.ARM_X + i) * LANES + lane],
                block[(at.ARM_Y + i) * LANES + lane],
                block[(at.COS + i) * LANES + lane],
                block[(at.SIN + i) * LANES + lane],
            )
            block[(at.ALONG + i) * LANES + lane] = along
            block[(at.ACROSS + i) * LANES + lane] = across
            (
                block[(at.STICK + i) * LANES + lane],
                block[(at.LAG_X + i) * LANES + lane],
                block[(at.LAG_Y + i) * LANES + lane],
                block[(at.GAIN_X + i) * LANES + lane],
                block[(at.GAIN_Y + i) * LANES + lane],
            ) = patch_lag(
                along,
                across,
                block[at.INVERSE_STICK_SPEED_SQUARED * LANES + lane],
                block[at.SLIP_FLOOR * LANES + lane],
                block[(at.STANDING_LENGTH + i) * LANES + lane],
                block[at.LENGTH_X * LANES + lane],
                block[at.LENGTH_Y * LANES + lane],
            )


@inlined
def patch_slips(block: Buffer) -> None:
    """Slip of the contact patches; SLOPE takes what the slip adds to the slope of the spin."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            along = block[(at.ALONG + i) * LANES + lane]
            stick = block[(at.STICK + i) * LANES + lane]
            slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
                along,
                block[(at.ACROSS + i) * LANES + lane],
                block[at.RADIUS * LANES + lane] * block[(at.SPIN + i) * LANES + lane],
                block[(at.STRETCH_X + i) * LANES + lane],
                block[(at.STRETCH_Y + i) * LANES + lane],
                stick * block[(at.STANDING_DAMPING + i) * LANES + lane],
                block[(at.LAG_X + i) * LANES + lane],
                block[(at.LAG_Y + i) * LANES + lane],
                block[(at.GAIN_X + i) * LANES + lane],
                block[(at.GAIN_Y + i) * LANES + lane],
            )
            block[(at.SLIP_X + i) * LANES + lane] = slip_x
            block[(at.SLIP_Y + i) * LANES + lane] = slip_y
            block[(at.STRETCH_X + i) * LANES + lane] = new_x
            block[(at.STRETCH_Y + i) * LANES + lane] = new_y
            vy = block[at.VY * LANES + lane]
            rate = fma(vy, block[at.YAW_RATE * LANES + lane], block[at.AX * LANES + lane])
            balance = rate * block[at.SPIN_PER_SPEED * LANES + lane]
            block[(at.BALANCE + i) * LANES + lane] = balance * speed_share(new_x, along)
            per_slope = block[(at.SPIN_PER_SLOPE + i) * LANES + lane]
            per_x = block[(at.INVERSE_KAPPA_PEAK + i) * LANES + lane]
            block[(at.SLOPE + i) * LANES + lane] = slip_per_rim * per_slope * per_x
            x = slip_x * per_x
            y = slip_y * lateral_reach(
                block[(at.INVERSE_ALPHA_PEAK + i) * LANES + lane],
                block[(at.FZ + i) * LANES + lane],
                block[(at.STIFFNESS_LOSS + i) * LANES + lane],
            )
            rho, inverse_rho, inverse_square = slip_length(x, y)
            block[(at.RHO + i) * LANES + lane] = rho
            block[(at.INVERSE_RHO + i) * LANES + lane] = inverse_rho
            block[(at.X_SHARE + i) * LANES + lane] = x * x * inverse_square


@inlined
def curve_angles(block: Buffer) -> None:
    """What the tyre's curves are sines of."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            (
                block[(at.ANGLE_X + i) * LANES + lane],
                block[(at.ANGLE_Y + i) * LANES + lane],
                block[(at.SLOPE_UNIT + i) * LANES + lane],
            ) = mf96_angles(
                block[(at.RHO + i) * LANES + lane],
                block[(at.INVERSE_RHO + i) * LANES + lane],
                block[at.PEAK_X * LANES + lane],
                block[at.PEAK_Y * LANES + lane],
                block[at.INVERSE_PEAK_X * LANES + lane],
                block[at.INVERSE_PEAK_Y * LANES + lane],
                block[at.SHAPE_X * LANES + lane],
                block[at.SHAPE_Y * LANES + lane],
                block[at.CURVATURE_X * LANES + lane],
                block[at.CURVATURE_Y * LANES + lane],
            )


@inlined
def contact_forces(block: Buffer) -> None:
    """Contact forces, and their slopes over the spins."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            per_x = block[(at.INVERSE_KAPPA_PEAK + i) * LANES + lane]
            per_y = lateral_reach(
                block[(at.INVERSE_ALPHA_PEAK + i) * LANES + lane],
                block[(at.FZ + i) * LANES + lane],
                block[(at.STIFFNESS_LOSS + i) * LANES + lane],
            )
            inverse_rho = block[(at.INVERSE_RHO + i) * LANES + lane]
            grip = tyre_grip(
                block[(at.MU + i) * LANES + lane],
                block[(at.FZ + i) * LANES + lane],
                block[at.GRIP_BASE * LANES + lane],
                block[(at.GRIP_LOSS + i) * LANES + lane],
            )
            fx, fy, slope = mf96_force(
                block[(at.SLIP_X + i) * LANES + lane] * per_x,
                block[(at.SLIP_Y + i) * LANES + lane] * per_y,
                block[(at.ANGLE_X + i) * LANES + lane],
                block[(at.ANGLE_Y + i) * LANES + lane],
                inverse_rho,
                block[(at.SLOPE_UNIT + i) * LANES + lane],
                block[(at.X_SHARE + i) * LANES + lane],
                grip,
                block[at.SLOPE_PEAK * LANES + lane],
            )
            kept = kept_stretch(inverse_rho, block[(at.STICK + i) * LANES + lane])
            block[(at.STRETCH_X + i) * LANES + lane] *= kept
            block[(at.STRETCH_Y + i) * LANES + lane] *= kept
            block[(at.SLOPE + i) * LANES + lane] *= slope
            put_contact_force(block, i, lane, LANES, fx, fy)


@inlined
def free_spins(block: Buffer) -> None:
    """New spins but for brakes and locked differentials."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            radius = block[at.RADIUS * LANES + lane]
            drive = block[(at.DRIVE + i) * LANES + lane]
            (
                block[(at.FREE_SPIN + i) * LANES + lane],
                block[(at.SPIN_GAIN + i) * LANES + lane],
            ) = free_spin(
                block[(at.SPIN + i) * LANES + lane],
                fma(-radius, block[(at.FX + i) * LANES + lane], drive),
                block[(at.SLOPE + i) * LANES + lane],
                block[(at.SLOPE_UNIT + i) * LANES + lane],
                block[(at.SPIN_PER_TORQUE + i) * LANES + lane],
                block[(at.BALANCE + i) * LANES + lane],
            )
            resistance = block[at.ROLLING_RESISTANCE * LANES + lane] * radius
            block[(at.SPIN_HOLD + i) * LANES + lane] = fma(
                resistance,
                block[(at.FZ + i) * LANES + lane],
                block[(at.BRAKE + i) * LANES + lane],
            )


@inlined
def any_locked(block: Buffer) -> bool:
    """Return whether a car of the block has a locked differential."""
    locks = 0.0
    for lane in range(2 * LANES):
        locks += block[at.LOCK_FRONT * LANES + lane]
    return locks > 0.0


@inlined
def lock_axles(block: Buffer) -> None:
    """Make one wheel of both where a differential is locked (new_spins in stages.py)."""
    wide_vectors()
    for axle in range(2):
        left = 2 * axle * LANES
        right = left + LANES
        for lane in range(LANES):
            if block[(at.LOCK_FRONT + axle) * LANES + lane] > 0.0:
                spin, gain = joined_spin(
                    block[at.FREE_SPIN * LANES + left + lane],
                    block[at.FREE_SPIN * LANES + right + lane],
                    block[at.SPIN_GAIN * LANES + left + lane],
                    block[at.SPIN_GAIN * LANES + right + lane],
                )
                of_left = block[at.SPIN_HOLD * LANES + left + lane]
                hold = of_left + block[at.SPIN_HOLD * LANES + right + lane]
                for side in (left, right):
                    block[at.FREE_SPIN * LANES + side + lane] = spin
                    block[at.SPIN_GAIN * LANES + side + lane] = gain
                    block[at.SPIN_HOLD * LANES + side + lane] = hold


@inlined
def new_spins(block: Buffer) -> None:
    """New spins: the free ones as far as brakes and rolling resistance let them be."""
    wide_vectors()
    for i in range(4):
        for lane in range(LANES):
            block[(at.SPIN + i) * LANES + lane] = braked_spin(
                block[(at.FREE_SPIN + i) * LANES + lane],
                block[(at.SPIN_GAIN + i) * LANES + lane],
                block[(at.SPIN_HOLD + i) * LANES + lane],
                block[at.SPIN_MAX * LANES + lane],
            )
