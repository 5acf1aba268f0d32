"""The loop over blocks for float32: which constants and functions differ from those of float64.

float32 has 24 bits. What that would break, and what is done about it:

- A slow car far away moves less in a substep than its place can show, and a weak force changes a
  high speed by less than that can show. Pose, velocity and the count of substeps are pairs of
  numbers: what the first could not take goes to the second.
- A standing tyre that is computed again in every substep creeps by the rounding. Its stretch is
  written as a change, which is exactly 0 where nothing moves.
- Numbers too small for float32, or just above the rounding of float64, have larger values here.
- Friction is looked up in float64, at the place that both numbers of the pose make.
- The arguments of a property file's curves end earlier: products of them must be numbers.
- Shorter polynomials for sine, cosine and arctangent are as exact as the numbers can be.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, rounded
from vdsim_plant.compiled.narrowing import narrowed
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.block import advance_blocks
from vdsim_plant.kernel.full_loops import advance_blocks_full
from vdsim_plant.kernel.polynomials import INVERSE_TURN, TURN, TURN_REST
from vdsim_plant.narrow import layout as more
from vdsim_plant.narrow import polynomials
from vdsim_plant.narrow.layout import LANES
from vdsim_plant.tyres.tir_block import advance_tir_blocks

Buffer = NDArray[np.float32]
STANDS = 1e-6  # [m/s, rad/s]
SLOWEST_ROLL = 3e-7  # of the share of a stretch that is rolled off in a substep


@inlined
def _sum(first: float, rest: float, step: float) -> tuple[float, float]:
    """Return the pair (first, rest) plus a step: the sum, and what rounding took from it."""
    added = rest + step
    total = first + added
    back = total - first
    return total, (first - (total - back)) + (added - back)


@inlined
def _start_of_pose(block: Buffer, lane: int) -> tuple[float, float, float]:
    """Return a place of 0, so that `body_step` returns the move, and the yaw within a turn."""
    yaw = block[at.YAW * LANES + lane]
    turns = rounded(yaw * INVERSE_TURN)
    rest = fma(-turns, TURN_REST, block[more.YAW_REST * LANES + lane])
    return 0.0, 0.0, fma(-turns, TURN, yaw) + rest


@inlined
def _put_state(
    block: Buffer,
    lane: int,
    x: float,
    y: float,
    yaw: float,
    vx: float,
    vy: float,
    yaw_rate: float,
) -> None:
    """Add the changes of pose and velocity to their pairs.

    So slow a car stands: its move would not change the stretch of a tyre that holds it.
    """
    dt = block[at.DT * LANES + lane]
    half_angle = 0.25 * dt * (yaw_rate + block[at.YAW_RATE * LANES + lane])
    more_vx, more_vy = _velocity_change(block, lane, vx, vy, half_angle)
    block[at.VX * LANES + lane] = vx
    block[at.VY * LANES + lane] = vy
    _add(block, lane, at.VX, more.VX_REST, more_vx)
    _add(block, lane, at.VY, more.VY_REST, more_vy)
    fastest = max(abs(block[at.VX * LANES + lane]), abs(block[at.VY * LANES + lane]))
    fastest = max(fastest, abs(block[at.YAW_RATE * LANES + lane]))
    goes = 1.0 if fastest > STANDS else 0.0
    block[at.VX * LANES + lane] *= goes
    block[at.VY * LANES + lane] *= goes
    block[more.VX_REST * LANES + lane] *= goes
    block[more.VY_REST * LANES + lane] *= goes
    block[at.YAW_RATE * LANES + lane] *= goes
    _add(block, lane, at.X, more.X_REST, goes * x)
    _add(block, lane, at.Y, more.Y_REST, goes * y)
    _add(block, lane, at.YAW, more.YAW_REST, goes * (2.0 * half_angle))


@inlined
def _count_substeps(block: Buffer, done: int) -> None:
    for lane in range(LANES):
        _add(block, lane, at.SUBSTEPS, more.SUBSTEPS_REST, np.float32(done))


@inlined
def _velocity_change(
    block: Buffer, lane: int, vx: float, vy: float, half_angle: float
) -> tuple[float, float]:
    """Return what `body_step` adds to the velocity: the frame's turn, the forces, its turn again.

    The sum that `body_step` returns has lost most digits of a small change.
    """
    dt = block[at.DT * LANES + lane]
    ahead_x = block[at.EXPECTED_X * LANES + lane] - block[at.FORCE_X * LANES + lane]
    ahead_y = block[at.EXPECTED_Y * LANES + lane] - block[at.FORCE_Y * LANES + lane]
    turn_x, turn_y = _turn_change(vx, vy, half_angle)
    more_x = fma(dt, fma(0.5, ahead_x, block[at.AX * LANES + lane]), turn_x)
    more_y = fma(dt, fma(0.5, ahead_y, block[at.AY * LANES + lane]), turn_y)
    turn_x, turn_y = _turn_change(vx + more_x, vy + more_y, half_angle)
    return more_x + turn_x, more_y + turn_y


@inlined
def _turn_change(vx: float, vy: float, angle: float) -> tuple[float, float]:
    """Return what `turned` adds to a velocity."""
    half = 0.5 * angle
    scale = 1.0 / (1.0 + half * half)
    s = 2.0 * half * scale
    lost = half * s
    return fma(s, vy, -(lost * vx)), fma(-s, vx, -(lost * vy))


@inlined
def _add(block: Buffer, lane: int, field: int, rest: int, change: float) -> None:
    block[field * LANES + lane], block[rest * LANES + lane] = _sum(
        block[field * LANES + lane], block[rest * LANES + lane], change
    )


@inlined
def _pose_of(block: Buffer, lane: int) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad] in float64."""
    return (
        np.float64(block[at.X * LANES + lane]) + np.float64(block[more.X_REST * LANES + lane]),
        np.float64(block[at.Y * LANES + lane]) + np.float64(block[more.Y_REST * LANES + lane]),
        np.float64(block[at.YAW * LANES + lane]) + np.float64(block[more.YAW_REST * LANES + lane]),
    )


@inlined
def _free_range(place: float, room: float, share: float) -> tuple[float, float]:
    """Do as `free_range`, less what float32 makes of the place and of these ends."""
    free = 0.99 * share * room - 2e-7 * abs(place)
    return place - free, place + free


@inlined
def _followed(stretch: float, lag: float, sliding: float, gain: float) -> float:
    """Do as `followed`, as a change of the stretch: at rest it stays what it is."""
    roll = fma(-lag, gain, 1.0)
    roll = roll if roll > SLOWEST_ROLL else 0.0
    return fma(sliding, gain, fma(-roll, stretch, stretch))


REPLACED = {
    "LANES": LANES,
    "ROUNDING": 12582912.0,  # 1.5 * 2^23
    "TURN_REST": 2.0 * math.pi - float(np.float32(TURN)),
    "SETTLED": 1e-18,  # its square is still no denormal number
    "REST_ACCELERATION": 1e-6,
    "FULL": 0.9999994,
    "INSIDE": 0.9999994,
    "MOST": 1e6,  # six of them, multiplied, are still a number; so are six of LEAST
    "UNREACHED": 1e-6,
    "start_of_pose": _start_of_pose,
    "count_substeps": _count_substeps,
    "put_state": _put_state,
    "pose_of": _pose_of,
    "free_range": _free_range,
    "followed": _followed,
    "sine": polynomials.sine,
    "curve_sine_and_cosine": polynomials.curve_sine_and_cosine,
    "arctangent": polynomials.arctangent,
}
WIDE = frozenset(("_look_up_one", "_pose_of", "_free_range"))

advance_narrow_blocks = narrowed(advance_blocks, REPLACED, WIDE)
advance_narrow_blocks_full = narrowed(advance_blocks_full, REPLACED, WIDE)
advance_narrow_tir_blocks = narrowed(advance_tir_blocks, REPLACED, WIDE)
