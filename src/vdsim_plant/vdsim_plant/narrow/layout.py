"""Where a block of float32 numbers has what kernel/layout.py does not know."""

from __future__ import annotations

from vdsim_plant.kernel import layout as at
from vdsim_plant.tyres.tir_layout import RESTS

LANES = 32  # cars side by side in a block: as many bytes as the lanes of a block of float64

# What X, Y, YAW, VX, VY and SUBSTEPS cannot hold; the value is the sum of both.
X_REST = at.SIZE
Y_REST = at.SIZE + 1
YAW_REST = at.SIZE + 2
VX_REST = at.SIZE + 3
VY_REST = at.SIZE + 4
SUBSTEPS_REST = at.SIZE + 5
SIZE = at.SIZE + RESTS
