"""How a stop ends: the drive falls to zero, the last of the speed is braked away softly.

Along the travel direction: positive drives, negative brakes.

A stop is supervised: one that does not slow the car brakes harder, and is reported. The bound of
the observer's estimate rises then, so that the brake takes what the tyres give, also where the
brakes are weaker than the pedal map says.
"""

from math import inf, sqrt

from vdsim_interface.longitudinal.motion_observer import MotionObserver
from vdsim_interface.longitudinal.standing_brake import SOFT_END_MPS2
from vdsim_interface.values import Notice, notice_kinds
from vdsim_interface.values.speeds import NO_DRIVE_MPS, REST_MPS, SOFT_FROM_MPS

DRIVE_FALL_MPS3 = 1.0
"""The drive of a stop falls at least this fast, whatever load the vehicle's reports suggest."""
SOFT_END_MPS3 = 7.0
"""A stop comes down to its last deceleration with this jerk."""
LEAD_SHARE = 0.4
"""The brake is to hold when the car comes to rest: it begins by this share of its lag earlier."""
NOT_SLOWING_SHARE, NOT_SLOWING_S = 0.5, 1.0
"""A stop of which less than this share arrives for this time is reported."""
ESCALATION_MPS3 = 4.0
"""Rise of the bound of the estimate while a stop does not slow the car."""


def eased(asked_mps2: float, speed_mps: float, accel_mps2: float, lag_s: float) -> float:
    """Return the acceleration to ask for: softer near standstill, at the speed after the lag.

    What the brake still gives for its lag comes on top of a hill that slows the car by itself.
    """
    if speed_mps >= SOFT_FROM_MPS:
        return asked_mps2
    then_mps = max(speed_mps + min(accel_mps2, 0.0) * lag_s, 0.0)
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


class StopSupervision:
    """One loop's stops, `is_active` while one is supervised. `bound_mps2`: that of the estimate."""

    def __init__(self, bound_mps2: float) -> None:
        self._bound_mps2 = bound_mps2
        self._not_slowing_s = 0.0
        self.is_active = False

    def end(self, observer: MotionObserver) -> None:
        """There is no stop, or its end: judge nothing."""
        observer.bound_mps2, self._not_slowing_s = self._bound_mps2, 0.0
        self.is_active = False

    def reset(self) -> None:
        """Judge the stop as if it began now."""
        self._not_slowing_s = 0.0

    def step(
        self, observer: MotionObserver, asked: float, dt_s: float, *, slips: bool
    ) -> tuple[Notice, ...]:
        """Judge one period of a stop. `asked`: its acceleration [m/s2]; `slips`: a cap acts."""
        self.is_active = True
        if slips:
            self._not_slowing_s = 0.0
            return ()
        if observer.disturbance_mps2 >= observer.bound_mps2 and observer.accel_mps2 > 0.9 * asked:
            observer.bound_mps2 += ESCALATION_MPS3 * dt_s
        if observer.accel_mps2 <= NOT_SLOWING_SHARE * asked:
            self._not_slowing_s = 0.0 if self._not_slowing_s < inf else inf
            return ()
        before, self._not_slowing_s = self._not_slowing_s, self._not_slowing_s + dt_s
        if not before < NOT_SLOWING_S <= self._not_slowing_s:
            return ()
        self._not_slowing_s = inf  # once a stop
        text = f"the car does not slow: {-asked:.1f} m/s2 asked, {-observer.accel_mps2:.1f} got"
        return (Notice(notice_kinds.NOT_SLOWING, text),)
