"""Tracking monitor: does the vehicle track its commands? Delay, gain and bias of each channel.

A window holds the commands and the applied values that the vehicle reports. An estimate selects the
shift between them with the least squared error of `applied = gain * commanded + bias`. Gain and
delay need a command that changes; the error between the two does not.
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
    """Limits beyond which a vehicle does not track its commands."""

    PREFIX: ClassVar[str] = "tracking"
    LIVE: ClassVar[bool] = True

    window_s: float = real(
        3.0, "length of the comparison window [s]", at_least=1, at_most=60, live=False
    )
    lost_s: float = real(
        2.0,
        "time after which a vehicle that provably does not follow ends autonomy [s]",
        above=0,
        at_most=60,
    )
    delay_max_s: float = real(0.6, "longest delay considered [s]", above=0, at_most=5, live=False)
    angle_error_rad: float = real(
        0.08,
        "mean error of the wheel angle from which it does not track [rad]",
        above=0,
        at_most=1,
    )
    accel_error_mps2: float = real(
        1.5,
        "mean error of the acceleration from which it does not track [m/s2]",
        above=0,
        at_most=15,
    )


@dataclass(frozen=True)
class TrackingEstimate:
    """How one channel tracks. Delay [s] and gain are nan while the command hardly moves."""

    channel: str
    delay_s: float
    gain: float
    bias: float
    error: float
    tracks: bool

    def words(self) -> str:
        """Return it as one line."""
        state = "tracks" if self.tracks else "does NOT track"
        if math.isnan(self.gain):
            return f"{self.channel} {state}: mean error {self.error:.3g}"
        return (
            f"{self.channel} {state}: delay {self.delay_s:.2f} s, gain {self.gain:.2f}, "
            f"bias {self.bias:+.3g}, mean error {self.error:.3g}"
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
        """Discard the window; the next period begins another drive."""
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
                sent = commanded[start - delay_n : len(commanded) - delay_n]
                gain, bias, rest = _line(sent, answer)
                if best is None or rest < best[0]:
                    best = (rest, delay_n, gain, bias)
        delay_n = 0 if best is None else best[1]
        sent = commanded[start - delay_n : len(commanded) - delay_n]
        error = float(np.mean(np.abs(answer - sent)))
        if best is None:
            bias = float(np.mean(answer - sent))
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
        self._is_empty = True

    def configure(self, parameters: TrackingParameters) -> None:
        """Use new tolerances."""
        self._parameters = parameters

    def clear(self) -> None:
        """Discard both windows, for example after autonomy ended."""
        if self._is_empty:
            return
        self._is_empty = True
        self._angle.clear()
        self._accel.clear()

    def add(
        self,
        commanded_angle_rad: float,
        applied_angle_rad: float,
        commanded_mps2: float,
        applied_mps2: float,
        moving: bool,
    ) -> None:
        """Add one period; without acceleration at standstill, where the brake holds."""
        self._is_empty = False
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
        estimates = (
            self._angle.estimate(p.angle_error_rad),
            self._accel.estimate(p.accel_error_mps2),
        )
        return tuple(estimate for estimate in estimates if estimate is not None)
