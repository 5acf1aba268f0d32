"""Tyre angle and steering wheel angle, and the speed that the wheel is limited to.

AutoHYU's can_transmitter converts the tyre angle by a polynomial, and may limit the speed of the
steering wheel angle while the steering is active. Angles in degrees, positive to the left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

LARGEST_TYRE_DEG = 35.0
"""Up to here a polynomial must rise."""
_HALVINGS = 60


def rises(cubic: Sequence[float]) -> bool:
    """Whether the polynomial rises over every tyre angle, so that it has an inverse."""
    a3, a2, a1, _ = cubic
    ends = [3.0 * a3 * x * x + 2.0 * a2 * x + a1 for x in (-LARGEST_TYRE_DEG, LARGEST_TYRE_DEG)]
    if a3 != 0.0 and abs(turn := -a2 / (3.0 * a3)) <= LARGEST_TYRE_DEG:
        ends.append(3.0 * a3 * turn * turn + 2.0 * a2 * turn + a1)
    return min(ends) > 0.0


class SteeringGear:
    """`ratio` or, where given, `cubic`: from the tyre to the steering wheel."""

    def __init__(self, ratio: float, cubic: Sequence[float]) -> None:
        self._cubic = tuple(cubic) if any(cubic) else (0.0, 0.0, ratio, 0.0)

    def wheel_deg(self, tyre_deg: float) -> float:
        """The steering wheel angle of a tyre angle."""
        a3, a2, a1, a0 = self._cubic
        return ((a3 * tyre_deg + a2) * tyre_deg + a1) * tyre_deg + a0

    def slope(self, tyre_deg: float) -> float:
        """Steering wheel angle per tyre angle, there."""
        a3, a2, a1, _ = self._cubic
        return (3.0 * a3 * tyre_deg + 2.0 * a2) * tyre_deg + a1

    def tyre_deg(self, wheel_deg: float) -> float:
        """The tyre angle of a steering wheel angle, within the range that rises."""
        low, high = -LARGEST_TYRE_DEG, LARGEST_TYRE_DEG
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if self.wheel_deg(middle) < wheel_deg:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)


class SteeringSpeed:
    """Limits how fast the commanded steering wheel angle moves."""

    def __init__(self, gear: SteeringGear, most_degps: float) -> None:
        """`most_degps` 0: not limited."""
        self._gear, self._most_degps = gear, most_degps
        self._wheel_deg = 0.0

    def step(self, tyre_rad: float, period_s: float, *, active: bool) -> float:
        """Return the tyre angle to command [rad]; limited only while the steering is active."""
        if self._most_degps <= 0.0:
            return tyre_rad
        asked = self._gear.wheel_deg(math.degrees(tyre_rad))
        room = self._most_degps * period_s
        allowed = min(max(asked, self._wheel_deg - room), self._wheel_deg + room)
        if not active or allowed == asked:
            self._wheel_deg = asked
            return tyre_rad
        self._wheel_deg = allowed
        return math.radians(self._gear.tyre_deg(allowed))
