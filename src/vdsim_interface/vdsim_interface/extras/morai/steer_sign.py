"""Does the car turn to the side that it steers? If not, `morai.steer_positive` is wrong.

The command and the reported wheel angle are turned by the same parameter, so they agree whatever
it is. Only the car's yaw rate shows the side. Compared while the wheels are held to one side for
most of a second, the car moves and its rear axle does not slide.
"""

import math
from collections import deque
from typing import NamedTuple

from vdsim_interface.standstill.speeds import TURNS_MPS
from vdsim_interface.values import VehicleReport

WINDOW_S = 0.8
STEERED_RAD = 0.01
"""An angle up to this may be that of a straight road."""
TURNING_RADPS = 0.015
"""A yaw rate expected below this is not compared."""
SLIDES_RAD = 0.06
SHARE = 0.4
"""The share of the expected yaw rate that shows the side: grip and lag leave the rest."""
FEWEST_N = 10


class _Sample(NamedTuple):
    stamp_s: float
    expected_radps: float
    yaw_rate_radps: float


class SteerSign:
    """The comparison over the latest samples. `is_wrong`: the car turns to the other side."""

    def __init__(self, wheelbase_m: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._samples: deque[_Sample] = deque()
        self.is_wrong = False

    def add(self, report: VehicleReport) -> None:
        """Use one report."""
        samples = self._samples
        expected = self._expected(report)
        if samples and not 0.0 <= report.stamp_s - samples[-1].stamp_s <= 0.25:
            samples.clear()
        if expected == 0.0 or (samples and samples[-1].expected_radps * expected < 0.0):
            samples.clear()
        if expected == 0.0:
            return
        samples.append(_Sample(report.stamp_s, expected, report.yaw_rate_radps))
        while report.stamp_s - samples[0].stamp_s > WINDOW_S:
            samples.popleft()
        if len(samples) >= FEWEST_N and report.stamp_s - samples[0].stamp_s > 0.9 * WINDOW_S:
            self._judge()

    def _expected(self, report: VehicleReport) -> float:
        """The yaw rate of the rolling car [rad/s]; 0: nothing can be said."""
        speed, steer = report.velocity_mps, report.front_wheel_angle_rad
        if abs(speed) < TURNS_MPS or abs(steer) < STEERED_RAD or self._slides(report):
            return 0.0
        expected = speed * math.tan(steer) / self._wheelbase_m
        return expected if abs(expected) > TURNING_RADPS else 0.0

    def _slides(self, report: VehicleReport) -> bool:
        # The side speed is measured somewhere on the wheelbase.
        side, turn = report.lateral_velocity_mps, self._wheelbase_m * report.yaw_rate_radps
        slip = side - min(max(side, min(turn, 0.0)), max(turn, 0.0))
        return abs(slip) > SLIDES_RAD * abs(report.velocity_mps)

    def _judge(self) -> None:
        expected = sum(sample.expected_radps**2 for sample in self._samples)
        agreed = sum(sample.expected_radps * sample.yaw_rate_radps for sample in self._samples)
        if agreed < -SHARE * expected:
            self.is_wrong = True
        elif agreed > SHARE * expected:
            self.is_wrong = False
