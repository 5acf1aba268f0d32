"""How a stop ends: the drive falls to zero, the last of the speed is braked away softly.

Along the travel direction: positive drives, negative brakes.
"""

from math import sqrt

from vdsim_interface.longitudinal.standing_brake import SOFT_END_MPS2
from vdsim_interface.values.speeds import NO_DRIVE_MPS, REST_MPS, SOFT_FROM_MPS

DRIVE_FALL_MPS3 = 1.0
"""The drive of a stop falls at least this fast, whatever load the vehicle's reports suggest."""
SOFT_END_MPS3 = 7.0
"""A stop comes down to its last deceleration with this jerk."""
LEAD_SHARE = 0.4
"""The brake is to hold when the car comes to rest: it begins by this share of its lag earlier."""


def eased(asked_mps2: float, speed_mps: float, accel_mps2: float, lag_s: float) -> float:
    """Return the acceleration to ask for: softer near standstill, at the speed after the lag.

    What the brake still gives for its lag comes on top of a hill that slows the car by itself.
    """
    if speed_mps >= SOFT_FROM_MPS:
        return asked_mps2
    then_mps = speed_mps + min(accel_mps2, 0.0) * lag_s
    if then_mps < 0.0:
        then_mps = 0.0
    soft = -sqrt(SOFT_END_MPS2 * SOFT_END_MPS2 + 2.0 * SOFT_END_MPS3 * then_mps)
    return soft if soft > asked_mps2 else asked_mps2


def without_rise(effort_mps2: float, before_mps2: float, speed_mps: float, dt_s: float) -> float:
    """Return the effort of a stop: its drive only falls, and is zero near standstill."""
    most = 0.0
    if speed_mps > NO_DRIVE_MPS and before_mps2 > 0.0:
        most = max(before_mps2 - DRIVE_FALL_MPS3 * dt_s, 0.0)
    return min(effort_mps2, most)


def rests_shortly(speed_mps: float, accel_mps2: float, lag_s: float) -> bool:
    """Whether the car rests, or the brake that is to hold it then has to begin now."""
    if speed_mps > NO_DRIVE_MPS:
        return False
    slowing = min(accel_mps2, 0.0)
    return abs(speed_mps) < REST_MPS or speed_mps + slowing * LEAD_SHARE * lag_s < 0.0
