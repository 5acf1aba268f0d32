"""The tries of a start: how often it may roll back, and with how much drive it is repeated.

A start that rolls back is repeated with more drive, and refused after that until nobody asks to
drive. Where a wheel began to spin, the rest of the start, and the next try, stay below the drive at
which it did: the limit rises slowly while no wheel spins, and is at least what holds the car, since
less is sure to fail. What the tyres take is found so from below, however well the effort is known.

Where neither slope nor wheels are reported, the car shows both: the slope by the drive beyond its
acceleration, and a wheel that spins by a drive that does not arrive any more.
"""

from math import inf

from vdsim_interface.values import Notice, notice_kinds

TRIES_N, TRIES_UNKNOWN_N = 2, 7
"""Starts before a start is refused, where the slope is reported and where it is not."""
GRIP_SHARE = 0.75
"""Share of the drive at which a wheel began to spin that the tyres take for certain."""
GRIP_RISE_MPS3 = 0.5
"""Rise of the drive that the tyres take for certain, while no wheel spins."""
MORE_MPS2, HARDLY_MPS2 = 1.0, 0.5
"""A car that needs so much more drive than a moment ago, and hardly gains speed, spins a wheel."""
START_MARGIN_MPS2 = 0.1
LEAST_START_MPS2, GENTLE_MPS2 = 0.15, 0.2
"""Bounds of what the drive of a start adds to the slope, until the brake is released."""
ROLLS_BACK = "the car rolls back, its drive or its tyres do not hold it on this slope"


def drive_of_a_start(needed_mps2: float, asked_mps2: float) -> float:
    """Return the drive at which the brake is released: beyond what the slope needs, gently."""
    more = min(max(asked_mps2, LEAST_START_MPS2), GENTLE_MPS2)
    return needed_mps2 + START_MARGIN_MPS2 + more


class StartAttempts:
    """`refusal`: why a start is refused, or empty. `most_mps2`: the largest drive of this try.

    `asked_mps2`: the largest acceleration to ask for. `needs_mps2`: the least drive beyond the
    acceleration of this try, which the slope needs at most.
    """

    def __init__(self, *, slope_is_reported: bool) -> None:
        self._tries_n = TRIES_N if slope_is_reported else TRIES_UNKNOWN_N
        self.end_request()

    def end_request(self) -> None:
        """Nobody asks to drive: the next start begins as if there had been none."""
        self.refusal, self._count_n = "", 0
        self.most_mps2 = self.asked_mps2 = self.needs_mps2 = inf

    @property
    def is_first(self) -> bool:
        """Whether nothing is known of earlier tries."""
        is_free = self.most_mps2 == self.asked_mps2 == inf
        return is_free and not (self.refusal or self._count_n)

    def succeed(self) -> None:
        """The car drives: the next try is the first."""
        self._count_n = 0

    def forget_grip(self) -> None:
        """The start is over: the tyres may take something else at the next one."""
        self.most_mps2 = inf

    def spin(self, drive_mps2: float) -> None:
        """A wheel began to spin at this drive: what is left of the start stays below it."""
        self.most_mps2 = min(self.most_mps2, GRIP_SHARE * drive_mps2)

    def spins(self, drive_mps2: float, accel_mps2: float) -> bool:
        """Whether the drive of a start does not arrive any more; what is asked is gentle then.

        The tyres push with no more than the drive. So the slope needs at most what the drive
        exceeded the acceleration by before, and no road is steeper after so short a way.
        """
        needs = drive_mps2 - accel_mps2
        self.needs_mps2 = min(self.needs_mps2, needs)
        if needs < self.needs_mps2 + MORE_MPS2 or accel_mps2 > HARDLY_MPS2:
            return False
        self.asked_mps2 = HARDLY_MPS2
        return True

    def grip(self, least_mps2: float, dt_s: float) -> None:
        """No wheel spins in this period: the largest drive rises slowly."""
        self.most_mps2 = max(self.most_mps2 + GRIP_RISE_MPS3 * dt_s, least_mps2)

    def fail(self) -> tuple[Notice, ...]:
        """The car rolled back: count it; after the last try the start is refused."""
        self._count_n += 1
        return self.refuse(ROLLS_BACK) if self._count_n >= self._tries_n else ()

    def refuse(self, why: str) -> tuple[Notice, ...]:
        """Refuse the start until nobody asks to drive; return the notice, once."""
        if self.refusal:
            return ()
        self.refusal = why
        return (Notice(notice_kinds.START_REFUSED, f"start refused: {why}"),)
