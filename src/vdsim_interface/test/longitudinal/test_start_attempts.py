import math

import pytest
from vdsim_interface.longitudinal.start_attempts import GRIP_SHARE, StartAttempts


def spun(drive_mps2: float) -> StartAttempts:
    attempts = StartAttempts(slope_is_reported=True)
    attempts.spin(drive_mps2)
    return attempts


def test_a_spin_limits_the_same_try_and_the_next_one() -> None:
    attempts = spun(2.0)
    assert attempts.most_mps2 == GRIP_SHARE * 2.0
    attempts.fail()
    assert attempts.most_mps2 == GRIP_SHARE * 2.0
    attempts.spin(3.0)
    assert attempts.most_mps2 == GRIP_SHARE * 2.0, "the lower one counts"


def test_the_limit_rises_slowly_while_no_wheel_spins() -> None:
    attempts = spun(2.0)
    for _ in range(100):
        attempts.grip(0.0, 0.01)
    assert attempts.most_mps2 == pytest.approx(GRIP_SHARE * 2.0 + 0.5)


def test_the_limit_is_at_least_what_holds_the_car() -> None:
    """Less would be sure to fail, for ever."""
    attempts = spun(2.0)
    attempts.grip(1.8, 0.01)
    assert attempts.most_mps2 == 1.8


def test_the_limit_ends_with_the_start() -> None:
    attempts = spun(2.0)
    assert not attempts.is_first
    attempts.forget_grip()
    assert attempts.most_mps2 == math.inf
    assert attempts.is_first
