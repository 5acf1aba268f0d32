"""Monitors one vehicle: does it do what it is sent?

`FollowingWatch` proves that the vehicle does not do what it is sent, from what it reports as
applied. A report answers an earlier packet, and an actuator needs time. So a reported value is
possible as long as it lies within the range of what was sent during the last second, whatever the
delay. Wheel angle and pedals are compared, never the acceleration: on ice a car that obeys does not
accelerate.
"""

from collections import deque
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import ClassVar, NamedTuple

from vdsim_interface.parameters.fields import Parameters, real
from vdsim_interface.values import Applied, WireCommand

SLICE_S = 0.1
"""Commands are kept as one range for each slice of time, not one by one."""
SLICES_N = 10
"""The window is this many slices, and the one under way."""


class Channel(NamedTuple):
    """What is compared: field name in both records, words, unit, and tolerance."""

    name: str
    words: str
    unit: str
    tolerance: float


CHANNELS = (
    Channel("front_wheel_angle_rad", "front wheel angle", " rad", 0.05),
    Channel("throttle", "throttle", "", 0.1),
    Channel("brake", "brake", "", 0.1),
)

Ranges = tuple[float, float, float, float, float, float]
_EMPTY: Ranges = (inf, -inf, inf, -inf, inf, -inf)


class FollowingWatch:
    """`fault`: what the vehicle has not followed for `lost_s`; empty while it may follow.

    `lost_s` may be replaced at any time.
    """

    def __init__(self, lost_s: float) -> None:
        self.lost_s = lost_s
        self._slices: deque[Ranges] = deque(maxlen=SLICES_N)
        self.clear()

    def clear(self) -> None:
        """Discard everything: another drive begins."""
        self.fault = ""
        self._slices.clear()
        self._range = _EMPTY
        self._slice_s = -inf
        self._since_s = nan

    def add(self, sent: WireCommand, now: float) -> bool:
        """Add what one period sent; return whether a slice is complete, so `check` is due."""
        if abs(now - self._slice_s) >= SLICES_N * SLICE_S:  # the first, or after a gap
            self.clear()
            self._slice_s = now
        angle, throttle, brake, _ = sent
        left, right, throttle_from, throttle_to, brake_from, brake_to = self._range
        if not (
            left <= angle <= right
            and throttle_from <= throttle <= throttle_to
            and brake_from <= brake <= brake_to
        ):
            # A quantity that is not sent is nan: it never compares, so its range stays empty.
            self._range = (
                angle if angle < left else left,
                angle if angle > right else right,
                throttle if throttle < throttle_from else throttle_from,
                throttle if throttle > throttle_to else throttle_to,
                brake if brake < brake_from else brake_from,
                brake if brake > brake_to else brake_to,
            )
        if now - self._slice_s < SLICE_S:
            return False
        self._slices.append(self._range)
        self._range, self._slice_s = _EMPTY, now
        return len(self._slices) == SLICES_N

    def check(self, applied: Applied, now: float) -> None:
        """Compare a fresh report with the window; update `fault`."""
        ranges = tuple(zip(*self._slices, strict=True))
        faults = []
        for number, channel in enumerate(CHANNELS):
            low, high = min(ranges[2 * number]), max(ranges[2 * number + 1])
            reported = float(getattr(applied, channel.name))
            is_inside = low - channel.tolerance <= reported <= high + channel.tolerance
            if not (is_inside or isnan(reported) or low > high):  # without one of the two
                sent = f"{channel.words} {high:.3g}{channel.unit} sent"
                faults.append(f"{sent}, {reported:.3g} applied")
        if not faults:
            self._since_s, self.fault = nan, ""
            return
        if isnan(self._since_s):
            self._since_s = now
        if now - self._since_s >= self.lost_s:
            self.fault = f"the vehicle does not follow: {', '.join(faults)}"


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
