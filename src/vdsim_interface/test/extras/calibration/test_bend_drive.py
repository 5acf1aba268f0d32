"""Steady bends on a car of few lines, in its own time."""

import math
import random

import pytest
from vdsim_interface.extras.calibration.bend_drive import BendDrive, BendMotion
from vdsim_interface.extras.calibration.understeer_fit import UndersteerError, fit_understeer

LENGTH_M, GRADIENT, DT = 2.7, 0.0012, 0.01


class Car:
    """A bicycle with an understeer gradient, a lag of its yaw rate, and as much power as asked."""

    def __init__(self, *, top_mps: float = 60.0, noise: float = 0.0) -> None:
        self._top_mps, self._noise = top_mps, noise
        self._random = random.Random(1)
        self._rate = 0.0
        self.time_s = self.speed_mps = self.angle_rad = 0.0

    def step(self, throttle: float, brake: float, angle_rad: float) -> BendMotion:
        drag = 0.1 + (0.0 if self.speed_mps < self._top_mps else 5.0)
        self.speed_mps = max(self.speed_mps + (5.0 * throttle - 8.0 * brake - drag) * DT, 0.0)
        self.angle_rad = angle_rad
        steady = math.tan(angle_rad) / (LENGTH_M + GRADIENT * self.speed_mps**2) * self.speed_mps
        self._rate += DT / (0.3 + DT) * (steady - self._rate)
        self.time_s += DT
        rate = self._rate + self._random.gauss(0.0, self._noise)
        return BendMotion(self.time_s, self.speed_mps, angle_rad, rate)


def driven(car: Car, drive: BendDrive) -> list[str]:
    """Drive to the end; return the rows."""
    motion = car.step(0.0, 0.0, 0.0)
    while not drive.is_done:
        motion = car.step(*drive.step(motion))
        assert car.time_s < 600.0
    return drive.rows


@pytest.mark.parametrize(("noise", "error"), [(0.0, 0.01), (0.003, 0.05)])
def test_the_gradient_of_the_car_is_found(noise: float, error: float) -> None:
    car = Car(noise=noise)
    fit = fit_understeer(driven(car, BendDrive(LENGTH_M, 25.0)))
    assert fit.bends_n == 9
    assert fit.gradient_rad_s2pm == pytest.approx(GRADIENT, rel=error)
    assert car.speed_mps < 0.2


def test_the_wheels_are_turned_no_faster_than_the_limit() -> None:
    car, drive = Car(), BendDrive(LENGTH_M, 10.0)
    motion, before = car.step(0.0, 0.0, 0.0), 0.0
    while not drive.is_done:
        command = drive.step(motion)
        assert abs(command.front_wheel_angle_rad - before) <= 0.3 * DT + 1e-9
        assert command.throttle * command.brake == 0.0
        before, motion = command.front_wheel_angle_rad, car.step(*command)


def test_a_simulator_that_pauses_changes_nothing() -> None:
    car, drive = Car(), BendDrive(LENGTH_M, 10.0)
    motion = car.step(0.0, 0.0, 0.0)
    while car.time_s < 9.0:
        motion = car.step(*drive.step(motion))
    rows = list(drive.rows)
    for _ in range(10_000):
        command = drive.step(motion)
    assert drive.rows == rows
    assert drive.step(motion) == command


def test_a_simulator_that_is_reset_is_driven_on() -> None:
    car, drive = Car(), BendDrive(LENGTH_M, 10.0)
    motion = car.step(0.0, 0.0, 0.0)
    while len(drive.rows) < 5:
        motion = car.step(*drive.step(motion))
    car.time_s = car.speed_mps = 0.0
    fit = fit_understeer(driven(car, drive))
    assert fit.bends_n == 9
    assert fit.gradient_rad_s2pm == pytest.approx(GRADIENT, rel=0.05)


def test_a_speed_that_the_car_does_not_reach_is_an_error() -> None:
    with pytest.raises(UndersteerError, match=r"bend of 12\.5 m/s: not steady within 60 s,"):
        driven(Car(top_mps=9.0), BendDrive(LENGTH_M, 20.0))


@pytest.mark.parametrize(
    ("wheelbase", "top", "line"),
    [
        (0.0, 20.0, "wheelbase=0: must be > 0"),
        (math.nan, 20.0, "wheelbase=nan: must be > 0"),
        (2.7, 5.0, "top_speed=5: must be > 5"),
        (2.7, math.inf, "top_speed=inf: must be > 5"),
    ],
)
def test_a_drive_that_cannot_be_is_refused(wheelbase: float, top: float, line: str) -> None:
    with pytest.raises(UndersteerError) as error:
        BendDrive(wheelbase, top)
    assert str(error.value) == line
