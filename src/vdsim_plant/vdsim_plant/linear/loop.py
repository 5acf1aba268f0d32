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
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.kernel.stages import (
    may_have_changed,
    mu_at,
    painted_friction,
    stripe_friction,
    take_inputs,
)
from vdsim_plant.linear import layout as to
from vdsim_plant.linear.carried import body, carry_body, carry_loads, loads
from vdsim_plant.linear.wheels import (
    carry_forces,
    lock,
    move_contacts,
    push_wheels,
    turn_wheels,
)

Buffer = NDArray[np.float64]
WIDTH = to.WIDTH
MU_PROBE = 1e-5  # [m]: friction is linear on a ramp


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
            move_contacts(work)
            push_wheels(work)
            carry_forces(work)
            if locked:
                lock(work, 0)
                lock(work, 1)
            turn_wheels(work)
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
        _sum(work, at.MOMENT) + work[at.WIND_MOMENT],
        work[at.FORCE_X],
        work[at.FORCE_Y],
        work[at.YAW_ACC],
        work[at.CHANGE_X],
        work[at.CHANGE_Y],
        work[at.YAW_CHANGE],
        fma(work[at.WIND_X], work[at.INVERSE_MASS], work[at.GRAVITY_X]),
        fma(work[at.WIND_Y], work[at.INVERSE_MASS], work[at.GRAVITY_Y]),
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
