"""The speeds of a map's grid: closer together where the acceleration bends over speed.

A rev limiter takes several m/s2 within 2 m/s; the usual steps would interpolate a slope across it.
"""

from itertools import pairwise

import numpy as np

from vdsim_interface.extras.calibration.fit import Fit, fit_pedal_map
from vdsim_interface.extras.calibration.samples import Samples
from vdsim_interface.platforms.pedal_map import PedalMap

BEND_MPS2 = 0.05
"""Another speed is added where the samples of a pedal lie this far from the line, on average."""

CLOSEST_MPS = 0.5


def speed_grid(top_mps: float) -> tuple[float, ...]:
    """Return the initial grid speeds [m/s]: 1, 2, 3, 5, then every 2.5 m/s."""
    start = [speed for speed in (1.0, 2.0, 3.0, 5.0) if speed < top_mps]
    steps = [2.5 * n for n in range(3, int(top_mps / 2.5) + 1)]
    return tuple(sorted({*start, *steps, top_mps}))


def fit_up_to(samples: Samples, top_mps: float) -> Fit:
    """Fit a map up to a speed; bisect speed steps until the samples are straight in each."""
    speeds = speed_grid(top_mps)
    while True:
        fit = fit_pedal_map(samples, speeds)
        more = _bends(samples, fit.pedal_map)
        if not more:
            return fit
        speeds = tuple(sorted({*speeds, *more}))


def _bends(samples: Samples, pedal_map: PedalMap) -> list[float]:
    """Return the middles of the speed steps in which a pedal of the map is not straight.

    The mean is signed: noise of the samples mostly cancels out, a bend does not.
    """
    middles = []
    for low, high in pairwise(pedal_map.speeds_mps):
        if (high - low) / 2.0 < CLOSEST_MPS:
            continue
        within = (samples.speed_mps > low) & (samples.speed_mps < high)
        for pedal in pedal_map.pedals:
            chosen = within & (samples.pedal == pedal)
            line = np.interp(
                samples.speed_mps[chosen],
                (low, high),
                (pedal_map.accel(pedal, low), pedal_map.accel(pedal, high)),
            )
            if chosen.any() and abs(np.mean(samples.accel_mps2[chosen] - line)) > BEND_MPS2:
                middles.append((low + high) / 2.0)
                break
    return middles
