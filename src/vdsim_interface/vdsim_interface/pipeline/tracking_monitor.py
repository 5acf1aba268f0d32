"""Follow monitor: does the vehicle do what it is told? Delay, gain and bias of each channel.

Commands and the answers that the vehicle reports are kept for a window. An estimate takes the shift
between them that leaves the least squared error of `applied = gain * commanded + bias`. Gain and
delay need a command that moves; the distance between the two needs none.
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.parameters.fields import Parameters, real

Series = NDArray[np.float64]


@dataclass(frozen=True)
class TrackingParameters(Parameters):
    """When a vehicle counts as not following."""

    PREFIX: ClassVar[str] = "tracking"
    LIVE: ClassVar[bool] = True

    window_s: float = real(
        3.0, "stretch of commands that is judged [s]", at_least=1, at_most=60, live=False
    )
    delay_max_s: float = real(
        0.6, "longest delay that is searched for [s]", above=0, at_most=5, live=False
    )
    angle_error_rad: float = real(
        0.08,
        "mean distance of the wheel angle that counts as not following [rad]",
        above=0,
        at_most=1,
    )
    accel_error_mps2: float = real(
        1.5,
        "mean distance of the acceleration that counts as not following [m/s2]",
        above=0,
        at_most=15,
    )


@dataclass(frozen=True)
class TrackingEstimate:
    """How one channel follows. Delay [s] and gain are nan while the command hardly moves."""

    channel: str
    delay_s: float
    gain: float
    bias: float
    error: float
    follows: bool

    def words(self) -> str:
        """Say it in a line."""
        state = "follows" if self.follows else "does NOT follow"
        if math.isnan(self.gain):
            return f"{self.channel} {state}: mean distance {self.error:.3g}"
        return (
            f"{self.channel} {state}: delay {self.delay_s:.2f} s, gain {self.gain:.2f}, "
            f"bias {self.bias:+.3g}, mean distance {self.error:.3g}"
        )


class ChannelTracker:
    """One channel. `add` takes one period's pair: commanded, applied."""

    MOVING = 0.25
    """Least spread of the command to estimate gain and delay, as a share of the tolerated error."""

    def __init__(self, channel: str, window_n: int, delay_max_n: int, period_s: float) -> None:
        self._channel = channel
        self._period_s = period_s
        self._delay_max_n = min(delay_max_n, window_n // 2)
        self._pairs: deque[tuple[float, float]] = deque(maxlen=window_n)
        self.add = self._pairs.append

    def clear(self) -> None:
        """Forget: what comes next is another drive."""
        self._pairs.clear()

    def estimate(self, tolerated: float) -> TrackingEstimate | None:
        """Judge the window; None until it is full."""
        if len(self._pairs) < (self._pairs.maxlen or 0):
            return None
        table = np.asarray(self._pairs, dtype=np.float64)
        commanded, applied = table[:, 0], table[:, 1]
        start = self._delay_max_n
        answer = applied[start:]
        best: tuple[float, int, float, float] | None = None
        if float(np.std(commanded)) > self.MOVING * tolerated:
            for delay_n in range(start + 1):
                asked = commanded[start - delay_n : len(commanded) - delay_n]
                gain, bias, rest = _line(asked, answer)
                if best is None or rest < best[0]:
                    best = (rest, delay_n, gain, bias)
        delay_n = 0 if best is None else best[1]
        asked = commanded[start - delay_n : len(commanded) - delay_n]
        error = float(np.mean(np.abs(answer - asked)))
        if best is None:
            bias = float(np.mean(answer - asked))
            return TrackingEstimate(
                self._channel, math.nan, math.nan, bias, error, error <= tolerated
            )
        return TrackingEstimate(
            self._channel,
            delay_n * self._period_s,
            best[2],
            best[3],
            error,
            error <= tolerated,
        )


def _line(x: Series, y: Series) -> tuple[float, float, float]:
    """Least squares y = gain x + bias; return gain, bias and the remaining squared error."""
    x_mean, y_mean = float(np.mean(x)), float(np.mean(y))
    spread = float(np.sum((x - x_mean) ** 2))
    gain = float(np.sum((x - x_mean) * (y - y_mean))) / spread if spread > 0.0 else 0.0
    bias = y_mean - gain * x_mean
    return gain, bias, float(np.sum((y - gain * x - bias) ** 2))


class TrackingMonitor:
    """Wheel angle and acceleration, compared over the window."""

    def __init__(self, parameters: TrackingParameters, period_s: float) -> None:
        self._parameters = parameters
        window_n = round(parameters.window_s / period_s)
        delay_n = round(parameters.delay_max_s / period_s)
        self._angle = ChannelTracker("front wheel angle", window_n, delay_n, period_s)
        self._accel = ChannelTracker("acceleration", window_n, delay_n, period_s)

    def configure(self, parameters: TrackingParameters) -> None:
        """Take new tolerances."""
        self._parameters = parameters

    def clear(self) -> None:
        """Start over, for example after autonomy ended."""
        self._angle.clear()
        self._accel.clear()

    def add(
        self,
        commanded_angle_rad: float,
        applied_angle_rad: float,
        commanded_mps2: float,
        applied_mps2: float,
        *,
        moving: bool,
    ) -> None:
        """Take one period. The acceleration of a standing car is held by the brake: left out."""
        self._angle.add((commanded_angle_rad, applied_angle_rad))
        if moving:
            self._accel.add((commanded_mps2, applied_mps2))

    def angle_delay_s(self) -> float:
        """Estimate the time from a wheel angle's command to its report; nan while it is still."""
        estimate = self._angle.estimate(self._parameters.angle_error_rad)
        return math.nan if estimate is None else estimate.delay_s

    def estimates(self) -> tuple[TrackingEstimate, ...]:
        """Judge both channels; a channel without a full window is left out. About a millisecond."""
        p = self._parameters
        found = (
            self._angle.estimate(p.angle_error_rad),
            self._accel.estimate(p.accel_error_mps2),
        )
        return tuple(estimate for estimate in found if estimate is not None)
