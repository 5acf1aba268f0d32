"""The watchdog of a session: who drives when, and with what, in virtual time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.realtime.failsafe import FailsafePolicy
from vdsim_plant.realtime.watched_session import Drive, WatchedSession
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

TICK_S, TIMEOUT_S = 0.005, 0.1
GAS = PedalInput(steer_rad=0.1, throttle=0.5, gear=-1)
STOPPING = PedalInput(steer_rad=0.1, throttle=0.0, brake=0.3, gear=-1)
WAITING = PedalInput(steer_rad=0.0, throttle=0.0, brake=0.3, gear=1)


def watched() -> WatchedSession:
    return WatchedSession(
        SimSession(Vehicle("ioniq5_awd"), initial=InitialState(vx_mps=10.0)),
        tick_s=TICK_S,
        timeout_s=TIMEOUT_S,
        failsafe=FailsafePolicy().input_after,
    )


def applied(car: WatchedSession) -> PedalInput:
    return car.session.output().commanded


def test_before_the_first_command_the_fail_safe_drives_and_is_no_loss() -> None:
    car = watched()
    for k in range(100):
        assert not car.tick(k * TICK_S)
    assert (car.drive, applied(car), car.failsafes) == (Drive.WAITING, WAITING, 0)
    assert car.age_s(3.0) is None


def test_a_command_drives_until_it_is_older_than_the_time_out() -> None:
    car = watched()
    car.command(GAS, 1.0)
    assert not car.tick(1.0 + TIMEOUT_S - 1e-9)
    assert (car.drive, applied(car), car.age_s(1.5)) == (Drive.COMMANDED, GAS, 0.5)
    assert car.tick(1.0 + TIMEOUT_S + 1e-9)
    assert (car.drive, applied(car), car.failsafes) == (Drive.FAILSAFE, STOPPING, 1)
    assert not car.tick(9.0), "it begins once"
    car.command(GAS, 9.0)
    assert not car.tick(9.0)
    assert (car.drive, applied(car), car.commands) == (Drive.COMMANDED, GAS, 2)


def test_a_reset_waits_for_a_command_again() -> None:
    car = watched()
    car.command(GAS, 0.0)
    car.tick(0.0)
    car.reset(InitialState(x_m=7.0))
    assert not car.tick(5.0)
    assert (car.drive, applied(car), car.failsafes) == (Drive.WAITING, WAITING, 0)
    assert car.session.state().x_m == 7.0


@given(st.lists(st.tuples(st.floats(0.0, 0.3), st.booleans()), min_size=1, max_size=30))
def test_what_is_applied_follows_from_the_age_alone(steps: list[tuple[float, bool]]) -> None:
    car = watched()
    now, last = 0.0, None
    for step_s, commands in steps:
        now += step_s
        if commands:
            car.command(GAS, now)
            last = now
        car.tick(now)
        if last is None:
            assert applied(car) == WAITING
        else:
            assert applied(car) == (GAS if now - last <= TIMEOUT_S else STOPPING)


def test_a_command_may_hold_longer_than_the_time_out_of_the_session() -> None:
    car = watched()
    car.command(GAS, 0.0, timeout_s=0.5)
    assert not car.tick(0.5)
    car.command(GAS, 0.5, timeout_s=0.01)
    assert not car.tick(0.5 + TIMEOUT_S), "never shorter"
    car.command(GAS, 1.0, timeout_s=0.5)
    car.command(GAS, 1.0)
    assert car.tick(1.0 + TIMEOUT_S + 1e-9), "each command has its own"


def test_letting_go_brings_the_fail_safe_at_once_and_is_no_loss() -> None:
    car = watched()
    car.command(GAS, 0.0, timeout_s=0.5)
    car.release()
    assert car.is_silent(0.0)
    assert car.tick(TICK_S)
    assert (car.drive, applied(car), car.failsafes, car.lost) == (
        Drive.FAILSAFE,
        STOPPING,
        0,
        False,
    )
    car.command(GAS, 0.1)
    assert not car.tick(0.1)
    assert car.tick(0.3)
    assert (car.failsafes, car.lost) == (1, True), "that was only for the time before"


def test_commands_that_stop_are_lost_when_the_car_moves_and_until_the_next() -> None:
    car = watched()
    car.command(GAS, 0.0)
    assert not car.lost
    assert car.tick(1.0)
    assert car.lost
    for k in range(2000):
        car.tick(1.0 + k * TICK_S)
    assert abs(car.session.state().vx_mps) < 0.01
    assert car.lost, "that it stands now changes nothing"
    car.command(GAS, 20.0)
    assert not car.lost
    assert car.tick(21.0)
    assert (car.lost, car.failsafes) == (False, 2), "it stood"
    car.command(GAS, 30.0)
    for k in range(100):
        car.command(GAS, 30.0 + k * TICK_S)
        car.tick(30.0 + k * TICK_S)
    car.tick(40.0)
    assert car.lost
    car.reset()
    assert not car.lost
