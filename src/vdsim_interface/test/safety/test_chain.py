"""The memory of the rule chain, and the words of its changes in both directions of travel."""

import pytest
from safety_kit import LIMITS, context
from vdsim_interface.safety.rule_context import NOT_OSCILLATING, MotionCommand
from vdsim_interface.safety.rule_runner import RuleRunner
from vdsim_interface.values import Change, Gear, VehicleCommand


def test_changes_are_told_in_the_senses_of_the_message() -> None:
    """In REVERSE speeding up is negative acceleration; angles keep their sign."""
    chain = RuleRunner(0.01)
    chain.set_direction(-1)
    chain.previous = MotionCommand(2.95, 0.497, 0.097)
    situation = context(
        gear=Gear.REVERSE, speed_mps=-1.0, front_rad=0.5, rear_rad=0.1, previous=chain.previous
    )
    _, changes = chain.step(VehicleCommand(0.0, -9.0, 0.6, 0.2), situation, LIMITS, 0.0)
    assert changes == (
        Change("range", "long_accel_mps2", -9.0, -3.0),
        Change("range", "front_wheel_angle_rad", 0.6, 0.5),
        Change("range", "rear_wheel_angle_rad", 0.2, 0.1),
    )


@pytest.mark.parametrize(("direction", "drive"), [(1, -2.0), (-1, 0.0)])
def test_where_the_direction_turns_drive_starts_from_zero(direction: int, drive: float) -> None:
    chain = RuleRunner(0.01)
    chain.set_direction(1)
    chain.previous = MotionCommand(-2.0, 0.1, 0.02)
    chain.set_direction(direction)
    assert chain.previous == MotionCommand(drive, 0.1, 0.02)


@pytest.mark.parametrize(("coasting", "drive"), [(True, 0.0), (False, -2.0)])
def test_following_keeps_the_measured_angles(coasting: bool, drive: float) -> None:
    chain = RuleRunner(0.01)
    chain.previous = MotionCommand(-2.0, 0.0, 0.0)
    chain.mirror_vehicle(0.1, 0.02, coasting=coasting)
    assert chain.previous == MotionCommand(drive, 0.1, 0.02)


def test_a_new_chain_is_at_rest_and_forward() -> None:
    chain = RuleRunner(0.01)
    assert chain.previous == MotionCommand(0.0, 0.0, 0.0)
    chain.previous = MotionCommand(-2.0, 0.1, 0.02)
    chain.set_direction(1)
    assert chain.previous == MotionCommand(-2.0, 0.1, 0.02)


def swing(chain: RuleRunner, channel: str, size: float, n: int = 60) -> None:
    for i in range(n):
        value = size if i % 10 < 5 else -size
        chain.update_oscillation(VehicleCommand(0.0)._replace(**{channel: value}), LIMITS)


@pytest.mark.parametrize(
    ("channel", "size", "expected"),
    [
        ("long_accel_mps2", 1.0, (True, False, False)),
        ("front_wheel_angle_rad", 0.1, (False, True, False)),
        ("rear_wheel_angle_rad", 0.1, (False, False, True)),
        ("rear_wheel_angle_rad", 0.001, NOT_OSCILLATING),
    ],
)
def test_each_channel_is_watched_by_itself(
    channel: str, size: float, expected: tuple[bool, bool, bool]
) -> None:
    chain = RuleRunner(0.01)
    assert chain.oscillating == NOT_OSCILLATING
    swing(chain, channel, size)
    assert chain.oscillating == expected


def test_without_a_command_and_when_autonomy_begins_nothing_oscillates() -> None:
    chain = RuleRunner(0.01)
    swing(chain, "long_accel_mps2", 1.0)
    chain.update_oscillation(None, LIMITS)
    assert chain.oscillating == NOT_OSCILLATING
    swing(chain, "long_accel_mps2", 1.0, 1)
    assert chain.oscillating == NOT_OSCILLATING, "the reversals are forgotten"
    swing(chain, "long_accel_mps2", 1.0)
    assert chain.oscillating != NOT_OSCILLATING
    chain.reset()
    assert chain.oscillating == NOT_OSCILLATING
    swing(chain, "long_accel_mps2", 1.0, 1)
    assert chain.oscillating == NOT_OSCILLATING, "and again"
