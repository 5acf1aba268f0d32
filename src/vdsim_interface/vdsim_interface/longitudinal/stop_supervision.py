"""Supervises a stop: one that does not slow the car brakes harder, and is reported.

The bound of the observer's estimate rises then, so that the brake takes what the tyres give, also
where the brakes are weaker than the pedal map says.
"""

import math

from vdsim_interface.longitudinal.motion_observer import MotionObserver
from vdsim_interface.values import Notice, notice_kinds

NOT_SLOWING_SHARE, NOT_SLOWING_S = 0.5, 1.0
"""A stop of which less than this share arrives for this time is reported."""
MAP_SHARE = 1.2
ESCALATION_MPS3 = 4.0
"""Rise of the bound of the estimate while a stop does not slow the car."""
NO_NOTICES: tuple[Notice, ...] = ()


def most_by_map(by_map_mps2: float) -> float:
    """Return the hardest brake of a stop whose slip nobody reports: a fifth more than the map's."""
    return MAP_SHARE * min(by_map_mps2, 0.0)


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
            return NO_NOTICES
        if observer.disturbance_mps2 >= observer.bound_mps2 and observer.accel_mps2 > 0.9 * asked:
            observer.bound_mps2 += ESCALATION_MPS3 * dt_s
        if observer.accel_mps2 <= NOT_SLOWING_SHARE * asked:
            if self._not_slowing_s < math.inf:
                self._not_slowing_s = 0.0
            return NO_NOTICES
        before, self._not_slowing_s = self._not_slowing_s, self._not_slowing_s + dt_s
        if not before < NOT_SLOWING_S <= self._not_slowing_s:
            return NO_NOTICES
        self._not_slowing_s = math.inf  # once a stop
        text = f"the car does not slow: {-asked:.1f} m/s2 asked, {-observer.accel_mps2:.1f} got"
        return (Notice(notice_kinds.NOT_SLOWING, text),)
