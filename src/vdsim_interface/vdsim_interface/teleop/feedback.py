"""What a person feels: rumble on a refusal and at the grip limit, a light that shows the mode.

Pure: `tick` returns the changes of intensity that are due, for sensor_msgs/JoyFeedback.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.values import Mode, Notice

LED, RUMBLE = 0, 1
"""Values of JoyFeedback.type."""
REFUSALS = frozenset(
    {
        teleop_notices.MODE_REFUSED,
        teleop_notices.REQUEST_UNMET,
        teleop_notices.REQUEST_IGNORED,
        teleop_notices.LEVEL_REFUSED,
        teleop_notices.GIVE_BACK_REFUSED,
        teleop_notices.NEUTRAL_FIRST,
    }
)
_COLOURS: dict[Mode | None, tuple[float, float, float]] = {
    Mode.AUTONOMOUS: (0.0, 1.0, 0.0),
    Mode.MANUAL: (0.0, 0.0, 1.0),
    Mode.NOT_READY: (1.0, 1.0, 0.0),
    Mode.DISENGAGED: (1.0, 0.0, 0.0),
    None: (0.0, 0.0, 0.0),
}
"""Red, green and blue, the ids 0 to 2 of a light."""
_REFUSAL_S = 0.3
_REFUSAL_INTENSITY = 1.0
_GRIP_BEGIN = 0.95
"""Part of the lateral acceleration at the limit from which the pad rumbles."""
_GRIP_INTENSITY = 0.5
_RENEW_S = 0.5
"""Drivers end a rumble by themselves after a second."""


class Feedback(NamedTuple):
    """One sensor_msgs/JoyFeedback."""

    kind: int
    id: int
    intensity: float


class PadFeedback:
    """Decides what the pad shows. `lateral_max_mps2`: the acceleration at full stick."""

    def __init__(self, wheelbase_m: float, lateral_max_mps2: float) -> None:
        self._wheelbase_m, self._lateral_max_mps2 = wheelbase_m, lateral_max_mps2
        self._refused_until = -math.inf
        self._rumble = 0.0
        self._rumble_at = -math.inf
        self._mode: Mode | None = None
        self._lit = False

    def tick(
        self, notices: Sequence[Notice], motion: MeasuredMotion, now: float
    ) -> tuple[Feedback, ...]:
        """Return what changes now."""
        if any(notice.kind in REFUSALS for notice in notices):
            self._refused_until = now + _REFUSAL_S
        wanted = _GRIP_INTENSITY if self._at_the_limit(motion) else 0.0
        if now < self._refused_until:
            wanted = _REFUSAL_INTENSITY
        return (*self._rumbled(wanted, now), *self._coloured(motion.mode))

    def _at_the_limit(self, motion: MeasuredMotion) -> bool:
        if motion.velocity_mps is None or motion.wheel_angle_rad is None:
            return False
        lateral = motion.velocity_mps**2 * math.tan(motion.wheel_angle_rad) / self._wheelbase_m
        return abs(lateral) >= _GRIP_BEGIN * self._lateral_max_mps2

    def _rumbled(self, wanted: float, now: float) -> tuple[Feedback, ...]:
        renew = wanted > 0.0 and now - self._rumble_at >= _RENEW_S
        if wanted == self._rumble and not renew:
            return ()
        self._rumble, self._rumble_at = wanted, now
        return (Feedback(RUMBLE, 0, wanted),)

    def _coloured(self, mode: Mode | None) -> tuple[Feedback, ...]:
        if self._lit and mode is self._mode:
            return ()
        self._lit, self._mode = True, mode
        return tuple(Feedback(LED, n, part) for n, part in enumerate(_COLOURS[mode]))
