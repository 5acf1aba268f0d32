"""Dead time, lag and limits of a command, as the delayed models of Autoware have them."""

from __future__ import annotations

import math

from vdsim_plant.delay_line import DelayLine

LEAST_LAG_S = 0.03
"""Autoware's models use at least this time constant."""


def clip(value: float, limit: float) -> float:
    """Return a value within -limit to limit."""
    return min(max(value, -limit), limit)


class Delayed:
    """A dead time; nothing else."""

    def __init__(self, delay_s: float) -> None:
        self._line = DelayLine(delay_s)

    def step(self, value: float, now: float) -> float:
        """Put in the command of now; return the one that acts."""
        return self._line.pass_through(value, now)

    def reset(self) -> None:
        """Forget what is waiting."""
        self._line.fill(0.0)


def toward(value: float, target: float, lag_s: float, dt: float) -> float:
    """Return a first-order lag after `dt`; without a lag the target."""
    if lag_s <= 0.0:
        return target
    return value - (target - value) * math.expm1(-dt / lag_s)
