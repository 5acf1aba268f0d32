"""Position and heading of a car that does not report them: its speed and yaw rate, summed up."""

from __future__ import annotations

import math

LONGEST_STEP_S = 0.5


class DeadReckoning:
    """ENU, from the first report on [m, rad]. Without a yaw rate it follows the wheel angle."""

    def __init__(self, wheelbase_m: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._at_s = math.nan
        self.x_m = self.y_m = self.yaw_rad = 0.0

    def step(self, speed_mps: float, angle_rad: float, yaw_rate: float | None, now: float) -> float:
        """Move on to now; return the yaw rate that was used [rad/s]."""
        if yaw_rate is None:
            yaw_rate = speed_mps * math.tan(angle_rad) / self._wheelbase_m
        gap_s = now - self._at_s
        self._at_s = now
        if 0.0 < gap_s <= LONGEST_STEP_S:
            middle = self.yaw_rad + 0.5 * yaw_rate * gap_s
            self.x_m += speed_mps * math.cos(middle) * gap_s
            self.y_m += speed_mps * math.sin(middle) * gap_s
            self.yaw_rad = math.remainder(self.yaw_rad + yaw_rate * gap_s, math.tau)
        return yaw_rate
