"""The loops of the kernel that Python calls, ready to be called: single.py, block.py and those of
level l3, compiled.

This module names the loops; it does not import them, so that a process whose compiled code is kept
never loads the compiler.
"""

from __future__ import annotations

from vdsim_plant.compiled.linking import Loop

_SINGLE = "vdsim_plant.kernel.single"
_BLOCK = "vdsim_plant.kernel.block"
_LINEAR = "vdsim_plant.kernel.linear"
_RIDE = "vdsim_plant.ride.single"

advance = Loop(_SINGLE, "advance", buffers=2, numbers=1)
advance_painted = Loop(_SINGLE, "advance_painted", buffers=2, numbers=1)
advance_tir = Loop(_SINGLE, "advance_tir", buffers=3, numbers=1)
advance_kinematic = Loop(_SINGLE, "advance_kinematic", buffers=2, numbers=1)
advance_blocks = Loop(_BLOCK, "advance_blocks", buffers=2, numbers=3)
advance_blocks_on_roads = Loop(_BLOCK, "advance_blocks_on_roads", buffers=3, numbers=3)
advance_linear = Loop(_LINEAR, "advance_linear", buffers=2, numbers=3)
advance_ride = Loop(_RIDE, "advance_ride", buffers=3, numbers=1)
advance_ride_tir = Loop(_RIDE, "advance_ride_tir", buffers=4, numbers=1)
