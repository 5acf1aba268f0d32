"""The kinematic level: wheels that roll where they point, as far as friction allows.

Speed follows the force intent; the yaw rate follows speed and wheel angle, v tan(delta) / L. Both
are cut to what the road can carry in all: side force first, what is left of the circle along x.
Contact forces are what the motion needs, shared by load, so that each wheel keeps to its circle.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import FULL, clamp, settled
from vdsim_plant.kernel.polynomials import sine_and_cosine

Buffer = NDArray[np.float64]


@inlined
def roll_along(car: Buffer) -> None:
    """One substep."""
    dt = car[at.DT]
    radius = car[at.RADIUS]
    vx = car[at.VX]
    drive = 0.0
    brake = 0.0
    grip = 0.0
    load = 0.0
    for i in range(4):
        drive += car[at.DRIVE + i] / radius
        brake += car[at.BRAKE + i] / radius
        grip += FULL * car[at.MU + i] * car[at.FZ + i]
        load += car[at.FZ + i]
    s, c = sine_and_cosine(car[at.YAW])
    air = car[at.DRAG] * abs(vx) * car[at.INVERSE_MASS]
    pull_x = fma(car[at.WIND_X], car[at.INVERSE_MASS], car[at.GRAVITY_X])
    pull_y = fma(car[at.WIND_Y], car[at.INVERSE_MASS], car[at.GRAVITY_Y])
    rest_x = (pull_x * c + pull_y * s) - air * vx
    rest_y = pull_y * c - pull_x * s

    # Yaw rate first: the side force has the first claim on the grip.
    wanted_rate = vx * (car[at.SIN_STEER] / car[at.COS_STEER]) / car[at.WHEELBASE]
    wanted = vx * wanted_rate
    push = grip * car[at.INVERSE_MASS]
    possible = clamp(wanted, rest_y - push, rest_y + push)
    share = clamp(possible / wanted, 0.0, 1.0) if abs(wanted) > 1e-9 else 1.0
    yaw_rate = wanted_rate * share
    ay = vx * yaw_rate
    side = clamp((ay - rest_y) * car[at.MASS], -grip, grip)
    left_over = math.sqrt(max(grip * grip - side * side, 0.0))

    force = clamp(drive, -left_over, left_over)
    free = vx + dt * (force * car[at.INVERSE_MASS] + rest_x)
    stop = max(0.0, min(brake + car[at.ROLLING_RESISTANCE] * load, left_over - abs(force)))
    slowed = clamp(free, -stop * dt * car[at.INVERSE_MASS], stop * dt * car[at.INVERSE_MASS])
    new_vx = settled(free - slowed)
    ax = (new_vx - vx) * car[at.INVERSE_DT]
    along = force - slowed * car[at.INVERSE_DT] * car[at.MASS]

    mean = 0.5 * (vx + new_vx)
    mean_y = yaw_rate * car[at.CG_TO_REAR]
    car[at.X] += dt * (c * mean - s * mean_y)
    car[at.Y] += dt * (s * mean + c * mean_y)
    car[at.YAW] += dt * yaw_rate
    car[at.VX] = new_vx
    car[at.VY] = mean_y
    car[at.YAW_RATE] = yaw_rate
    car[at.AX] = ax
    car[at.AY] = ay
    car[at.FORCE_X] = along * car[at.INVERSE_MASS]
    car[at.FORCE_Y] = side * car[at.INVERSE_MASS]
    car[at.EXPECTED_X] = car[at.FORCE_X]
    car[at.EXPECTED_Y] = car[at.FORCE_Y]
    car[at.SUBSTEPS] += 1.0
    _share_forces(car, along, side, grip)


@inlined
def _share_forces(car: Buffer, along: float, side: float, grip: float) -> None:
    """Give each wheel its part of the force, and the spin of a wheel that rolls."""
    for i in range(4):
        c = car[at.COS + i]
        s = car[at.SIN + i]
        part = FULL * car[at.MU + i] * car[at.FZ + i] / grip if grip > 0.0 else 0.0
        body_fx = part * along
        body_fy = part * side
        car[at.BODY_FX + i] = body_fx
        car[at.BODY_FY + i] = body_fy
        car[at.FX + i] = body_fx * c + body_fy * s
        car[at.FY + i] = body_fy * c - body_fx * s
        at_x = car[at.VX] - car[at.YAW_RATE] * car[at.ARM_Y + i]
        at_y = car[at.VY] + car[at.YAW_RATE] * car[at.ARM_X + i]
        car[at.SPIN + i] = (at_x * c + at_y * s) / car[at.RADIUS]
        car[at.SLIP_X + i] = 0.0
        car[at.SLIP_Y + i] = 0.0
