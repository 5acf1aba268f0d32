"""Monitors one vehicle: does it report, and does it track its commands?

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

from vdsim_interface.pipeline.link_health import FirstReportWait, ReportRate, rate_fault
from vdsim_interface.pipeline.tracking_monitor import (
    TrackingEstimate,
    TrackingMonitor,
    TrackingParameters,
)
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    Applied,
    Authority,
    Notice,
    PlatformCommand,
    VehicleReport,
    WireCommand,
    notice_kinds,
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
NO_NOTICES: tuple[Notice, ...] = ()


def silence(age_s: float, timeout_s: float, lag_s: float = 0.0) -> str:
    """Describe the fault of the vehicle's link; empty while reports are fresh."""
    if 0.0 <= age_s <= timeout_s:
        return ""
    if lag_s > timeout_s:
        return f"the vehicle's reports arrive {lag_s:.2f} s late"
    if age_s < 0.0:
        return "no report from the vehicle since time jumped back"
    if not math.isfinite(age_s):
        return "no report from the vehicle yet"
    return f"no report from the vehicle for {age_s:.1f} s"


def timeout_policy(safety: SafetyParameters) -> str:
    """Say what this end does without reports, in the words of the plant's policy."""
    return (
        f"no report for {safety.report_timeout_s * 1e3:g} ms: throttle 0, brake "
        f"{safety.stop_decel_mps2:g} m/s2, steering held, gear kept; nothing stale is published"
    )


class VehicleWatch:
    """The link and the tracking of one vehicle.

    `is_fresh`: the latest report is not too old. `too_low_gap_s`: the gap between reports that come
    too seldom for the time-out [s]; 0 while they do not.
    """

    def __init__(self, parameters: TrackingParameters, period_s: float) -> None:
        self._tracking = TrackingMonitor(parameters, period_s)
        self._following = FollowingWatch(parameters.lost_s)
        self.is_fresh = False
        self._has_reported = False
        self._noticed_link = self._noticed_silence = self._noticed_lag = False
        self._first_report = FirstReportWait()
        self._rate = ReportRate()
        self._noticed_rate = False
        self.too_low_gap_s = 0.0

    def configure(self, parameters: TrackingParameters) -> None:
        """Use new tolerances."""
        self._tracking.configure(parameters)
        self._following.configure(parameters.lost_s)

    def clear(self) -> None:
        """Discard the collected data; the next period begins another drive."""
        self._tracking.clear()
        self._following.clear()
        self._rate.clear()

    def on_report(self, arrival_s: float) -> None:
        """Note when a report arrived."""
        self._rate.add(arrival_s)

    @property
    def fault(self) -> str:
        """What the vehicle provably does not follow; empty while it may follow."""
        return self._following.fault

    def update(
        self, age_s: float, timeout_s: float, now: float, lag_s: float = 0.0
    ) -> tuple[Notice, ...]:
        """Return a notice once when the vehicle's reports begin, stop, or arrive late."""
        self.is_fresh = is_fresh = 0.0 <= age_s <= timeout_s
        self.too_low_gap_s = gap_s = self._rate.too_low_gap_s(timeout_s, now)
        if gap_s:
            return self._come_too_seldom(gap_s, timeout_s)
        self._noticed_rate = False
        if is_fresh:
            return NO_NOTICES if self._noticed_link else self._begins()
        if self._noticed_silence and (self._noticed_lag or lag_s <= timeout_s):
            return NO_NOTICES
        return self._ends(age_s, timeout_s, now, lag_s)

    def _begins(self) -> tuple[Notice, ...]:
        text = "vehicle link restored" if self._has_reported else "vehicle link up"
        self._has_reported = self._noticed_link = True
        self._noticed_silence = self._noticed_lag = False
        return (Notice(notice_kinds.LINK_RESTORED, text),)

    def _come_too_seldom(self, gap_s: float, timeout_s: float) -> tuple[Notice, ...]:
        """Report slow reports once, not a link lost and restored with each of them."""
        self._has_reported = True
        self._noticed_link, self._noticed_silence = False, False
        if self._noticed_rate:
            return NO_NOTICES
        self._noticed_rate = True
        return (Notice(notice_kinds.SLOW_REPORTS, rate_fault(gap_s, timeout_s)),)

    def _ends(self, age_s: float, timeout_s: float, now: float, lag_s: float) -> tuple[Notice, ...]:
        if not self._has_reported:
            return self._first_report.update(now)
        self._noticed_link, self._noticed_silence = False, True
        self._noticed_lag = lag_s > timeout_s
        kind = notice_kinds.LATE_REPORT if self._noticed_lag else notice_kinds.LINK_TIMEOUT
        return (Notice(kind, silence(age_s, timeout_s, lag_s)),)

    def compare(
        self,
        command: PlatformCommand,
        sent: WireCommand | None,
        report: VehicleReport | None,
        now: float,
    ) -> None:
        """Compare one period's command, and what was sent, with what a report says was applied."""
        commanding = command.authority is COMMAND
        if not commanding or sent is None:
            self._following.clear()
        elif self._following.add(sent, now) and report is not None and self.is_fresh:
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
