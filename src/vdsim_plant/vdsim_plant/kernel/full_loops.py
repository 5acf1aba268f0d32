"""The loops of cars with the MF96 tyre, with the full one in place of the usual one (mf96.py)."""

from __future__ import annotations

from vdsim_plant.compiled.variants import variant
from vdsim_plant.kernel import block, logged, single
from vdsim_plant.kernel.mf96 import FULL_MF96

advance_full = variant(single.advance, FULL_MF96)
advance_painted_full = variant(single.advance_painted, FULL_MF96)
advance_blocks_full = variant(block.advance_blocks, FULL_MF96)
drive_blocks_full = variant(logged.drive_blocks, FULL_MF96)
