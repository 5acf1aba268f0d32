"""Dead zone, curve and the distrust of triggers that have not moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.teleop.mapping import PedalAxis, SteerAxis
from vdsim_interface.teleop.shaping import TriggerMemory, shaped, steer_value, trigger_value

TRIGGER = PedalAxis(0, rest=1.0, pressed=-1.0, dead_zone=0.0, expo=0.0)
G29_PEDAL = PedalAxis(0, rest=-1.0, pressed=1.0, dead_zone=0.0, expo=0.0)
STICK_PEDAL = PedalAxis(0, rest=0.0, pressed=1.0, dead_zone=0.0, expo=0.0)


def play(axis: PedalAxis, *raw: float) -> list[float]:
    memory, values = TriggerMemory(), []
    for value in raw:
        pedal, memory = trigger_value(value, axis, memory)
        values.append(pedal)
    return values


@given(
    value=st.floats(-1.5, 1.5),
    dead_zone=st.floats(0.0, 0.9),
    expo=st.floats(0.0, 1.0),
)
def test_shape_is_odd_bounded_and_monotone(value: float, dead_zone: float, expo: float) -> None:
    result = shaped(value, dead_zone, expo)
    assert -1.0 <= result <= 1.0
    assert shaped(-value, dead_zone, expo) == -result
    assert shaped(value + 0.01, dead_zone, expo) >= result - 1e-12
    assert abs(result) <= abs(value) + 1e-12


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, 0.0), (0.1, 0.0), (0.55, 0.5), (1.0, 1.0), (-1.0, -1.0)]
)
def test_dead_zone_and_ends(value: float, expected: float) -> None:
    assert shaped(value, 0.1, 0.0) == pytest.approx(expected)


def test_expo_makes_the_middle_fine_and_keeps_the_end() -> None:
    assert shaped(0.5, 0.0, 1.0) == pytest.approx(0.125)
    assert shaped(1.0, 0.0, 0.4) == 1.0


def test_steering_can_be_inverted() -> None:
    assert steer_value(1.0, SteerAxis(0, invert=True)) == -1.0
    assert steer_value(1.0, SteerAxis(0)) == 1.0


def test_a_trigger_that_reads_0_before_its_first_move_is_not_half_throttle() -> None:
    assert play(TRIGGER, 0.0, 0.0, 0.0) == [0.0, 0.0, 0.0]


def test_its_first_move_counts() -> None:
    assert play(TRIGGER, 0.0, 0.8, -1.0) == pytest.approx([0.0, 0.1, 1.0])


def test_a_trigger_held_at_the_start_counts_only_after_it_was_released() -> None:
    assert play(TRIGGER, -1.0, -0.5, 0.9, -1.0) == pytest.approx([0.0, 0.0, 0.05, 1.0])


def test_a_pedal_that_reads_full_before_its_first_move_is_no_throttle() -> None:
    assert play(G29_PEDAL, 1.0, 1.0, -1.0, 0.0) == pytest.approx([0.0, 0.0, 0.0, 0.5])


def test_a_stick_as_pedal_is_valid_at_its_centre() -> None:
    assert play(STICK_PEDAL, 0.0, 0.5, -0.7) == pytest.approx([0.0, 0.5, 0.0])
