"""The compiled loops over substeps, ready to be called; see single.py and block.py."""

from __future__ import annotations

from vdsim_plant.linking import Loop

advance = Loop("advance", buffers=2, numbers=1)
advance_painted = Loop("advance_painted", buffers=2, numbers=1)
advance_tir = Loop("advance_tir", buffers=3, numbers=1)
advance_kinematic = Loop("advance_kinematic", buffers=2, numbers=1)
advance_blocks = Loop("advance_blocks", buffers=2, numbers=3)
