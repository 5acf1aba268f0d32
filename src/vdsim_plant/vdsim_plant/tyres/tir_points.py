"""The force law at single points, as the kernel computes it: for calibrations and comparisons.

A point is a row of POINT numbers: what the law takes, then what it gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import carray
from vdsim_plant.parameters.tir import index as tir_index
from vdsim_plant.tyres.tir_combined import tir_force
from vdsim_plant.tyres.tir_law import load_change
from vdsim_plant.tyres.tir_layout import POINT
from vdsim_plant.tyres.tir_peaks import STEPS, nearer_peak, peak_bends, tir_peaks

Buffer = NDArray[np.float64]


def evaluate_tir(points_at: Any, points_size: int, tyre_at: Any, tyre_size: int) -> None:
    """Fill the rows: kappa, -tan(alpha), fz, mu, side, shift; Fx, Fy, slope, and the three peaks.

    See `tir_force` and `tir_peaks`.
    """
    points = carray(points_at, (points_size,))
    tyre = carray(tyre_at, (tyre_size,))
    for first in range(0, points_size, POINT):
        kappa = points[first]
        slip_y = points[first + 1]
        fz = points[first + 2]
        mu = points[first + 3]
        side = points[first + 4]
        points[first + 6], points[first + 7], points[first + 8] = tir_force(
            kappa, slip_y, fz, mu, side, points[first + 5], tyre, 0, 1
        )
        _, dfz = load_change(fz, tyre, 0, 1)
        bend_x, bend_y = peak_bends(dfz, kappa, slip_y, side, tyre, 0, 1)
        target_x = tyre[tir_index.TARGET_X]
        target_y = tyre[tir_index.TARGET_Y]
        bx_x = target_x
        bx_y = target_y
        missing_x = 0.0
        missing_y = 0.0
        for _ in range(STEPS):
            bx_x, missing_x = nearer_peak(bx_x, target_x, bend_x)
            bx_y, missing_y = nearer_peak(bx_y, target_y, bend_y)
        points[first + 9], points[first + 10], points[first + 11] = tir_peaks(
            bx_x, bx_y, missing_x, missing_y, fz, mu, tyre, 0, 1
        )
