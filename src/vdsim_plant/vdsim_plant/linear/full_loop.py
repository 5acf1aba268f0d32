"""The loop with the full MF96 tyre (kernel/mf96.py) in place of the usual one."""

from __future__ import annotations

from vdsim_plant.compiled.variants import variant
from vdsim_plant.kernel.mf96 import FULL_MF96
from vdsim_plant.linear.carried import carried_wheel
from vdsim_plant.linear.composed import wheel
from vdsim_plant.linear.loop import advance_linear
from vdsim_plant.linear.slopes import slopes_of_wheel

FULL_WHEEL = slopes_of_wheel(variant(wheel, FULL_MF96))

advance_linear_full = variant(
    advance_linear, {"wheel": FULL_WHEEL.values, "carry_wheel": carried_wheel(FULL_WHEEL)}
)
