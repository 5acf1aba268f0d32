"""What a stop may take: time and distance of the documented stops, and the margins on them."""

from __future__ import annotations

from typing import NamedTuple

from vdsim_campaign.faults import INTERFACE, VEHICLE

SPEED_MPS = 4.0
"""The cruise of every trial."""
CURVATURE = 0.02
"""Of the path on a flat road [1/m]."""
SETTLED_MPS = 0.15
DRIVES_AGAIN = 0.8
"""Share of the cruise from which on the car drives again."""
ASK_AGAIN_S = 0.3
"""So long somebody who wants to engage waits until the next request."""
PATIENCE_S, COUNTS_PATIENCE_S = 180.0, 5.0
"""So long a trial waits for a car that drives, and for counts that agree."""
BEFORE_S = 0.2
"""So much of the record before the fault counts."""
BAND_MPS = 0.5
AT_REST_MPS = 0.05
STOP_MARGIN = 1.3
"""A stop may take so much more than the ideal one."""
ROLLBACK_M = 0.05
STEER_HELD_RAD = 0.005
_STEP_S = 0.001


class Stop(NamedTuple):
    """A stop as documented: it reaches `decel_mps2` at `jerk_mps3`."""

    decel_mps2: float
    jerk_mps3: float


STOPS = {INTERFACE: Stop(2.5, 2.5), VEHICLE: Stop(3.8, 1e9)}
"""safety.stop_decel_mps2 and stop_jerk_mps3; brake pedal 0.3 of the ioniq5_awd."""


class Limits(NamedTuple):
    """The most that a stop may take from the fault on."""

    time_s: float
    distance_m: float


def limits(stop: Stop, speed_mps: float, delay_s: float, waited_s: float) -> Limits:
    """Bounds of a stop that begins after a delay; the machine's pauses count at full speed."""
    speed, decel, time_s, way_m = speed_mps, 0.0, 0.0, 0.0
    while speed > 0.0:
        decel = min(stop.decel_mps2, decel + stop.jerk_mps3 * _STEP_S)
        speed -= decel * _STEP_S
        way_m += max(speed, 0.0) * _STEP_S
        time_s += _STEP_S
    before_s = delay_s + waited_s
    return Limits(before_s + STOP_MARGIN * time_s, speed_mps * before_s + STOP_MARGIN * way_m)
