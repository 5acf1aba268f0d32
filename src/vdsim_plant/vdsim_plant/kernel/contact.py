"""How a contact force is put down, and what it does to the body: of every tyre, one car or many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import on_body

Buffer = NDArray[np.float64]


@inlined
def put_contact_force(numbers: Buffer, i: int, lane: int, lanes: int, fx: float, fy: float) -> None:
    """Put the force of wheel i [N] down in its own frame and in the body's, and its moment [N m].

    `lanes` is that of the block; a car alone is the lane 0 of 1.
    """
    numbers[(at.FX + i) * lanes + lane] = fx
    numbers[(at.FY + i) * lanes + lane] = fy
    (
        numbers[(at.BODY_FX + i) * lanes + lane],
        numbers[(at.BODY_FY + i) * lanes + lane],
        numbers[(at.MOMENT + i) * lanes + lane],
    ) = on_body(
        fx,
        fy,
        numbers[(at.COS + i) * lanes + lane],
        numbers[(at.SIN + i) * lanes + lane],
        numbers[(at.ARM_X + i) * lanes + lane],
        numbers[(at.ARM_Y + i) * lanes + lane],
    )
