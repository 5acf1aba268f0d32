"""Where the curve of the Magic Formula with curvature has its peak."""

from __future__ import annotations

import math


def peak_argument(c: float, e: float) -> float:
    """Return the B x > 0 at which sin(C atan(B x - E (B x - atan B x))) peaks; inf for no peak.

    The peak is where C atan(...) reaches pi / 2. For E <= 1 the inner expression rises with B x,
    so bisection on a growing bracket finds it.
    """
    if c <= 1.0:
        return math.inf
    target = math.tan(math.pi / (2.0 * c))
    high = 1.0
    while high - e * (high - math.atan(high)) < target:
        high *= 2.0
        if high > 1e6:
            return math.inf
    low = 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle - e * (middle - math.atan(middle)) < target:
            low = middle
        else:
            high = middle
    return high
