"""Forces and peaks of a tyre from a property file: the kernel's own law, called from Python.

Directions are ours (ISO 8855): a positive slip angle gives a negative side force. `side` is +1 for
a wheel on the left of the car and -1 on the right. `shift` from 0 to 1 fades the offsets in. `c` is
`TirCoefficients.as_array()`. See tir_law.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.compiled.linking import Loop
from vdsim_plant.tyres.tir_layout import POINT

Array = NDArray[np.float64]

evaluate_tir = Loop("vdsim_plant.tyres.tir_points", "evaluate_tir", buffers=2, numbers=0)


def tir_forces(
    kappa: float, alpha: float, fz: float, mu: float, side: float, shift: float, c: Array
) -> tuple[float, float]:
    """Return (Fx, Fy) [N] in the wheel's frame, inside the friction circle mu fz."""
    fx, fy, _ = tir_points(kappa, alpha, fz, mu, side, shift, c)[0, :3].tolist()
    return fx, fy


def tir_peaks(
    fz: float, mu: float, kappa: float, alpha: float, side: float, c: Array
) -> tuple[float, float, float]:
    """Return (mu_peak, alpha_peak [rad], kappa_peak) of pure slip, offsets left aside.

    Both slips are positive, and those of the directions that `kappa` and `alpha` have: a file may
    describe a tyre that drives otherwise than it brakes. mu_peak is the higher of both directions,
    held inside the circle. A curve without a peak (shape factor up to 1) gives infinity.
    """
    highest, alpha_peak, kappa_peak = tir_points(kappa, alpha, fz, mu, side, 0.0, c)[0, 3:].tolist()
    return highest, alpha_peak, kappa_peak


def tir_points(
    kappa: ArrayLike,
    alpha: ArrayLike,
    fz: ArrayLike,
    mu: ArrayLike,
    side: ArrayLike,
    shift: ArrayLike,
    c: Array,
) -> Array:
    """Return rows of Fx, Fy [N], dFx/dkappa [N], mu_peak, alpha_peak [rad], kappa_peak.

    Arrays of one length, or numbers for all of them; alpha within pi/2.
    """
    slip_y = -np.tan(np.asarray(alpha, dtype=np.float64))
    given = np.broadcast_arrays(*map(np.atleast_1d, (kappa, slip_y, fz, mu, side, shift)))
    points = np.zeros((given[0].size, POINT))
    points[:, : len(given)] = np.column_stack(given)
    evaluate_tir(points.reshape(-1), c)
    results: Array = points[:, len(given) :]
    return results
