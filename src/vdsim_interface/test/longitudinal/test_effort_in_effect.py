"""More effort than was sent is not in effect, whatever the vehicle reports."""

import math

import pytest
from vdsim_interface.longitudinal.motion_observer import ROOM_MPS2, SLICE_S, EffortInEffect

PERIOD_S = 0.01
LAG_S = 0.08


def sent(effort_mps2: float, seconds: float) -> EffortInEffect:
    effect = EffortInEffect(LAG_S)
    for _ in range(round(seconds / PERIOD_S)):
        effect.on_sent(effort_mps2, PERIOD_S)
    return effect


@pytest.mark.parametrize("reported", [1.0 + ROOM_MPS2, 1.0, 0.2, 0.0, -4.0])
def test_a_vehicle_may_apply_less_and_may_brake_by_itself(reported: float) -> None:
    effect = sent(1.0, 2.0)
    assert effect.report(reported, 1.0, PERIOD_S) == reported
    assert effect.value_mps2 == reported


@pytest.mark.parametrize("reported", [1.01 + ROOM_MPS2, 4.0, math.inf, -math.inf, math.nan])
def test_what_cannot_be_in_effect_is_replaced_by_what_was_sent_with_a_lag(reported: float) -> None:
    effect = sent(1.0, 2.0)
    for period in range(1, 100):
        value = effect.report(reported, 1.0, PERIOD_S)
        assert value == pytest.approx(1.0 - (LAG_S / (LAG_S + PERIOD_S)) ** period)


def test_a_brake_that_is_applied_is_not_denied() -> None:
    effect = sent(-2.5, 2.0)
    for _ in range(100):
        effect.report(0.0, -2.5, PERIOD_S)
    assert effect.value_mps2 == pytest.approx(-2.5, abs=0.01)


def test_a_late_answer_counts() -> None:
    effect = sent(3.0, 2.0)
    for _ in range(round(SLICE_S / PERIOD_S) - 1):
        effect.on_sent(0.0, PERIOD_S)
        assert effect.report(3.0, 0.0, PERIOD_S) == 3.0
    for _ in range(2 * round(SLICE_S / PERIOD_S) + 2):
        effect.on_sent(0.0, PERIOD_S)
    assert effect.report(3.0, 0.0, PERIOD_S) < 3.0


def test_at_first_another_may_have_driven() -> None:
    effect = sent(0.0, 2.0)
    effect.reset()
    effect.on_sent(0.0, PERIOD_S)
    assert effect.report(3.0, 0.0, PERIOD_S) == 3.0


@pytest.mark.parametrize("effort_mps2", [-2.5, 0.0, 1.5])
def test_the_largest_of_both_slices_counts(effort_mps2: float) -> None:
    effect = sent(effort_mps2, 2.0)
    effect.on_sent(effort_mps2 + 1.0, PERIOD_S)
    for _ in range(round(SLICE_S / PERIOD_S) - 2):
        effect.on_sent(effort_mps2, PERIOD_S)
        assert effect.report(effort_mps2 + 1.0, effort_mps2, PERIOD_S) == effort_mps2 + 1.0


def test_after_two_whole_slices_nobody_else_has_driven() -> None:
    effect = EffortInEffect(LAG_S)
    for _ in range(3):
        effect.on_sent(0.0, SLICE_S / 2)
        assert effect.report(3.0, 0.0, 0.0) == 3.0
    effect.on_sent(0.0, SLICE_S / 2)
    assert effect.report(-1.0, 0.0, 0.0) == -1.0
    assert effect.report(3.0, 0.0, 0.0) == -1.0
