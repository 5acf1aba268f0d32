"""Monitors one vehicle: does it do what it is sent?

`FollowingWatch` proves that the vehicle does not do what it is sent, from what it reports as
applied. A report answers an earlier packet, and an actuator needs time. So a reported value is
possible as long as it lies within the range of what was sent during the last second, whatever the
delay. Wheel angle and pedals are compared, never the acceleration: on ice a car that obeys does not
accelerate.
"""

import math
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from vdsim_interface.pipeline.tracking_monitor import (
    TrackingEstimate,
    TrackingMonitor,
    TrackingParameters,
)
from vdsim_interface.values import (
    Applied,
    Authority,
    PlatformCommand,
    VehicleReport,
    WireCommand,
)
from vdsim_interface.values.speeds import TRACKED_MPS

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

_INF = math.inf
Ranges = tuple[float, float, float, float, float, float]
_EMPTY: Ranges = (_INF, -_INF, _INF, -_INF, _INF, -_INF)


class FollowingWatch:
    """`fault`: what the vehicle has not followed for `lost_s`; empty while it may follow."""

    def __init__(self, lost_s: float) -> None:
        self._lost_s = lost_s
        self.fault = ""
        self._slices: deque[Ranges] = deque(maxlen=SLICES_N)
        self._range = _EMPTY
        self._slice_s = -_INF
        self._since_s = math.nan

    def configure(self, lost_s: float) -> None:
        """Use another time."""
        self._lost_s = lost_s

    def clear(self) -> None:
        """Discard everything: another drive begins."""
        self.fault = ""
        self._slices.clear()
        self._range = _EMPTY
        self._slice_s = -_INF
        self._since_s = math.nan

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
            if not low - channel.tolerance <= reported <= high + channel.tolerance:
                faults += _outside(channel, low, high, reported)
        if not faults:
            self._since_s, self.fault = math.nan, ""
            return
        if math.isnan(self._since_s):
            self._since_s = now
        if now - self._since_s >= self._lost_s:
            self.fault = f"the vehicle does not follow: {', '.join(faults)}"


def _outside(channel: Channel, low: float, high: float, reported: float) -> list[str]:
    """Describe a reported value outside the range of what was sent; [] without one of the two."""
    if math.isnan(reported) or low > high:
        return []
    return [f"{channel.words} {high:.3g}{channel.unit} sent, {reported:.3g} applied"]


COMMAND = Authority.COMMAND


class VehicleWatch:
    """How one vehicle follows and tracks its commands."""

    def __init__(self, parameters: TrackingParameters, period_s: float) -> None:
        self._tracking = TrackingMonitor(parameters, period_s)
        self._following = FollowingWatch(parameters.lost_s)

    def configure(self, parameters: TrackingParameters) -> None:
        """Use new tolerances."""
        self._tracking.configure(parameters)
        self._following.configure(parameters.lost_s)

    def clear(self) -> None:
        """Discard the collected data; the next period begins another drive."""
        self._tracking.clear()
        self._following.clear()

    @property
    def fault(self) -> str:
        """What the vehicle provably does not follow; empty while it may follow."""
        return self._following.fault

    def compare(
        self,
        command: PlatformCommand,
        sent: WireCommand | None,
        report: VehicleReport | None,
        now: float,
        *,
        fresh: bool,
    ) -> None:
        """Compare one period's command, and what was sent, with what a report says was applied."""
        commanding = command.authority is COMMAND
        if not commanding or sent is None:
            self._following.clear()
        elif self._following.add(sent, now) and report is not None and fresh:
            self._following.check(report.applied, now)
        if not commanding or report is None or command.raw is not None:
            self._tracking.clear()
            return
        _, accel_mps2, front_rad, _ = command.vehicle
        applied_rad, applied_mps2 = report.applied[:2]
        moving = abs(report.velocity_mps) > TRACKED_MPS
        self._tracking.add(front_rad, applied_rad, accel_mps2, applied_mps2, moving)

    def estimates(self) -> tuple[TrackingEstimate, ...]:
        """Judge whether the vehicle tracks its commands; about a millisecond, for 1 Hz."""
        return self._tracking.estimates()

    def link_statistics(self, wire: Mapping[str, float], age_s: float) -> Mapping[str, float]:
        """Complete the platform's figures of its wire; {} without one.

        `age_s` is the age of the report in use. `round_trip_s` is the one that the platform
        measures; without it, it is present when the wheel angle moves enough to identify the
        vehicle's response.
        """
        if not wire:
            return wire
        measured_s = wire.get("measured_round_trip_s", math.nan)
        if not math.isnan(measured_s):
            return {**wire, "age_s": age_s, "round_trip_s": measured_s}
        delay_s = self._tracking.angle_delay_s()
        delay = {} if math.isnan(delay_s) else {"round_trip_s": delay_s}
        return {**wire, "age_s": age_s, **delay}
