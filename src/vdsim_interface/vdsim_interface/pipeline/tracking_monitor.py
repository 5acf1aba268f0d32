"""Does the vehicle track its commands? Delay, gain and bias of each channel, for people.

Whoever publishes for a vehicle side keeps pairs of what was commanded and what the vehicle reports
as applied. An estimate selects the shift between them with the least squared error of
`applied = gain * commanded + bias`. Gain and delay need a command that changes; the error between
the two does not. It takes about a millisecond, for about 1 Hz; nothing that drives needs it.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.values import Authority, PlatformCommand, VehicleReport
from vdsim_interface.values.speeds import TRACKED_MPS

Pairs = deque[tuple[float, float]]
"""What was commanded and what the vehicle reports as applied, a pair a period."""
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


class TrackingMonitor:
    """The pairs of the last `tracking.window_s`; another length of the window begins a new one.

    `angle`: front wheel angle [rad]. `accel`: acceleration [m/s2], not at standstill, where the
    brake holds.
    """

    def __init__(self) -> None:
        self.angle, self.accel = Pairs(maxlen=0), Pairs(maxlen=0)

    def add(
        self,
        command: PlatformCommand,
        report: VehicleReport | None,
        parameters: InterfaceParameters,
    ) -> None:
        """Add one period's command, and what a report says was applied."""
        window_n = round(parameters.tracking.window_s / parameters.period_s)
        if window_n != self.angle.maxlen:
            self.angle, self.accel = Pairs(maxlen=window_n), Pairs(maxlen=window_n)
        if command.authority is not Authority.COMMAND or command.raw is not None or report is None:
            self.angle.clear()
            self.accel.clear()
            return
        vehicle, applied = command.vehicle, report.applied
        self.angle.append((vehicle.front_wheel_angle_rad, applied.front_wheel_angle_rad))
        if abs(report.velocity_mps) > TRACKED_MPS:
            self.accel.append((vehicle.long_accel_mps2, applied.long_accel_mps2))

    def estimates(self, parameters: InterfaceParameters) -> tuple[TrackingEstimate, ...]:
        """Judge both channels; a channel without a full window is left out."""
        p, period_s = parameters.tracking, parameters.period_s
        delay_n = round(p.delay_max_s / period_s)
        channels = (
            (ANGLE, self.angle, p.angle_error_rad),
            ("acceleration", self.accel, p.accel_error_mps2),
        )
        return tuple(
            estimate(channel, pairs, delay_n, period_s, tolerated)
            for channel, pairs, tolerated in channels
            if pairs and len(pairs) == pairs.maxlen
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
