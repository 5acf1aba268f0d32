"""What the guard passes on to its sides, and what a second change keeps of the first."""

from __future__ import annotations

import pytest
from vdsim_interface.guard import frames
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import CabinState, Mode
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
