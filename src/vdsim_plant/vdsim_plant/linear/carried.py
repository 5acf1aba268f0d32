"""The stages of a substep with their derivatives, and what carries the changes through them.

A row of changes is WIDTH numbers, one for each direction (layout.py).
"""

from __future__ import annotations

from typing import Any

from vdsim_plant.compiled.differentiation import Slopes
from vdsim_plant.linear import layout as to
from vdsim_plant.linear import slopes

WIDTH = to.WIDTH

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


def carried_wheel(wheel: Slopes) -> Any:
    """Return what carries the changes through the wheels."""
    moves = (to.ALONG, to.ACROSS, to.SPIN, to.STRETCH_X, to.STRETCH_Y, to.LOAD, to.MU, to.DRIVE)
    return wheel.carried(
        _of_wheel(*moves) + _of_car(to.BALANCE),
        _of_wheel(to.FX, to.FY, to.STRETCH_X, to.STRETCH_Y, to.FREE_SPIN, to.SPIN_GAIN),
        WIDTH,
    )


carry_wheel = carried_wheel(slopes.WHEEL)
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
