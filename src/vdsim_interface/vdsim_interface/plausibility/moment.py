"""What the checks compare: moments of the reports, 50 ms apart, with integrals between them.

    VehicleReport, Encoded ──▶ Moment ──▶ Window: a moment and the one half a second before

Integrals are over the vehicle's own time, by the trapezoidal rule, so that a difference of two
moments is what the vehicle claims to have done between them. What can swing faster than the moments
follow each other is summed up at every report (Sums). Body frame ISO 8855, world ENU.
"""

import math
from typing import NamedTuple

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import VehicleReport
from vdsim_interface.values.records import record

GRAVITY_MPS2 = 9.80665
SLICE_S = 0.05
"""Time from one moment to the next."""
WINDOW_S = 0.5
WINDOW_N = round(WINDOW_S / SLICE_S) + 1
"""Moments of a full window."""


class Sums:
    """Integrals that every report adds to.

    `turn_rad` of the yaw rate, `gain_mps` of the acceleration, `swept_mps` of yaw rate times side
    speed, which changes the forward speed in the turning frame of the body.
    """

    __slots__ = ("gain_mps", "swept_mps", "turn_rad")

    def __init__(self) -> None:
        self.turn_rad = self.gain_mps = self.swept_mps = 0.0

    def add(self, before: VehicleReport, report: VehicleReport, elapsed_s: float) -> None:
        """Add the time between two reports."""
        half_s = 0.5 * elapsed_s
        r0, r1 = before.yaw_rate_radps, report.yaw_rate_radps
        self.turn_rad += half_s * (r0 + r1)
        self.gain_mps += half_s * (before.accel_x_mps2 + report.accel_x_mps2)
        self.swept_mps += half_s * (
            r0 * before.lateral_velocity_mps + r1 * report.lateral_velocity_mps
        )


class Moment(NamedTuple):
    """One moment. `clock_s`: the vehicle's time, or that of receipt where it has none.

    Integrals since the first moment: `way_m` of the speed over ground, `along_m` of the forward
    speed, `turn_rad`, `gain_mps` and `swept_mps` (Sums), `slope_mps` of what the slope adds,
    `effort_mps` of what the pedals in the latest packet give, which has been known since
    `effort_since_s`. A quantity that is not known is nan.
    """

    clock_s: float
    report: VehicleReport
    effort_mps2: float
    way_m: float = 0.0
    along_m: float = 0.0
    turn_rad: float = 0.0
    gain_mps: float = 0.0
    swept_mps: float = 0.0
    slope_mps: float = 0.0
    effort_mps: float = 0.0
    effort_since_s: float = math.inf


def next_moment(
    last: Moment,
    report: VehicleReport,
    clock_s: float,
    effort_mps2: float,
    sums: Sums,
    *,
    has_slope: bool,
) -> Moment:
    """Return the moment of a report that follows the last one."""
    before = last.report
    half_s = 0.5 * (clock_s - last.clock_s)
    v0, v1 = before.velocity_mps, report.velocity_mps
    w0, w1 = before.lateral_velocity_mps, report.lateral_velocity_mps
    effort, since_s = last.effort_mps, last.effort_since_s
    both = last.effort_mps2 + effort_mps2
    if math.isnan(both):
        since_s = math.inf
    else:
        effort += half_s * both
        since_s = min(since_s, last.clock_s)
    slope = last.slope_mps
    if has_slope:
        slope += half_s * GRAVITY_MPS2 * (math.sin(before.pitch_rad) + math.sin(report.pitch_rad))
    return record(
        Moment,
        (
            clock_s,
            report,
            effort_mps2,
            last.way_m + half_s * (math.hypot(v0, w0) + math.hypot(v1, w1)),
            last.along_m + half_s * (v0 + v1),
            sums.turn_rad,
            sums.gain_mps,
            sums.swept_mps,
            slope,
            effort,
            since_s,
        ),
    )


class Window(NamedTuple):
    """The latest moment, and the one half a second before it; `geometry` of the car."""

    new: Moment
    old: Moment
    geometry: VehicleGeometry

    @property
    def duration_s(self) -> float:
        """Time between the two, by the vehicle's clock [s]."""
        return self.new.clock_s - self.old.clock_s

    @property
    def chord_m(self) -> float:
        """Distance between the two positions [m]."""
        new, old = self.new.report, self.old.report
        return math.hypot(new.x_m - old.x_m, new.y_m - old.y_m)

    @property
    def force_mps2(self) -> float:
        """Mean acceleration along the body's x axis without what the slope adds [m/s2]."""
        return (self.gained_mps - (self.new.slope_mps - self.old.slope_mps)) / self.duration_s

    @property
    def gained_mps(self) -> float:
        """Change of the speed by acceleration along the body's x axis [m/s]."""
        new, old = self.new, self.old
        gained = new.report.velocity_mps - old.report.velocity_mps
        return gained - (new.swept_mps - old.swept_mps)
