"""Does the car turn to the side that it steers? If not, a side of positive steering is wrong.

The simulator has two: of the command (`morai.steer_positive`) and of the reported wheel angle
(`morai.steer_reported_positive`), and they may differ. So the angle that was sent and the angle
that is reported are each compared with the car's yaw rate, which has one sign only. Compared while
the wheels are held to one side for half a second, the car moves, its rear axle does not slide, and
it is not braked: wheels that lock steer nothing, and no report has their speeds.

    sent     reported   wrong is
    agrees   agrees     nothing
    against  agrees     the command's side
    agrees   against    the report's side
    against  against    both, which is one setting where the report follows the command
"""

import math
from collections import deque
from typing import NamedTuple

from vdsim_interface.extras.morai.parameters import AS_COMMANDED, MoraiParameters
from vdsim_interface.values import VehicleReport
from vdsim_interface.values.speeds import TURNS_MPS

WINDOW_S = 0.6
SENT_WINDOW_S = 1.2
"""Longer for the angle that was sent: the car follows it late."""
EARLY_S = 0.3
"""After this time an angle shows its side, though not yet beyond doubt."""
STEERED_RAD = 0.01
"""An angle up to this may be that of a straight road."""
TURNING_RADPS = 0.015
"""A yaw rate expected below this is not compared."""
SLIDES_RAD = 0.06
BRAKED = 0.05
"""A pedal above this may lock wheels on ice."""
SHARE = 0.4
"""The share of the expected yaw rate that shows the side: grip and lag leave the rest."""
FEWEST_N = 10
OTHER = {"left": "right", "right": "left"}


class _Sample(NamedTuple):
    stamp_s: float
    expected_radps: float
    yaw_rate_radps: float


class _Angle:
    """One angle beside the yaw rate. `is_wrong`: the car turns to the other side.

    `leans`: +1 where the latest samples agree with it, -1 where they are against it, 0 where they
    say nothing.
    """

    def __init__(self, wheelbase_m: float, window_s: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._window_s = window_s
        self._samples: deque[_Sample] = deque()
        self.is_wrong = False
        self.leans = 0

    def add(self, angle_rad: float, report: VehicleReport, *, slides: bool) -> None:
        """Use the angle and the motion of one report; nan: not known."""
        samples = self._samples
        expected = 0.0 if slides else self._expected(angle_rad, report.velocity_mps)
        if samples and not 0.0 <= report.stamp_s - samples[-1].stamp_s <= 0.25:
            samples.clear()
        if expected == 0.0 or (samples and samples[-1].expected_radps * expected < 0.0):
            samples.clear()
        if expected == 0.0:
            self.leans = 0
            return
        samples.append(_Sample(report.stamp_s, expected, report.yaw_rate_radps))
        while report.stamp_s - samples[0].stamp_s > self._window_s:
            samples.popleft()
        self._judge(report.stamp_s - samples[0].stamp_s)

    def _expected(self, angle_rad: float, speed_mps: float) -> float:
        """The yaw rate of the rolling car [rad/s]; 0: nothing can be said."""
        if abs(speed_mps) < TURNS_MPS or not abs(angle_rad) >= STEERED_RAD:
            return 0.0
        expected = speed_mps * math.tan(angle_rad) / self._wheelbase_m
        return expected if abs(expected) > TURNING_RADPS else 0.0

    def _judge(self, seconds: float) -> None:
        self.leans = 0
        if len(self._samples) < FEWEST_N or seconds < EARLY_S:
            return
        expected = sum(sample.expected_radps**2 for sample in self._samples)
        agreed = sum(sample.expected_radps * sample.yaw_rate_radps for sample in self._samples)
        if abs(agreed) > SHARE * expected:
            self.leans = 1 if agreed > 0.0 else -1
        if self.leans and seconds > 0.9 * self._window_s:
            self.is_wrong = self.leans < 0


class SteerSign:
    """Both comparisons. `is_wrong`: the car turns to the other side than an angle says."""

    def __init__(self, wheelbase_m: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._reported = _Angle(wheelbase_m, WINDOW_S)
        self._sent = _Angle(wheelbase_m, SENT_WINDOW_S)

    @property
    def is_wrong(self) -> bool:
        """Whether a side is wrong, beyond doubt."""
        return self._reported.is_wrong or self._sent.is_wrong

    def add(self, report: VehicleReport, sent_rad: float = math.nan) -> None:
        """Use one report. `sent_rad`: the wheel angle that the simulator follows; nan: none."""
        slides = self._slides(report) or report.applied.brake > BRAKED
        self._reported.add(report.front_wheel_angle_rad, report, slides=slides)
        self._sent.add(sent_rad, report, slides=slides)

    def advice(self, parameters: MoraiParameters) -> str:
        """Say what is wrong and what to set."""
        command, reported = parameters.steer_side, parameters.reported_side
        both = self._reported.is_wrong and self._sent.leans <= 0
        if self._reported.is_wrong and not both:
            return (
                "the reported wheel angle is to the other side than the car turns, and the command "
                f"is right: the simulator does not report positive angles as {reported}; set "
                f"morai.steer_reported_positive to {OTHER[reported]}"
            )
        text = (
            "the car turns to the other side than it steers: the simulator does not take positive "
            f"steering as {command}; set morai.steer_positive to {OTHER[command]}"
        )
        if both:
            explicit = parameters.steer_reported_positive != AS_COMMANDED
            reported = OTHER[reported] if explicit else ""
        return f"{text} and morai.steer_reported_positive to {reported}" if reported else text

    def _slides(self, report: VehicleReport) -> bool:
        # The side speed is measured somewhere on the wheelbase.
        side, turn = report.lateral_velocity_mps, self._wheelbase_m * report.yaw_rate_radps
        slip = side - min(max(side, min(turn, 0.0)), max(turn, 0.0))
        return abs(slip) > SLIDES_RAD * abs(report.velocity_mps)
