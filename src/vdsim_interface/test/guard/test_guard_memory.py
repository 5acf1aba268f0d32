"""What the guard passes on to its sides, and what a second change keeps of the first."""

from __future__ import annotations

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.guard.session import SHELL_GONE
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.tracking_monitor import TrackingMonitor
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    CabinState,
    HighLevelCommand,
    Mode,
    RawCommand,
    Session,
    notice_kinds,
)
from vdsim_interface_kit.guarding import GO, PERIOD_S, GuardedCar, setup


def test_a_guard_that_did_not_run_for_longer_than_a_command_may_be_old_ends_autonomy() -> None:
    car = GuardedCar().driving()
    car.guard.begin_round(car.now)
    car.now += 1.0
    car.guard.begin_round(car.now)
    car.run(PERIOD_S, GO)
    assert car.mode is Mode.DISENGAGED
    status = car.last(frames.Status).status
    assert "did not run for 1.0" in status.last_disengage_reason
    assert "tick_overrun" in dict(status.counts)


def test_a_second_change_of_parameters_keeps_the_first() -> None:
    car = GuardedCar(auto_engage=False)
    assert car.ask(frames.Configure({"safety.accel_max_mps2": 0.5})).success
    assert car.ask(frames.Configure({"safety.decel_max_mps2": 5.0})).success
    car.run(0.1, GO)
    assert car.ask(frames.ChangeMode(engage=True)).success
    car.driving()
    assert car.accel_mps2 == pytest.approx(0.5)


@pytest.mark.parametrize("publishers_n", [0, 1])
def test_the_guard_knows_whether_a_required_input_has_a_publisher(publishers_n: int) -> None:
    car = GuardedCar()
    car.setup = setup(safety=SafetyParameters(auto_engage=True, cabin_required=True))
    car.start_shell()
    car.send(frames.CabinReceived(CabinState()))
    car.send(frames.InputPublishers(publishers_n, 0))
    car.run(0.5, GO)
    assert (car.mode is Mode.AUTONOMOUS) is bool(publishers_n)


@pytest.mark.parametrize("how", ["ends", "silent", "other setup"])
def test_what_a_shell_sent_last_is_not_the_front_of_the_next_one(how: str) -> None:
    car = GuardedCar().driving()
    assert car.last(frames.Output).safe.controlled is not None
    if how == "ends":
        car.guard.disconnect()
        car.start_shell()
    elif how == "silent":
        car.run(1.0)
    else:
        car.ask(setup(rate_hz=50.0))
    car.now += 0.05
    car.run(PERIOD_S)
    assert car.last(frames.Output).safe.controlled is None


def test_counts_outlive_another_setup() -> None:
    car = GuardedCar()
    car.send(frames.CommandReceived(HighLevelCommand(0.0, 5.0)))
    car.run(PERIOD_S)
    car.ask(setup(rate_hz=50.0))
    car.run(0.1)
    assert dict(car.last(frames.Status).status.counts)["wrong_level"] == 1


@pytest.mark.parametrize("is_same", [True, False])
def test_a_shell_that_asks_for_the_changed_parameters_finds_the_sides_as_they_are(
    is_same: bool,
) -> None:
    car = GuardedCar(auto_engage=False)
    changed = {"safety.accel_max_mps2": 0.5}
    assert car.ask(frames.Configure(changed)).success
    sides = car.guard.sides
    car.guard.disconnect()
    if is_same:
        car.setup = car.setup._replace(interface={**car.setup.interface, **changed})
    car.start_shell()
    assert (car.guard.sides is sides) is is_same


def test_the_session_of_a_shell_is_no_other_setup() -> None:
    """It differs with each activation: what happened until then."""
    car = GuardedCar()
    sides = car.guard.sides
    car.ask(car.setup._replace(session=Session("autonomy", {"rate": 3})))
    assert car.guard.sides is sides


def test_a_raw_command_from_the_future_ages_as_one_of_now() -> None:
    asked = setup(control_command="raw", safety=SafetyParameters(auto_engage=True))
    car = GuardedCar(asked=asked)

    def drive(periods_n: int, ahead_s: float) -> None:
        for _ in range(periods_n):
            raw = RawCommand(car.now + PERIOD_S + ahead_s, throttle=300)
            car.now += PERIOD_S
            car.send(frames.Front(raw, None, None, raw))
            car.now -= PERIOD_S
            car.run(PERIOD_S)

    drive(100, 0.0)
    assert car.last(frames.Output).safe.command.raw is not None
    drive(1, 1000.0)
    for _ in range(100):
        car.send(frames.AskHealth())  # the shell lives, its stack does not
        car.run(PERIOD_S)
    assert car.last(frames.Output).safe.command.raw is None
    assert car.accel_mps2 < 0.0


def test_a_guard_that_holds_the_car_says_why_it_began_to() -> None:
    """The end of the shell is reported once, however long it lasts; silence after it is no news."""
    car = GuardedCar().driving()
    car.guard.disconnect()
    car.run(2.0)
    texts = [n.text for n in car.guard.take_notices() if n.kind is notice_kinds.MODE_CHANGED]
    assert len(texts) == 1
    assert SHELL_GONE in texts[0]


def test_the_shell_can_compare_what_the_guard_sends_with_what_the_car_applies() -> None:
    car, tracking, parameters = GuardedCar().driving(), TrackingMonitor(), InterfaceParameters()
    for n in range(500):
        car.run(PERIOD_S, GO._replace(long_accel_mps2=0.5 * (-1) ** (n // 50)))
        sent, report = car.last(frames.Output).safe.command, car.last(frames.Report).report
        tracking.add(sent, report, parameters)
    assert any(estimate.gain > 0.5 for estimate in tracking.estimates(parameters))
