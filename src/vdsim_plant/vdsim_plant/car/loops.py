"""The loops of the kernel that Python calls, ready to be called: single.py, block.py, those of
float32, of the linearisation and of level l3, compiled.

This module names the loops; it does not import them, so that a process whose compiled code is kept
never loads the compiler.
"""

from __future__ import annotations

from vdsim_plant.compiled.linking import Loop

_SINGLE = "vdsim_plant.kernel.single"
_BLOCK = "vdsim_plant.kernel.block"
_NARROW = "vdsim_plant.narrow.loop"
_LINEAR = "vdsim_plant.linear.loop"
_LOGGED = "vdsim_plant.kernel.logged"
_RIDE = "vdsim_plant.ride.single"
_RIDE_BLOCK = "vdsim_plant.ride.block"
_FULL = "vdsim_plant.kernel.full_loops"
_FULL_LINEAR = "vdsim_plant.linear.full_loop"
_FULL_RIDE = "vdsim_plant.ride.full_loop"
_TIR_SINGLE = "vdsim_plant.tyres.tir_single"
_TIR_BLOCK = "vdsim_plant.tyres.tir_block"
_EXCHANGE = "vdsim_plant.kernel.exchange"
_NARROW_EXCHANGE = "vdsim_plant.narrow.exchange"

advance = Loop(_SINGLE, "advance", buffers=2, numbers=1)
advance_painted = Loop(_SINGLE, "advance_painted", buffers=2, numbers=1)
advance_tir = Loop(_TIR_SINGLE, "advance_tir", buffers=2, numbers=1)
advance_kinematic = Loop(_SINGLE, "advance_kinematic", buffers=2, numbers=1)
advance_blocks = Loop(_BLOCK, "advance_blocks", buffers=3, numbers=3)
advance_narrow_blocks = Loop(_NARROW, "advance_narrow_blocks", buffers=3, numbers=3, narrow=1)
advance_tir_blocks = Loop(_TIR_BLOCK, "advance_tir_blocks", buffers=3, numbers=3)
advance_narrow_tir_blocks = Loop(
    _NARROW, "advance_narrow_tir_blocks", buffers=3, numbers=3, narrow=1
)
advance_linear = Loop(_LINEAR, "advance_linear", buffers=2, numbers=3)
drive_blocks = Loop(_LOGGED, "drive_blocks", buffers=7, numbers=4)
advance_ride = Loop(_RIDE, "advance_ride", buffers=3, numbers=1)
advance_ride_tir = Loop(_RIDE, "advance_ride_tir", buffers=3, numbers=1)
advance_ride_blocks = Loop(_RIDE_BLOCK, "advance_ride_blocks", buffers=3, numbers=3)

# What goes into blocks and comes out of them.
hold_axles = Loop(_EXCHANGE, "hold_axles", buffers=3, numbers=2)
show_cars = Loop(_EXCHANGE, "show_cars", buffers=5, numbers=4)
show_chosen = Loop(_EXCHANGE, "show_chosen", buffers=6, numbers=0)
hold_narrow_axles = Loop(_NARROW_EXCHANGE, "hold_narrow_axles", buffers=3, numbers=2, narrow=1)
show_narrow_cars = Loop(_NARROW_EXCHANGE, "show_narrow_cars", buffers=5, numbers=4, narrow=1)
show_narrow_chosen = Loop(_NARROW_EXCHANGE, "show_narrow_chosen", buffers=6, numbers=0, narrow=1)

# The same with the full MF96 tyre.
advance_full = Loop(_FULL, "advance_full", buffers=2, numbers=1)
advance_painted_full = Loop(_FULL, "advance_painted_full", buffers=2, numbers=1)
advance_blocks_full = Loop(_FULL, "advance_blocks_full", buffers=3, numbers=3)
advance_narrow_blocks_full = Loop(
    _NARROW, "advance_narrow_blocks_full", buffers=3, numbers=3, narrow=1
)
drive_blocks_full = Loop(_FULL, "drive_blocks_full", buffers=7, numbers=4)
advance_linear_full = Loop(_FULL_LINEAR, "advance_linear_full", buffers=2, numbers=3)
advance_ride_full = Loop(_FULL_RIDE, "advance_ride_full", buffers=3, numbers=1)
advance_ride_blocks_full = Loop(_FULL_RIDE, "advance_ride_blocks_full", buffers=3, numbers=3)
