"""What the wheels do in a substep, with the changes: contact, force and spin (loop.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, whole_loops, wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.linear import layout as to
from vdsim_plant.linear.carried import (
    braked,
    carry_braked,
    carry_contact,
    carry_joined,
    carry_on_body,
    carry_wheel,
    contact,
    joined,
    on_body,
    wheel,
)

Buffer = NDArray[np.float64]
WIDTH = to.WIDTH


@inlined
def move_contacts(work: Buffer) -> None:
    """Speeds of the contact points in their wheels' frames, and their derivatives."""
    vx = work[at.VX]
    vy = work[at.VY]
    yaw_rate = work[at.YAW_RATE]
    for i in range(4):
        work[at.ALONG + i], work[at.ACROSS + i] = contact(
            vx,
            vy,
            yaw_rate,
            work[at.ARM_X + i],
            work[at.ARM_Y + i],
            work[at.COS + i],
            work[at.SIN + i],
            work,
            i,
        )


@inlined
def push_wheels(work: Buffer) -> None:
    """Contact forces, stretches, spins but for brakes, and their derivatives: wheels in lanes."""
    balance = fma(work[at.VY], work[at.YAW_RATE], work[at.AX]) * work[at.SPIN_PER_SPEED]
    radius = work[at.RADIUS]
    shape_x = work[at.SHAPE_X]
    shape_y = work[at.SHAPE_Y]
    peak_x = work[at.PEAK_X]
    peak_y = work[at.PEAK_Y]
    inverse_peak_x = work[at.INVERSE_PEAK_X]
    inverse_peak_y = work[at.INVERSE_PEAK_Y]
    slope_peak = work[at.SLOPE_PEAK]
    curvature_x = work[at.CURVATURE_X]
    curvature_y = work[at.CURVATURE_Y]
    grip_base = work[at.GRIP_BASE]
    slip_floor = work[at.SLIP_FLOOR]
    stick_length = work[at.STICK_LENGTH]
    stick_damping = work[at.STICK_DAMPING]
    stiffness_base = work[at.STIFFNESS_BASE]
    inverse_mu_nominal = work[at.INVERSE_MU_NOMINAL]
    length_x = work[at.LENGTH_X]
    length_y = work[at.LENGTH_Y]
    inverse_stick_speed_squared = work[at.INVERSE_STICK_SPEED_SQUARED]
    hold = work[at.ROLLING_RESISTANCE] * radius
    for i in range(4):
        (
            work[at.FX + i],
            work[at.FY + i],
            work[at.STRETCH_X + i],
            work[at.STRETCH_Y + i],
            work[at.FREE_SPIN + i],
            work[at.SPIN_GAIN + i],
        ) = wheel(
            work[at.ALONG + i],
            work[at.ACROSS + i],
            work[at.SPIN + i],
            work[at.STRETCH_X + i],
            work[at.STRETCH_Y + i],
            work[at.FZ + i],
            work[at.MU + i],
            work[at.DRIVE + i],
            balance,
            radius,
            work[at.INVERSE_KAPPA_PEAK + i],
            work[at.INVERSE_ALPHA_PEAK + i],
            shape_x,
            shape_y,
            peak_x,
            peak_y,
            inverse_peak_x,
            inverse_peak_y,
            slope_peak,
            curvature_x,
            curvature_y,
            grip_base,
            work[at.GRIP_LOSS + i],
            work[at.STIFFNESS_LOSS + i],
            slip_floor,
            stick_length,
            stick_damping,
            stiffness_base,
            inverse_mu_nominal,
            length_x,
            length_y,
            inverse_stick_speed_squared,
            work[at.SPIN_PER_SLOPE + i],
            work[at.SPIN_PER_TORQUE + i],
            work,
            i,
        )
        work[at.SPIN_HOLD + i] = fma(hold, work[at.FZ + i], work[at.BRAKE + i])
        work[at.BODY_FX + i], work[at.BODY_FY + i], work[at.MOMENT + i] = on_body(
            work[at.FX + i],
            work[at.FY + i],
            work[at.COS + i],
            work[at.SIN + i],
            work[at.ARM_X + i],
            work[at.ARM_Y + i],
            work,
            i,
        )


@inlined
def carry_forces(work: Buffer) -> None:
    """Carry the changes through contact, force and free spin of the wheels."""
    per_speed = work[at.SPIN_PER_SPEED]
    vy = work[at.VY] * per_speed
    yaw_rate = work[at.YAW_RATE] * per_speed
    wide_vectors()
    whole_loops()
    for k in range(WIDTH):
        turning = vy * work[to.YAW_RATE + k] + yaw_rate * work[to.VY + k]
        work[to.BALANCE + k] = fma(per_speed, work[to.AX + k], turning)
    # Each wheel by its number: a row's place must be known for the loop to be spread over lanes.
    _force(work, 0)
    _force(work, 1)
    _force(work, 2)
    _force(work, 3)


@inlined
def _force(work: Buffer, i: int) -> None:
    wide_vectors()
    whole_loops()
    carry_contact(work, i)
    carry_wheel(work, i)
    carry_on_body(work, i)
    hold = work[at.ROLLING_RESISTANCE] * work[at.RADIUS]
    row = i * WIDTH
    for k in range(WIDTH):
        load = work[to.LOAD + row + k]
        work[to.SPIN_HOLD + row + k] = fma(hold, load, work[to.BRAKE + row + k])


@inlined
def lock(work: Buffer, axle: int) -> None:
    """Make one wheel of both where a differential is locked (new_spins in stages.py)."""
    if work[at.LOCK_FRONT + axle] > 0.0:
        left = 2 * axle
        spin, gain = joined(
            work[at.FREE_SPIN + left],
            work[at.FREE_SPIN + left + 1],
            work[at.SPIN_GAIN + left],
            work[at.SPIN_GAIN + left + 1],
            work,
            axle,
        )
        hold = work[at.SPIN_HOLD + left] + work[at.SPIN_HOLD + left + 1]
        for i in range(left, left + 2):
            work[at.FREE_SPIN + i] = spin
            work[at.SPIN_GAIN + i] = gain
            work[at.SPIN_HOLD + i] = hold
        carry_joined(work, axle)
        first = left * WIDTH
        second = first + WIDTH
        for k in range(WIDTH):
            change = work[to.SPIN_HOLD + first + k] + work[to.SPIN_HOLD + second + k]
            work[to.SPIN_HOLD + first + k] = change
            work[to.SPIN_HOLD + second + k] = change
            work[to.FREE_SPIN + second + k] = work[to.FREE_SPIN + first + k]
            work[to.SPIN_GAIN + second + k] = work[to.SPIN_GAIN + first + k]


@inlined
def turn_wheels(work: Buffer) -> None:
    """Take the brakes off the free spins, and carry the changes through that."""
    spin_max = work[at.SPIN_MAX]
    for i in range(4):
        work[at.SPIN + i] = braked(
            work[at.FREE_SPIN + i],
            work[at.SPIN_GAIN + i],
            work[at.SPIN_HOLD + i],
            spin_max,
            work,
            i,
        )
    carry_braked(work, 0)
    carry_braked(work, 1)
    carry_braked(work, 2)
    carry_braked(work, 3)
