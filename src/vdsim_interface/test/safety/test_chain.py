"""The memory of the rule runner, and its changes in both directions of travel."""

import pytest
from vdsim_interface.safety.rule_context import NOT_OSCILLATING, MotionCommand
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.values import Change, Gear, VehicleCommand
from vdsim_interface_kit.safety import LIMITS, context


def test_changes_have_the_signs_of_the_message() -> None:
    """In REVERSE speeding up is negative acceleration; angles keep their sign."""
    runner = RuleRunner(0.01)
    runner.set_direction(-1)
    runner.previous = MotionCommand(2.95, 0.497, 0.097)
    situation = context(
        gear=Gear.REVERSE, speed_mps=-1.0, front_rad=0.5, rear_rad=0.1, previous=runner.previous
    )
    command, special = VehicleCommand(0.0, -9.0, 0.6, 0.2), situation.special()
    _, changes = runner.step(command, situation, LIMITS, 0.0, special)
    assert changes == (
        Change("range", "long_accel_mps2", -9.0, -3.0),
        Change("range", "front_wheel_angle_rad", 0.6, 0.5),
        Change("range", "rear_wheel_angle_rad", 0.2, 0.1),
    )


@pytest.mark.parametrize(("direction", "drive"), [(1, -2.0), (-1, 0.0)])
def test_where_the_direction_turns_drive_starts_from_zero(direction: int, drive: float) -> None:
    runner = RuleRunner(0.01)
    runner.set_direction(1)
    runner.previous = MotionCommand(-2.0, 0.1, 0.02)
    runner.set_direction(direction)
    assert runner.previous == MotionCommand(drive, 0.1, 0.02)


@pytest.mark.parametrize(("coasting", "drive"), [(True, 0.0), (False, -2.0)])
def test_following_keeps_the_measured_angles(coasting: bool, drive: float) -> None:
    runner = RuleRunner(0.01)
    runner.previous = MotionCommand(-2.0, 0.0, 0.0)
    runner.mirror_vehicle(0.1, 0.02, coasting=coasting)
    assert runner.previous == MotionCommand(drive, 0.1, 0.02)


def test_a_new_chain_is_at_rest_and_forward() -> None:
    runner = RuleRunner(0.01)
    assert runner.previous == MotionCommand(0.0, 0.0, 0.0)
    runner.previous = MotionCommand(-2.0, 0.1, 0.02)
    runner.set_direction(1)
    assert runner.previous == MotionCommand(-2.0, 0.1, 0.02)


def swing(runner: RuleRunner, channel: str, size: float, n: int = 60) -> None:
    for i in range(n):
        value = size if i % 10 < 5 else -size
        runner.update_oscillation(VehicleCommand(0.0)._replace(**{channel: value}), LIMITS)


@pytest.mark.parametrize(
    ("channel", "size", "expected"),
    [
        ("long_accel_mps2", 1.0, (True, False, False)),
        ("front_wheel_angle_rad", 0.1, (False, True, False)),
        ("rear_wheel_angle_rad", 0.1, (False, False, True)),
        ("rear_wheel_angle_rad", 0.001, NOT_OSCILLATING),
        ("long_accel_mps2", 0.1, NOT_OSCILLATING),
    ],
)
def test_each_channel_is_watched_by_itself(
    channel: str, size: float, expected: tuple[bool, bool, bool]
) -> None:
    runner = RuleRunner(0.01)
    assert runner.oscillating == NOT_OSCILLATING
    swing(runner, channel, size)
    assert runner.oscillating == expected


def test_without_a_command_and_when_autonomy_starts_nothing_oscillates() -> None:
    runner = RuleRunner(0.01)
    swing(runner, "long_accel_mps2", 1.0)
    runner.update_oscillation(None, LIMITS)
    assert runner.oscillating == NOT_OSCILLATING
    swing(runner, "long_accel_mps2", 1.0, 1)
    assert runner.oscillating == NOT_OSCILLATING, "the reversals are discarded"
    swing(runner, "long_accel_mps2", 1.0)
    assert runner.oscillating != NOT_OSCILLATING
    runner.reset()
    assert runner.oscillating == NOT_OSCILLATING
    swing(runner, "long_accel_mps2", 1.0, 1)
    assert runner.oscillating == NOT_OSCILLATING, "and again"
