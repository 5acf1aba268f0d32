"""The stop command on each level."""

import pytest
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.safe_stop import (
    SafeStopParameters,
    Stopping,
    approach,
)
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.values import (
    Command,
    Gear,
    HighLevelCommand,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface_kit.teleop import STATE, ToyCar

DT_S = 0.01
PARAMETERS = SafeStopParameters()


def stop(command: Command, car: ToyCar, duration_s: float) -> list[Command]:
    """Run a stop after `command` on a car that rolls."""
    commands, stopping = [command], Stopping(0.0)
    for step in range(round(duration_s / DT_S)):
        now = step * DT_S
        commands.append(stopping.step(commands[-1], car.motion(), PARAMETERS, dt_s=DT_S, now=now))
        car.step(commands[-1], DT_S)
    return commands


@pytest.mark.parametrize("speed", [12.0, 3.0, 0.5, -3.0])
@pytest.mark.parametrize(
    "command",
    [HighLevelCommand(0.0, 99.0, 0.02), VehicleCommand(0.0, 2.0, 0.1), RawCommand(0.0, 500, 0, 70)],
)
def test_every_level_stops_within_the_stated_distance_and_holds_the_steering(
    command: Command, speed: float
) -> None:
    gear = Gear.REVERSE if speed < 0.0 else Gear.DRIVE
    car = ToyCar(velocity_mps=speed)
    car.shift(gear)
    if isinstance(command, HighLevelCommand) and speed < 0.0:
        command = HighLevelCommand(0.0, -99.0, 0.02)
    commands = stop(command, car, 10.0)
    assert car.motion().standing
    assert abs(car.distance_m) <= PARAMETERS.stopping_distance_m(abs(speed), car.lag_s + 0.3)
    for field in ("curvature_1pm", "front_wheel_angle_rad", "front_steer"):
        assert len({getattr(c, field, None) for c in commands}) == 1


def test_a_stop_does_not_push_the_car_back() -> None:
    car = ToyCar(velocity_mps=4.0)
    slowest = 0.0
    command: Command = VehicleCommand(0.0, 0.0, 0.0)
    stopping = Stopping(0.0)
    for step in range(1500):
        command = stopping.step(command, car.motion(), PARAMETERS, dt_s=DT_S, now=step * DT_S)
        car.step(command, DT_S)
        slowest = min(slowest, car.velocity_mps)
    assert slowest > -0.15
    assert isinstance(command, VehicleCommand)
    assert command.long_accel_mps2 == 0.0


@pytest.mark.parametrize(
    ("speed", "slope_mps2", "within_s"),
    [(13.0, 0.5, 8.5), (3.0, 1.0, 4.0), (8.0, 2.4, 7.0), (5.0, 3.0, 7.0), (2.1, 2.7, 5.0)],
)
def test_a_stop_ends_at_rest_downhill(speed: float, slope_mps2: float, within_s: float) -> None:
    """Seed 4000295 of `processes`: a stop that tapers off lets a slope drive the car for ever.

    Seed 9835232 of `morai single`: a laden car sped up for 11 s in its stop on -25 %.
    """
    motion, stopping = MeasuredMotion(speed, 0.0, STATE), Stopping(0.0)
    command: Command = VehicleCommand(0.0, 0.0, 0.0)
    fastest = speed + 1.0
    for step in range(round(within_s / DT_S)):
        now = step * DT_S
        command = stopping.step(command, motion, PARAMETERS, dt_s=DT_S, now=now)
        assert isinstance(command, VehicleCommand)
        assert motion.velocity_mps is not None
        speed = motion.velocity_mps + (command.long_accel_mps2 + slope_mps2) * DT_S
        assert speed < fastest
        motion = MeasuredMotion(speed, 0.0, STATE)
        if motion.standing:
            return
    pytest.fail(f"it still rolls at {speed:.2f} m/s")


@pytest.mark.parametrize("speed", [1.0, 5.0, 25.0])
def test_a_stop_that_slows_the_car_asks_for_its_deceleration_only(speed: float) -> None:
    car = ToyCar(velocity_mps=speed)
    asked = [
        -command.long_accel_mps2
        for command in stop(VehicleCommand(0.0, 0.0, 0.0), car, speed / 2.0 + 3.0)
        if isinstance(command, VehicleCommand)
    ]
    assert car.motion().standing
    assert max(asked) <= PARAMETERS.decel_mps2 + 1e-9


def test_a_stop_brakes_harder_for_as_long_as_the_car_is_too_fast() -> None:
    motion, stopping = MeasuredMotion(3.0, 0.0, STATE), Stopping(0.0)
    asked, command = [], VehicleCommand(0.0, -2.5, 0.0)
    for second in range(1, 6):
        following = stopping.step(command, motion, PARAMETERS, dt_s=1.0, now=float(second))
        assert isinstance(following, VehicleCommand)
        asked.append(-following.long_accel_mps2)
    assert asked == [3.5, 4.5, 5.5, 6.0, 6.0]


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_stop_asks_for_no_more_speed_than_the_car_has(sense: float) -> None:
    """Of a car that slows by itself: its fail-safe brakes, or it rolls uphill."""
    command: Command = HighLevelCommand(0.0, 5.0 * sense, 0.02)
    stopping = Stopping(0.0)
    for speed_mps in (5.0, 4.0, 2.0, 1.0, 0.01, 0.0, -0.5):
        motion = MeasuredMotion(velocity_mps=speed_mps * sense)
        command = stopping.step(command, motion, PARAMETERS, dt_s=DT_S, now=1.0)
        assert isinstance(command, HighLevelCommand)
        assert 0.0 <= command.velocity_mps * sense <= max(speed_mps, 0.0)


def test_a_speed_against_the_cars_motion_becomes_standstill() -> None:
    first = Stopping(0.0).step(
        HighLevelCommand(0.0, 5.0, 0.0), MeasuredMotion(-2.0, 0.0, STATE), PARAMETERS,
        dt_s=DT_S, now=0.0,
    )  # fmt: skip
    assert isinstance(first, HighLevelCommand)
    assert first.velocity_mps == 0.0


def test_without_odometry_the_commanded_speed_is_ramped_down() -> None:
    command: Command = HighLevelCommand(0.0, 5.0, 0.01)
    assert command == HighLevelCommand(0.0, 5.0, 0.01)
    command = Stopping(0.9).step(command, MeasuredMotion(), PARAMETERS, dt_s=0.1, now=1.0)
    assert command == HighLevelCommand(1.0, 4.75, 0.01)


@pytest.mark.parametrize(("gear", "sign"), [(Gear.DRIVE, -1), (Gear.REVERSE, 1), (None, -1)])
def test_without_odometry_the_gear_tells_which_way_to_brake_and_it_ends(
    gear: Gear | None, sign: int
) -> None:
    car = ToyCar()
    if gear is not None:
        car.shift(gear)
    motion = MeasuredMotion(state=car.state if gear is not None else None)
    command: Command = VehicleCommand(0.0)
    stopping = Stopping(0.0)
    for now in (0.1, 1.0, 9.9):
        command = stopping.step(command, motion, PARAMETERS, dt_s=1.0, now=now)
        assert isinstance(command, VehicleCommand)
        assert command.long_accel_mps2 == sign * PARAMETERS.decel_mps2
    command = stopping.step(command, motion, PARAMETERS, dt_s=1.0, now=10.1)
    assert isinstance(command, VehicleCommand)
    assert command.long_accel_mps2 == 0.0


@pytest.mark.parametrize("speed", [-0.5, 0.5])
@pytest.mark.parametrize(("gear", "sign"), [(Gear.DRIVE, -1), (Gear.REVERSE, 1)])
def test_a_car_that_rolls_against_its_gear_is_braked_and_not_pushed(
    gear: Gear, sign: int, speed: float
) -> None:
    car = ToyCar(velocity_mps=speed)
    car.shift(gear)
    command = Stopping(0.0).step(VehicleCommand(0.0), car.motion(), PARAMETERS, dt_s=0.1, now=0.1)
    assert isinstance(command, VehicleCommand)
    assert command.long_accel_mps2 == sign * 1.0


def test_raw_brakes_with_the_stated_pedal() -> None:
    commands = stop(RawCommand(0.0, 800, 0, 30), ToyCar(velocity_mps=5.0), 1.0)
    assert commands[-1] == RawCommand(0.99, 0, PARAMETERS.raw_brake, 30)
    assert all(c.throttle == 0 for c in commands[1:] if isinstance(c, RawCommand))


def test_approach_never_overshoots() -> None:
    assert approach(0.0, 1.0, 0.3) == 0.3
    assert approach(0.9, 1.0, 0.3) == 1.0
    assert approach(0.0, -1.0, 0.3) == -0.3


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(ParameterError, match=r"safe_stop\.decel_mps2=0\.0: must be >= 0\.05"):
        SafeStopParameters(decel_mps2=0.0)
