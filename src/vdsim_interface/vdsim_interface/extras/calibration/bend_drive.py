"""Drives a vehicle through steady bends: the samples of its understeer gradient.

Reported motion in, pedals and wheel angle out, bend by bend: to the speed, into the bend, until
speed and yaw rate are steady, then on to the next. A bend is steady when two halves of a window
agree, within what their noise explains. Time is the vehicle's. Body axes of ISO 8855.
"""

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from vdsim_interface.extras.calibration.understeer_fit import HEADER, WHEELBASE, UndersteerError
from vdsim_interface.values.speeds import STANDSTILL_MPS

SLOWEST_MPS = 5.0
SPEEDS_N = 3
LATERAL_MPS2 = (1.0, 2.0, 3.0)
STEER_RATE_RADPS = 0.3
THROTTLE_MAX, BRAKE_MAX = 0.7, 0.4
GAIN_PER_MPS, GAIN_PER_M = 0.25, 0.1
"""Pedal per speed error, and per speed error and second."""
NEAR_MPS = 2.0
"""The integral of the speed error counts within this error."""
WINDOW_S, LEAST_N = 1.0, 20
STEADY_SHARE, NOISE_SIGMAS = 0.002, 3.0
AT_SPEED_SHARE = 0.05
LONGEST_BEND_S = 60.0
LONGEST_STEP_S = 0.1


class BendMotion(NamedTuple):
    """What a vehicle reports."""

    time_s: float
    speed_mps: float
    front_wheel_angle_rad: float
    yaw_rate_radps: float


class BendCommand(NamedTuple):
    """Pedals in [0, 1] and the road wheel angle [rad]."""

    throttle: float
    brake: float
    front_wheel_angle_rad: float


class BendDrive:
    """One drive. `rows`: the samples so far, as the fit reads them. `is_done`: the car stands."""

    def __init__(self, wheelbase_m: float, top_speed_mps: float) -> None:
        for name, value, least in (
            ("wheelbase", wheelbase_m, 0.0),
            ("top_speed", top_speed_mps, SLOWEST_MPS),
        ):
            if not least < value < math.inf:
                raise UndersteerError(f"{name}={value:g}: must be > {least:g}")
        self._wheelbase_m = wheelbase_m
        self._bends = [
            (SLOWEST_MPS + (top_speed_mps - SLOWEST_MPS) * number / (SPEEDS_N - 1), lateral)
            for number in range(SPEEDS_N)
            for lateral in LATERAL_MPS2
        ]
        self._window: deque[BendMotion] = deque()
        self._began_s = self._last_s = math.nan
        self._angle_rad = self._integral = 0.0
        self._command = BendCommand(0.0, 0.0, 0.0)
        self.rows = [f"{WHEELBASE} {wheelbase_m:g}", HEADER]
        self.is_done = False

    def step(self, motion: BendMotion) -> BendCommand:
        """Return the command that answers a report; raise if a bend cannot be driven."""
        if motion.time_s == self._last_s:  # a simulator that pauses
            return self._command
        if not motion.time_s > self._last_s:  # the first report, or a simulator that was reset
            self._began_s = self._last_s = motion.time_s
            self._window.clear()
        dt_s = min(motion.time_s - self._last_s, LONGEST_STEP_S)
        self._last_s = motion.time_s
        self._command = self._next(motion, dt_s)
        return self._command

    def _next(self, motion: BendMotion, dt_s: float) -> BendCommand:
        if not self._bends:
            self.is_done = abs(motion.speed_mps) < STANDSTILL_MPS
            return BendCommand(0.0, BRAKE_MAX, self._steered(0.0, dt_s))
        speed, lateral = self._bends[0]
        goal = math.atan(self._wheelbase_m * lateral / speed**2)
        command = self._driven(speed - motion.speed_mps, self._steered(goal, dt_s), dt_s)
        if self._angle_rad == goal and abs(motion.speed_mps - speed) < AT_SPEED_SHARE * speed:
            self._sample(motion)
        else:
            self._window.clear()
        if motion.time_s - self._began_s > LONGEST_BEND_S:
            raise UndersteerError(
                f"bend of {speed:g} m/s: not steady within {LONGEST_BEND_S:g} s, the car drives at "
                f"{motion.speed_mps:.1f} m/s; does another program command it?"
            )
        return command

    def _steered(self, goal_rad: float, dt_s: float) -> float:
        most = STEER_RATE_RADPS * dt_s
        self._angle_rad += min(max(goal_rad - self._angle_rad, -most), most)
        return self._angle_rad

    def _driven(self, error_mps: float, angle_rad: float, dt_s: float) -> BendCommand:
        pedal = GAIN_PER_MPS * error_mps + self._integral
        if abs(error_mps) < NEAR_MPS and -BRAKE_MAX < pedal < THROTTLE_MAX:
            self._integral += GAIN_PER_M * error_mps * dt_s
        throttle, brake = min(max(pedal, 0.0), THROTTLE_MAX), min(max(-pedal, 0.0), BRAKE_MAX)
        return BendCommand(throttle, brake, angle_rad)

    def _sample(self, motion: BendMotion) -> None:
        """Keep the bend's means once the window is steady, and go on to the next bend."""
        window = self._window
        window.append(motion)
        while window[-1].time_s - window[1 if len(window) > 1 else 0].time_s >= WINDOW_S:
            window.popleft()
        if len(window) < LEAST_N or window[-1].time_s - window[0].time_s < WINDOW_S:
            return
        half = len(window) // 2
        _, speeds, angles, rates = zip(*window, strict=True)
        if not (_agree(speeds[:half], speeds[half:]) and _agree(rates[:half], rates[half:])):
            return
        self.rows.append(f"{_mean(speeds):.4f},{_mean(angles):.6f},{_mean(rates):.6f}")
        del self._bends[0]
        window.clear()
        self._began_s = motion.time_s


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _agree(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether two means differ by no more than a small share, or than their noise explains."""
    first, second = _mean(before), _mean(after)
    noise = math.sqrt(sum(_scatter(part) / len(part) for part in (before, after)))
    return abs(second - first) <= max(STEADY_SHARE * abs(second), NOISE_SIGMAS * noise)


def _scatter(values: Sequence[float]) -> float:
    """Return the variance of neighbours: a trend is no noise."""
    steps = [(b - a) ** 2 for a, b in pairwise(values)]
    return sum(steps) / (2.0 * len(steps))
