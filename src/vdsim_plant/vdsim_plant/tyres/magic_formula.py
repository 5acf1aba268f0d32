"""The Magic Formula and where its peak lies.

H. B. Pacejka, Tyre and Vehicle Dynamics, chapter 4: y = D sin(C atan(B x - E (B x - atan(B x)))).
"""

from __future__ import annotations

import math


def magic(b: float, c: float, d: float, e: float, x: float) -> float:
    """Return D sin(C atan(B x - E (B x - atan B x)))."""
    bx = b * x
    return d * math.sin(c * math.atan(bx - e * (bx - math.atan(bx))))


def magic_weight(b: float, c: float, e: float, x: float) -> float:
    """Return cos(C atan(B x - E (B x - atan B x))), the form of the combined-slip weights."""
    bx = b * x
    return math.cos(c * math.atan(bx - e * (bx - math.atan(bx))))


def peak_argument(c: float, e: float) -> float:
    """Return the B x > 0 at which the formula peaks, infinity where it has no peak.

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
