import math

import pytest
from vdsim_interface.longitudinal.start_attempts import (
    GRIP_SHARE,
    HARDLY_MPS2,
    MORE_MPS2,
    StartAttempts,
)


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


@pytest.mark.parametrize(
    ("drive", "accel", "spins"),
    [
        (3.0 + MORE_MPS2, 0.0, True),
        (2.9 + MORE_MPS2, 0.0, False),
        (3.5 + MORE_MPS2, HARDLY_MPS2, True),
        (3.7 + MORE_MPS2, HARDLY_MPS2 + 0.1, False),
    ],
)
def test_a_drive_that_does_not_arrive_any_more_spins_a_wheel(
    drive: float, accel: float, spins: bool
) -> None:
    attempts = StartAttempts(slope_is_reported=False)
    assert not attempts.spins(4.0, 1.0)
    assert not attempts.spins(3.6, 0.5), "3.1 more than it gains: the least of them counts"
    assert attempts.spins(drive, accel) is spins
    assert attempts.needs_mps2 == 3.0
    assert attempts.asked_mps2 == (HARDLY_MPS2 if spins else math.inf)


def test_a_start_is_gentle_until_nobody_asks_to_drive() -> None:
    attempts = StartAttempts(slope_is_reported=False)
    attempts.spins(3.0, 0.0)
    attempts.spins(5.0, 0.0)
    attempts.fail()
    attempts.succeed()
    attempts.forget_grip()
    assert attempts.asked_mps2 == HARDLY_MPS2
    assert not attempts.is_first
    attempts.end_request()
    assert attempts.asked_mps2 == attempts.needs_mps2 == math.inf
    assert attempts.is_first
