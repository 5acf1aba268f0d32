"""The brake of a car that stands, or is about to: how hard it holds, and how fast it gets there.

It holds with more than the slope needs, and with more still while the car moves nevertheless. A car
that still rolls gets no more than brings it to rest without a jolt.
"""

from vdsim_interface.values.speeds import CREEPS_OFF_MPS, REST_MPS, SETTLED_MPS

START_SHARE, SOFT_END_MPS2 = 1.1, 0.6
"""What holds or starts a car on a slope exceeds it by a tenth. A stop ends with this much."""
HOLD_SHARE, HOLD_MARGIN_MPS2 = 1.25, 0.5
HOLD_RISE_MPS3, HOLD_RISE_PER_SLOPE_1PS = 25.0, 12.0
ENOUGH_MPS2, LONGEST_SETTLE_S, LONGEST_ROLL_S = 0.05, 0.3, 1.5
"""Between rolling and rest a brake that exceeds the slope by this is enough, for a moment. A car
that rolls on for longer than the last gets less brake than is sent."""
HOLD_MORE_MPS3 = 4.0
"""Rise of the holding brake while the car moves nevertheless."""


class StandingBrake:
    """`more_mps2`: brake beyond what the slope should need, because the car moved.

    `rolls_s`: for how long a car that is about to stand has rolled.
    """

    def __init__(self, least_mps2: float) -> None:
        self.least_mps2 = least_mps2
        self.more_mps2 = self.rolls_s = self._settles_s = 0.0

    def effort(
        self, before: float, pull: float, speed: float, asked: float, dt_s: float, *, is_new: bool
    ) -> float:
        """Return the effort of one period, at most 0 [m/s2].

        `before`: the previous effort. `pull`: what moves the car without a brake, at least 0.
        `asked`: the acceleration that is asked for. `is_new`: the first period of all.
        """
        self.rolls_s = self.rolls_s + dt_s if speed > REST_MPS else 0.0
        is_whole = -before >= self._wanted(pull, asked) - 1e-6
        if abs(speed) > CREEPS_OFF_MPS and (is_whole or self.rolls_s > LONGEST_ROLL_S):
            self.more_mps2 += HOLD_MORE_MPS3 * dt_s
        wanted = self._wanted(pull, asked)
        settles = SETTLED_MPS < speed < REST_MPS and -before > START_SHARE * pull + ENOUGH_MPS2
        self._settles_s = self._settles_s + dt_s if settles else 0.0
        if 0.0 < self._settles_s < LONGEST_SETTLE_S:
            return before  # it comes to rest by what it has
        # A car at rest feels no jolt.
        held = wanted if is_new or abs(speed) < REST_MPS else max(-before, 0.0)
        rise = (HOLD_RISE_MPS3 + HOLD_RISE_PER_SLOPE_1PS * pull) * dt_s
        if speed > REST_MPS:
            # Still rolling to rest: more brake than holds the car would be a jolt.
            wanted = max(min(wanted, max(SOFT_END_MPS2, START_SHARE * pull) + self.more_mps2), held)
        return -min(wanted, held + rise)

    def holding(self, pull: float) -> float:
        """Return the brake that holds a car against `pull`, 0 on level ground [m/s2]."""
        return HOLD_SHARE * pull + self.more_mps2

    def _wanted(self, pull: float, asked: float) -> float:
        least = max(self.least_mps2, -asked)
        return max(least, HOLD_SHARE * pull + HOLD_MARGIN_MPS2) + self.more_mps2
