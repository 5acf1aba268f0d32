"""Does the vehicle track its commands? Delay, gain and bias of each channel, for people.

The vehicle side keeps pairs of what was commanded and what the vehicle reports as applied
(vehicle_watch.py). An estimate selects the shift between them with the least squared error of
`applied = gain * commanded + bias`. Gain and delay need a command that changes; the error between
the two does not. It takes about a millisecond, for about 1 Hz; nothing that drives needs it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_watch import Pairs, Tracked

Series = NDArray[np.float64]
ANGLE = "front wheel angle"
MOVING = 0.25
"""Least spread of the command to estimate gain and delay, as a share of the tolerated error."""


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


def estimates(tracked: Tracked, parameters: InterfaceParameters) -> tuple[TrackingEstimate, ...]:
    """Judge both channels; a channel without a full window is left out."""
    p, period_s = parameters.tracking, parameters.period_s
    delay_n = round(p.delay_max_s / period_s)
    channels = (
        (ANGLE, tracked.angle, p.angle_error_rad),
        ("acceleration", tracked.accel, p.accel_error_mps2),
    )
    return tuple(
        estimate(channel, pairs, delay_n, period_s, tolerated)
        for channel, pairs, tolerated in channels
        if len(pairs) == pairs.maxlen
    )


def with_round_trip(
    statistics: Mapping[str, float], found: Sequence[TrackingEstimate]
) -> Mapping[str, float]:
    """Complete the figures of a link by `round_trip_s`; {} without a wire.

    It is the one that the platform measures; without it, the delay of the wheel angle, where that
    moves enough to show one.
    """
    delays_s = (item.delay_s for item in found if item.channel == ANGLE)
    seconds = statistics.get("measured_round_trip_s", math.nan)
    seconds = next(delays_s, math.nan) if math.isnan(seconds) else seconds
    if not statistics or math.isnan(seconds):
        return statistics
    return {**statistics, "round_trip_s": seconds}


def estimate(
    channel: str, pairs: Pairs, delay_max_n: int, period_s: float, tolerated: float
) -> TrackingEstimate:
    """Judge the full window of one channel."""
    delay_max_n = min(delay_max_n, len(pairs) // 2)
    table = np.asarray(pairs, dtype=np.float64)
    commanded, applied = table[:, 0], table[:, 1]
    start = delay_max_n
    answer = applied[start:]
    best: tuple[float, int, float, float] | None = None
    if float(np.std(commanded)) > MOVING * tolerated:
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
        return TrackingEstimate(channel, math.nan, math.nan, bias, error, error <= tolerated)
    return TrackingEstimate(
        channel,
        delay_n * period_s,
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
