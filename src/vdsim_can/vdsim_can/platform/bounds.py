"""What the encoder refuses to put on the bus, whatever the controllers before it asked for.

The wheel angle is bounded by a table by speed, by its rate by speed, and by the lateral
acceleration and jerk that a car of the file's wheelbase and understeer would have. The rate counts
the real time between two frames, and no more than `longest_ms` of it: a pause saves up no step, and
a burst of frames in no time changes nothing. A steering torque is bounded by steps, by what the
driver does, and by how far it may rise within a time. Pure functions; limiter.py applies them.
"""

from __future__ import annotations

import math

from vdsim_can.car import AngleLimits, TorqueLimits

CREEP_MPS = 0.5
"""Below this speed no lateral acceleration is to be feared [m/s]."""


def angle_bounds(
    limits: AngleLimits, speed_mps: float, before_rad: float | None, elapsed_s: float
) -> tuple[float, float]:
    """Return the least and greatest angle [rad] that may follow `before_rad`."""
    most = math.inf if limits.max_rad is None else limits.max_rad.at(speed_mps)
    gain = _curvature_gain(limits)
    speed_squared = speed_mps * speed_mps
    if limits.lateral_accel_mps2 is not None and abs(speed_mps) > CREEP_MPS:
        # lateral acceleration = v2 * angle * gain / (1 - slip * v2)
        per_rad = speed_squared * gain / (1.0 - limits.slip_factor_s2pm2 * speed_squared)
        most = min(most, limits.lateral_accel_mps2 / per_rad)
    low, high = -most, most
    if before_rad is None:
        return low, high
    time_s = min(max(elapsed_s, 0.0), 1e-3 * limits.longest_ms)
    up, down = _rates(limits, speed_mps)
    # Away from straight ahead is one rate, back to it the other, and through it each in turn.
    rise = _reach(before_rad, up, down, time_s)
    fall = -_reach(-before_rad, up, down, time_s)
    low, high = max(low, fall), min(high, rise)
    if low > high:  # the bound by speed shrank faster than the rate: as near to it as the rate lets
        nearest = rise if rise < -most else fall
        return nearest, nearest
    return low, high


def _curvature_gain(limits: AngleLimits) -> float:
    return 1.0 / limits.wheelbase_m if limits.wheelbase_m else 0.0


def _rates(limits: AngleLimits, speed_mps: float) -> tuple[float, float]:
    """Return the rates [rad/s] away from straight ahead and back to it."""
    up = math.inf if limits.rate_up is None else limits.rate_up.at(speed_mps)
    down = math.inf if limits.rate_down is None else limits.rate_down.at(speed_mps)
    if limits.lateral_jerk_mps3 is not None and abs(speed_mps) > CREEP_MPS:
        squared = speed_mps * speed_mps
        gain = _curvature_gain(limits)
        per_rad = squared * gain / (1.0 - limits.slip_factor_s2pm2 * squared)
        up = min(up, limits.lateral_jerk_mps3 / per_rad)
        down = min(down, limits.lateral_jerk_mps3 / per_rad)
    return up, down


def _reach(before: float, up: float, down: float, time_s: float) -> float:
    """Return how far a value may rise in a time."""
    if before >= 0.0:
        return before + _product(up, time_s)
    back_s = -before / down if down > 0.0 else math.inf
    if back_s >= time_s:
        return before + _product(down, time_s)
    return _product(up, time_s - back_s)


def _product(rate: float, time_s: float) -> float:
    return math.inf if math.isinf(rate) else rate * time_s


def torque_bounds(
    limits: TorqueLimits, speed_mps: float, before_nm: float, driver_nm: float
) -> tuple[float, float]:
    """Return the least and greatest torque [N m] that may follow `before_nm` in the next frame.

    A driver who steers against it takes it away, a step a frame, and never turns it round.
    """
    high = low = limits.max_nm.at(speed_mps)
    if limits.driver_allowance_nm is not None:
        helped = limits.driver_factor * driver_nm
        high = min(high, max(limits.driver_allowance_nm + helped, 0.0))
        low = min(low, max(limits.driver_allowance_nm - helped, 0.0))
    return -_torque_end(limits, -before_nm, low), _torque_end(limits, before_nm, high)


def _torque_end(limits: TorqueLimits, before_nm: float, most_nm: float) -> float:
    """Return the greatest next torque on one side."""
    risen = max(before_nm, 0.0) + limits.step_up_nm
    fallen = before_nm - limits.step_down_nm
    return min(risen, max(fallen, most_nm))
