"""What an observation shows: written once a call, from the same functions for one car and many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.mf96 import grip_share, saturated_reach
from vdsim_plant.kernel.polynomials import angle_of, sine_and_cosine

Buffer = NDArray[np.float64]

REST_MPS = 1e-6  # slower than this the direction of motion has no meaning


@inlined
def observe(car: Buffer) -> None:
    """Write what an observation of one car shows. Wheel by wheel, which is its order."""
    for k in range(at.X, at.YAW_RATE + 1):
        car[at.OBSERVED + k] = car[k]
    car[at.OBSERVED + 6] = car[at.AX]
    car[at.OBSERVED + 7] = car[at.AY]
    car[at.OBSERVED_TIME] = car[at.SUBSTEPS] * car[at.DT]
    car[at.OBSERVED_BETA], car[at.OBSERVED_ROLL], car[at.OBSERVED_PITCH] = _body_angles(
        car[at.YAW],
        car[at.VX],
        car[at.VY],
        car[at.FORCE_X],
        car[at.FORCE_Y],
        car[at.SLOPE_X],
        car[at.SLOPE_Y],
        car[at.ROLL_PER_FORCE],
        car[at.PITCH_PER_FORCE],
    )
    for i in range(4):
        wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
        car[wheel] = car[at.FX + i]
        car[wheel + 1] = car[at.FY + i]
        car[wheel + 2] = car[at.FZ + i]
        car[wheel + 3] = angle_of(-car[at.SLIP_Y + i], 1.0)
        car[wheel + 4] = car[at.SLIP_X + i]
        car[wheel + 5] = car[at.MU + i]
        share = grip_share(car[at.FZ + i], car[at.GRIP_BASE], car[at.GRIP_LOSS + i])
        car[wheel + 6] = car[at.MU + i] * car[at.PEAK_PER_MU] * share
        car[wheel + 7] = car[at.SPIN + i]
        if car[at.STIFFNESS_LOSS + i] > 0.0:
            reach = saturated_reach(
                car[at.INVERSE_ALPHA_PEAK + i], car[at.FZ + i], car[at.STIFFNESS_LOSS + i]
            )
            car[wheel + at.OBSERVED_PEAKS] = angle_of(1.0, reach)


@inlined
def observe_block(block: Buffer) -> None:
    """Do as `observe` for the cars of a block, side by side."""
    wide_vectors()
    for k in range(at.X, at.YAW_RATE + 1):
        for lane in range(LANES):
            block[(at.OBSERVED + k) * LANES + lane] = block[k * LANES + lane]
    for lane in range(LANES):
        block[(at.OBSERVED + 6) * LANES + lane] = block[at.AX * LANES + lane]
        block[(at.OBSERVED + 7) * LANES + lane] = block[at.AY * LANES + lane]
        time = block[at.SUBSTEPS * LANES + lane] * block[at.DT * LANES + lane]
        block[at.OBSERVED_TIME * LANES + lane] = time
        (
            block[at.OBSERVED_BETA * LANES + lane],
            block[at.OBSERVED_ROLL * LANES + lane],
            block[at.OBSERVED_PITCH * LANES + lane],
        ) = _body_angles(
            block[at.YAW * LANES + lane],
            block[at.VX * LANES + lane],
            block[at.VY * LANES + lane],
            block[at.FORCE_X * LANES + lane],
            block[at.FORCE_Y * LANES + lane],
            block[at.SLOPE_X * LANES + lane],
            block[at.SLOPE_Y * LANES + lane],
            block[at.ROLL_PER_FORCE * LANES + lane],
            block[at.PITCH_PER_FORCE * LANES + lane],
        )
    for i in range(4):
        _observe_wheels(block, i)


@inlined
def _observe_wheels(block: Buffer, i: int) -> None:
    wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
    for lane in range(LANES):
        mu = block[(at.MU + i) * LANES + lane]
        slope = -block[(at.SLIP_Y + i) * LANES + lane]
        block[wheel * LANES + lane] = block[(at.FX + i) * LANES + lane]
        block[(wheel + 1) * LANES + lane] = block[(at.FY + i) * LANES + lane]
        block[(wheel + 2) * LANES + lane] = block[(at.FZ + i) * LANES + lane]
        block[(wheel + 3) * LANES + lane] = angle_of(slope, 1.0)
        block[(wheel + 4) * LANES + lane] = block[(at.SLIP_X + i) * LANES + lane]
        block[(wheel + 5) * LANES + lane] = mu
        share = grip_share(
            block[(at.FZ + i) * LANES + lane],
            block[at.GRIP_BASE * LANES + lane],
            block[(at.GRIP_LOSS + i) * LANES + lane],
        )
        block[(wheel + 6) * LANES + lane] = mu * block[at.PEAK_PER_MU * LANES + lane] * share
        block[(wheel + 7) * LANES + lane] = block[(at.SPIN + i) * LANES + lane]
    for lane in range(LANES):
        if block[(at.STIFFNESS_LOSS + i) * LANES + lane] > 0.0:
            reach = saturated_reach(
                block[(at.INVERSE_ALPHA_PEAK + i) * LANES + lane],
                block[(at.FZ + i) * LANES + lane],
                block[(at.STIFFNESS_LOSS + i) * LANES + lane],
            )
            block[(wheel + at.OBSERVED_PEAKS) * LANES + lane] = angle_of(1.0, reach)


@inlined
def _body_angles(
    yaw: float,
    vx: float,
    vy: float,
    force_x: float,
    force_y: float,
    slope_x: float,
    slope_y: float,
    roll_per_force: float,
    pitch_per_force: float,
) -> tuple[float, float, float]:
    """Return sideslip angle, roll and pitch [rad]."""
    s, c = sine_and_cosine(yaw)
    direction = angle_of(vy, vx)
    beta = 0.0 if abs(vx) + abs(vy) < REST_MPS else direction
    rise_left = slope_y * c - slope_x * s
    rise_ahead = slope_x * c + slope_y * s
    roll = roll_per_force * force_y + angle_of(rise_left, 1.0)
    pitch = 0.0 - pitch_per_force * force_x - angle_of(rise_ahead, 1.0)
    return beta, roll, pitch
