import math

import pytest
from vdsim_interface.longitudinal.slip_cap import NO_CAP, SlipCap

DT = 0.01
ROLLING = (10.0, 10.0, 10.0, 10.0)
NOT_REPORTED = (math.nan, 10.0, 10.0, 10.0)


def rolled() -> SlipCap:
    cap = SlipCap(0.08, 3.0)
    cap.update(10.0, 0.0, ROLLING, 0.0, DT)
    return cap


def test_wheels_that_roll_have_no_cap() -> None:
    cap = rolled()
    assert cap.is_supervised
    assert (cap.brake_mps2, cap.drive_mps2) == (NO_CAP, NO_CAP)


@pytest.mark.parametrize("wheel", range(4))
def test_one_wheel_that_locks_reduces_the_brake_and_only_that(wheel: int) -> None:
    cap = rolled()
    wheels = list(ROLLING)
    wheels[wheel] = 8.5
    cap.update(10.0, 0.0, tuple(wheels), -4.0, DT)
    assert cap.brake_mps2 < 4.0
    assert cap.drive_mps2 == NO_CAP
    reduced = cap.brake_mps2
    for _ in range(20):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 > reduced


def test_a_wheel_that_spins_reduces_the_drive_near_standstill_too() -> None:
    for speed, wheel in ((10.0, 12.0), (0.1, 0.5)):
        cap = SlipCap(0.08, 3.0)
        cap.update(speed, 0.0, (speed, speed, speed, speed), 2.0, DT)
        cap.update(speed, 0.0, (speed, speed, wheel, speed), 2.0, DT)
        assert cap.drive_mps2 < 2.0


def test_in_a_bend_the_slower_wheels_do_not_slip() -> None:
    cap = SlipCap(0.08, 3.0)
    half_track_m, yaw_rate = 0.28 * 3.0, 0.8
    left, right = 5.0 - yaw_rate * half_track_m, 5.0 + yaw_rate * half_track_m
    for _ in range(10):
        cap.update(5.0, yaw_rate, (left, right, left, right), -3.0, DT)
    assert cap.brake_mps2 == NO_CAP


@pytest.mark.parametrize("wheels", [NOT_REPORTED, (0.0, 0.0, 0.0, 0.0)])
def test_wheels_that_never_rolled_with_the_car_do_not_release_its_brake(
    wheels: tuple[float, ...],
) -> None:
    cap = SlipCap(0.08, 3.0)
    for _ in range(300):
        cap.update(10.0, 0.0, wheels, -3.0, DT)
    assert not cap.is_supervised
    assert cap.brake_mps2 == NO_CAP


def test_a_wheel_sensor_that_dies_does_not_release_the_brake_for_long() -> None:
    """It reads 0: as a locked wheel does, but a locked wheel rolls again without a brake."""
    cap = rolled()
    released_s = 0.0
    for _ in range(400):
        effort = -min(3.0, cap.brake_mps2)
        released_s += DT * (effort > -1.5)
        cap.update(10.0, 0.0, (0.0, 10.0, 10.0, 10.0), effort, DT)
    assert not cap.is_supervised
    assert cap.brake_mps2 == NO_CAP
    assert released_s < 1.5


def test_no_progress_of_time_changes_nothing() -> None:
    cap = rolled()
    cap.update(10.0, 0.0, (5.0, 5.0, 5.0, 5.0), -3.0, 0.0)
    assert cap.brake_mps2 == NO_CAP


def test_after_a_wheel_has_locked_the_cap_returns_fast_to_what_the_tyres_took() -> None:
    """And from there slowly: beyond is where it locked."""
    cap = rolled()
    locking = (9.0, 9.0, 10.0, 10.0)
    effort = 4.0
    for _ in range(6):
        cap.update(10.0, 0.0, locking, -effort, DT)
        effort = min(effort, cap.brake_mps2)
    assert cap.brake_mps2 < 3.0
    for _ in range(25):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert 3.6 < cap.brake_mps2 < 4.1
    for _ in range(10):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 < 4.4


def test_what_the_tyres_took_is_that_of_the_latest_lock() -> None:
    """The road turns to ice: the brake of the dry road counts no longer."""
    cap = rolled()
    for effort in (6.0, 1.5):
        for _ in range(3):
            cap.update(10.0, 0.0, (8.0, 8.0, 10.0, 10.0), -effort, DT)
        for _ in range(2):
            cap.update(10.0, 0.0, ROLLING, -1.5, DT)
    for _ in range(25):
        cap.update(10.0, 0.0, ROLLING, -cap.brake_mps2, DT)
    assert cap.brake_mps2 < 2.0


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("angle_rad", [0.7, -0.5, 0.05])
def test_steered_wheels_that_roll_do_not_slip(sense: float, angle_rad: float) -> None:
    cap, wheelbase_m, vx_mps = SlipCap(0.09, 3.0), 3.0, 2.0 * sense
    yaw_rate = vx_mps * math.tan(angle_rad) / wheelbase_m
    front_mps = abs(vx_mps) / math.cos(angle_rad)
    lead_mps = sense * cap.steered_lead_mps(vx_mps, yaw_rate, angle_rad)
    assert front_mps - lead_mps == pytest.approx(abs(vx_mps))
    wheels = (front_mps - lead_mps, front_mps - lead_mps, 2.0, 2.0)
    for _ in range(20):
        cap.update(2.0, sense * yaw_rate, wheels, 3.0, 0.01)
    assert cap.drive_mps2 == math.inf
    assert cap.is_supervised


@pytest.mark.parametrize(("effort", "ends"), [(4.0, False), (2.0, False), (1.99, True)])
def test_a_cap_ends_where_less_than_half_of_it_is_used(effort: float, ends: bool) -> None:
    cap = rolled()
    cap.brake_mps2 = 4.0
    cap.update(10.0, 0.0, ROLLING, -effort, DT)
    assert (cap.brake_mps2 == NO_CAP) is ends
