"""What a car does not report: position and heading, and what moves it while nobody drives it."""

from __future__ import annotations

import math

GRAVITY_MPS2 = 9.80665
LONGEST_STEP_S = 0.5


class DeadReckoning:
    """ENU, from the first report on [m, rad]. Without a yaw rate it follows the wheel angle."""

    def __init__(self, wheelbase_m: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._at_s = math.nan
        self.x_m = self.y_m = self.yaw_rad = 0.0

    def step(self, speed_mps: float, angle_rad: float, yaw_rate: float, now: float) -> float:
        """Move on to now; return the yaw rate that was used [rad/s]."""
        if math.isnan(yaw_rate):
            yaw_rate = speed_mps * math.tan(angle_rad) / self._wheelbase_m
        gap_s = now - self._at_s
        self._at_s = now
        if 0.0 < gap_s <= LONGEST_STEP_S:
            middle = self.yaw_rad + 0.5 * yaw_rate * gap_s
            self.x_m += speed_mps * math.cos(middle) * gap_s
            self.y_m += speed_mps * math.sin(middle) * gap_s
            self.yaw_rad = math.remainder(self.yaw_rad + yaw_rate * gap_s, math.tau)
        return yaw_rate


class OwnEffort:
    """What moves a car along its x axis beside gravity, by what it reports [m/s2]."""

    def __init__(self) -> None:
        self._at_s = self._before_mps = math.nan

    def step(self, speed_mps: float, felt_mps2: float, pitch_rad: float, now: float) -> float:
        """Return it; nan after a gap. `felt_mps2`: of an accelerometer, nan for a car without."""
        gap_s, gained_mps = now - self._at_s, speed_mps - self._before_mps
        self._at_s, self._before_mps = now, speed_mps
        if not math.isnan(felt_mps2):
            return felt_mps2
        if not 0.0 < gap_s <= LONGEST_STEP_S:
            return math.nan
        return gained_mps / gap_s - GRAVITY_MPS2 * math.sin(pitch_rad)
