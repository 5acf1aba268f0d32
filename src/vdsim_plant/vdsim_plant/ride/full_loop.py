"""The loops with the full MF96 tyre (kernel/mf96.py) in place of the usual one."""

from __future__ import annotations

from vdsim_plant.compiled.variants import variant
from vdsim_plant.kernel.mf96 import FULL_MF96
from vdsim_plant.ride.block import advance_ride_blocks
from vdsim_plant.ride.single import advance_ride

advance_ride_full = variant(advance_ride, FULL_MF96)
advance_ride_blocks_full = variant(advance_ride_blocks, FULL_MF96)
