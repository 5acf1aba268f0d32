"""One car and its linearisation: the loop over substeps with the changes of WIDTH directions.

A direction is a change of the start, of the state or of the input; the loop carries each from
substep to substep by the derivatives of slopes.py. Car, derivatives and changes are one buffer, so
that the compiler sees what overlaps. Changes are rows of WIDTH numbers, side by side in one vector.

The car itself takes the operations of single.py in their order, and so has its bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.compiled.intrinsics import fma, whole_loops, wide_vectors
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel import linear_layout as to
from vdsim_plant.kernel import slopes
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.kernel.stages import (
    may_have_changed,
    mu_at,
    painted_friction,
    stripe_friction,
    take_inputs,
)

Buffer = NDArray[np.float64]
WIDTH = to.WIDTH
MU_PROBE = 1e-5  # [m]: friction is linear on a ramp

contact = slopes.CONTACT.values
loads = slopes.LOADS.values
wheel = slopes.WHEEL.values
on_body = slopes.ON_BODY.values
joined = slopes.JOINED.values
braked = slopes.BRAKED.values
body = slopes.BODY.values


def _of_wheel(*firsts: int) -> list[tuple[int, int]]:
    return [(first, WIDTH) for first in firsts]


def _of_car(*firsts: int) -> list[tuple[int, int]]:
    return [(first, 0) for first in firsts]


_STATE = _of_car(
    *(to.X, to.Y, to.YAW, to.VX, to.VY, to.YAW_RATE, to.FORCE_X, to.FORCE_Y, to.YAW_ACC),
    *(to.EXPECTED_X, to.EXPECTED_Y, to.CHANGE_X, to.CHANGE_Y, to.YAW_CHANGE, to.AX),
)
carry_loads = slopes.LOADS.carried(
    _of_car(to.VX, to.VY, to.EXPECTED_X, to.EXPECTED_Y),
    _of_car(*(to.LOAD + i * WIDTH for i in range(4))),
    WIDTH,
)
carry_contact = slopes.CONTACT.carried(
    _of_car(to.VX, to.VY, to.YAW_RATE) + _of_wheel(to.COS, to.SIN),
    _of_wheel(to.ALONG, to.ACROSS),
    WIDTH,
)
carry_wheel = slopes.WHEEL.carried(
    _of_wheel(*(to.ALONG, to.ACROSS, to.SPIN, to.STRETCH_X, to.STRETCH_Y, to.LOAD, to.MU, to.DRIVE))
    + _of_car(to.BALANCE),
    _of_wheel(to.FX, to.FY, to.STRETCH_X, to.STRETCH_Y, to.FREE_SPIN, to.SPIN_GAIN),
    WIDTH,
)
carry_on_body = slopes.ON_BODY.carried(
    _of_wheel(to.FX, to.FY, to.COS, to.SIN),
    _of_wheel(to.BODY_FX, to.BODY_FY, to.MOMENT),
    WIDTH,
)
carry_joined = slopes.JOINED.carried(
    [
        (first + right * WIDTH, 2 * WIDTH)
        for first in (to.FREE_SPIN, to.SPIN_GAIN)
        for right in range(2)
    ],
    [(to.FREE_SPIN, 2 * WIDTH), (to.SPIN_GAIN, 2 * WIDTH)],
    WIDTH,
)
carry_braked = slopes.BRAKED.carried(
    _of_wheel(to.FREE_SPIN, to.SPIN_GAIN, to.SPIN_HOLD),
    _of_wheel(to.SPIN),
    WIDTH,
)
carry_body = slopes.BODY.carried(
    _STATE[:6] + _of_car(to.SUM_X, to.SUM_Y, to.SUM_MOMENT) + _STATE[6:9] + _STATE[11:14],
    [*_STATE, None],
    WIDTH,
)


def advance_linear(
    work_at: Any,
    work_size: int,
    road_at: Any,
    road_size: int,
    painted: int,
    ramps: int,
    substeps: int,
) -> None:
    """Advance a car with the MF96 tyre, and the changes.

    `painted`: the road is more than stripes across x. `ramps`: its friction has slopes.
    """
    work = carray(work_at, (work_size,))
    ground = carray(road_at, (road_size,))
    wide_vectors()
    whole_loops()
    take_inputs(work)
    locked = work[at.LOCK_FRONT] + work[at.LOCK_REAR] > 0.0
    done = 0
    while done < substeps:
        if painted > 0:
            painted_friction(work, ground)
        else:
            stripe_friction(work, ground)
        if ramps > 0:
            _change_friction(work, ground)
        while True:
            _loads(work)
            _contacts(work)
            _wheels(work)
            _forces(work)
            if locked:
                _lock(work, 0)
                _lock(work, 1)
            _spins(work)
            _body(work)
            done += 1
            if painted > 0 or done >= substeps or may_have_changed(work):
                break


@inlined
def _change_friction(work: Buffer, ground: Buffer) -> None:
    """Friction changes where the contact point goes; its slope is a difference."""
    whole_loops()
    s, c = sine_and_cosine(work[at.YAW])
    for i in range(4):
        ahead = c * work[at.ARM_X + i] - s * work[at.ARM_Y + i]
        left = s * work[at.ARM_X + i] + c * work[at.ARM_Y + i]
        x = work[at.X] + ahead
        y = work[at.Y] + left
        along_x = 0.0
        along_y = 0.0
        for probe in range(4):  # one call in a loop: the compiler writes out what it calls
            side = (0.5 - probe % 2) / MU_PROBE
            over_x = 1.0 if probe < 2 else 0.0
            step = MU_PROBE * (1.0 - 2.0 * (probe % 2))
            mu = mu_at(x + over_x * step, y + (1.0 - over_x) * step, ground)
            along_x += over_x * side * mu
            along_y += (1.0 - over_x) * side * mu
        for k in range(WIDTH):
            yaw = work[to.YAW + k]
            work[to.MU + i * WIDTH + k] = along_x * (work[to.X + k] - left * yaw) + along_y * (
                work[to.Y + k] + ahead * yaw
            )


@inlined
def _loads(work: Buffer) -> None:
    work[at.FZ], work[at.FZ + 1], work[at.FZ + 2], work[at.FZ + 3] = loads(
        work[at.VX],
        work[at.VY],
        work[at.EXPECTED_X],
        work[at.EXPECTED_Y],
        work[at.MASS] * work[at.GRAVITY_N],
        work[at.STATIC_FRONT],
        work[at.AXLE_TRANSFER],
        work[at.WHEEL_TRANSFER_FRONT],
        work[at.WHEEL_TRANSFER_REAR],
        work[at.LIFT_FRONT],
        work[at.LIFT_REAR],
        work,
        0,
    )
    carry_loads(work, 0)


@inlined
def _contacts(work: Buffer) -> None:
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
def _wheels(work: Buffer) -> None:
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
def _forces(work: Buffer) -> None:
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
def _lock(work: Buffer, axle: int) -> None:
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
def _spins(work: Buffer) -> None:
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


@inlined
def _sum(work: Buffer, field: int) -> float:
    total: float = (work[field] + work[field + 1]) + (work[field + 2] + work[field + 3])
    return total


@inlined
def _sum_of(work: Buffer, row: int, k: int) -> float:
    left = work[row + k] + work[row + WIDTH + k]
    total: float = left + (work[row + 2 * WIDTH + k] + work[row + 3 * WIDTH + k])
    return total


@inlined
def _body(work: Buffer) -> None:
    (
        work[at.X],
        work[at.Y],
        work[at.YAW],
        work[at.VX],
        work[at.VY],
        work[at.YAW_RATE],
        work[at.FORCE_X],
        work[at.FORCE_Y],
        work[at.YAW_ACC],
        work[at.EXPECTED_X],
        work[at.EXPECTED_Y],
        work[at.CHANGE_X],
        work[at.CHANGE_Y],
        work[at.YAW_CHANGE],
        work[at.AX],
        work[at.AY],
    ) = body(
        work[at.X],
        work[at.Y],
        work[at.YAW],
        work[at.VX],
        work[at.VY],
        work[at.YAW_RATE],
        _sum(work, at.BODY_FX),
        _sum(work, at.BODY_FY),
        _sum(work, at.MOMENT),
        work[at.FORCE_X],
        work[at.FORCE_Y],
        work[at.YAW_ACC],
        work[at.CHANGE_X],
        work[at.CHANGE_Y],
        work[at.YAW_CHANGE],
        work[at.GRAVITY_X],
        work[at.GRAVITY_Y],
        work[at.DRAG],
        work[at.INVERSE_MASS],
        work[at.INVERSE_YAW_INERTIA],
        work[at.INVERSE_STICK_SPEED_SQUARED],
        work[at.DT],
        work,
        0,
    )
    work[at.SUBSTEPS] += 1.0
    wide_vectors()
    whole_loops()
    for k in range(WIDTH):
        work[to.SUM_X + k] = _sum_of(work, to.BODY_FX, k)
        work[to.SUM_Y + k] = _sum_of(work, to.BODY_FY, k)
        work[to.SUM_MOMENT + k] = _sum_of(work, to.MOMENT, k)
    carry_body(work, 0)
