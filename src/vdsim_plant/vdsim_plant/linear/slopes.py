"""The stages of a substep with their derivatives, made from the equations when a loop is compiled.

A stage is a function between quantities of which there are few: what a contact point moves with,
its load, the force of a wheel, its spin. The derivatives of a stage over its own inputs are taken
once a substep; loop.py carries the changes of all directions through them: one multiplication for
each derivative and direction.
"""

from __future__ import annotations

from typing import Any

from vdsim_plant.compiled.differentiation import Slopes, slopes_of
from vdsim_plant.kernel.equations import (
    body_step,
    braked_spin,
    joined_spin,
    moved,
    on_body,
    patch_speed,
    settled,
)
from vdsim_plant.linear import layout as to
from vdsim_plant.linear.composed import loads, wheel

# Take rounding away, and are no kinks.
PASSING: dict[str, Any] = {"moved": moved, "settled": settled}

CONTACT = slopes_of(
    patch_speed,
    ("vx", "vy", "yaw_rate", "c", "s"),
    passing=PASSING,
    place=to.CONTACT_SLOPES,
    stride=4,
)
LOADS = slopes_of(
    loads, ("vx", "vy", "expected_x", "expected_y"), passing=PASSING, place=to.LOADS_SLOPES
)


def slopes_of_wheel(wheel: Any) -> Slopes:
    """Return the derivatives of a wheel's stage."""
    return slopes_of(
        wheel,
        ("along", "across", "spin", "stretch_x", "stretch_y", "load", "mu", "drive", "balance"),
        passing=PASSING,
        place=to.WHEEL_SLOPES,
        stride=4,
    )


WHEEL = slopes_of_wheel(wheel)
ON_BODY = slopes_of(
    on_body, ("fx", "fy", "c", "s"), passing=PASSING, place=to.ON_BODY_SLOPES, stride=4
)
JOINED = slopes_of(
    joined_spin,
    ("left", "right", "left_gain", "right_gain"),
    passing=PASSING,
    place=to.JOINED_SLOPES,
    stride=2,
)
BRAKED = slopes_of(
    braked_spin, ("spin", "gain", "hold"), passing=PASSING, place=to.BRAKED_SLOPES, stride=4
)
BODY = slopes_of(
    body_step,
    (
        *("x", "y", "yaw", "vx", "vy", "yaw_rate", "sum_x", "sum_y", "moment"),
        *("old_force_x", "old_force_y", "old_yaw_acc"),
        *("old_change_x", "old_change_y", "old_yaw_change"),
    ),
    passing=PASSING,
    place=to.BODY_SLOPES,
)
