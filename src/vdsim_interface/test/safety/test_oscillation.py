import math

import pytest
from vdsim_interface.safety.rule_runner import OscillationDetector

AMPLITUDE, REVERSALS, WINDOW_N = 0.5, 8, 100


def run(values: list[float]) -> list[bool]:
    detector = OscillationDetector()
    return [detector.step(value, AMPLITUDE, REVERSALS, WINDOW_N) for value in values]


def wave(frequency: float, size: float, seconds: float = 3.0) -> list[float]:
    n = round(seconds * 100)
    return [size * math.sin(2.0 * math.pi * frequency * i * 0.01) for i in range(n)]


@pytest.mark.parametrize(
    ("frequency", "size", "expected"),
    [
        (10.0, 1.0, True),  # 20 reversals a second
        (5.0, 1.0, True),  # 10
        (3.0, 1.0, False),  # 6
        (1.0, 1.0, False),
        (10.0, 0.2, False),  # swings of 0.4
        (10.0, 0.3, True),  # swings of 0.57
        (0.2, 5.0, False),
    ],
)
def test_what_counts_as_oscillation(frequency: float, size: float, expected: bool) -> None:
    """[VI-3.1]"""
    assert any(run(wave(frequency, size))) is expected


def test_ramps_and_steps_do_not() -> None:
    assert not any(run([0.05 * i for i in range(500)]))
    assert not any(run([0.0] * 50 + [3.0] * 50 + [-3.0] * 50 + [0.0] * 50))


def test_alternation_is_flagged_at_the_eighth_reversal_and_falls_below_half() -> None:
    values = [float(i % 2) for i in range(30)] + [1.0] * 150
    flags = run(values)
    # The first sample rises from the start value 0 without a reversal: 2, 3, ... 9 are reversals.
    assert flags.index(True) == 9
    reversal_steps = [index + 1 for index in range(2, 30)]
    last_true = max(index for index, flag in enumerate(flags) if flag)
    alive = [s for s in reversal_steps if s > (last_true + 1) - WINDOW_N]
    assert len(alive) == REVERSALS // 2
    assert not any(flags[last_true + 1 :])


def test_a_swing_must_reach_the_amplitude() -> None:
    exact = [0.5 * (i % 2) for i in range(40)]
    below = [0.499 * (i % 2) for i in range(40)]
    assert any(run(exact))
    assert not any(run(below))


def test_reset_forgets() -> None:
    detector = OscillationDetector()
    for value in wave(10.0, 1.0, 1.0):
        flagged = detector.step(value, AMPLITUDE, REVERSALS, WINDOW_N)
    assert flagged
    detector.reset()
    assert not detector.step(0.0, AMPLITUDE, REVERSALS, WINDOW_N)
    assert not detector.step(-1.0, AMPLITUDE, REVERSALS, WINDOW_N)


def test_a_drift_below_the_amplitude_moves_the_turning_point_only_outwards() -> None:
    """1.0, back to 0.6 (no reversal), on to 1.2, then 0.7: that is a swing of 0.5 from 1.2."""
    detector = OscillationDetector()
    for value in (1.0, 0.6, 1.2):
        assert not detector.step(value, AMPLITUDE, 1, WINDOW_N)
    assert detector.step(0.7, AMPLITUDE, 1, WINDOW_N)


def test_the_same_downwards() -> None:
    """1.0, down to 0.0 (a reversal), on to -0.4, then 0.1: a swing of 0.5 from -0.4."""
    detector = OscillationDetector()
    for value in (1.0, 0.0, -0.4):
        assert not detector.step(value, AMPLITUDE, 2, WINDOW_N)
    assert detector.step(0.1, AMPLITUDE, 2, WINDOW_N)


def test_an_odd_number_of_reversals() -> None:
    """Three flag; one that is left keeps the flag, none drops it. One alone does not flag."""
    detector = OscillationDetector()
    flags = [detector.step(value, AMPLITUDE, 3, 10) for value in (1.0, 0.0, 1.0, 0.0)]
    assert flags == [False, False, False, True]
    later = [detector.step(0.0, AMPLITUDE, 3, 10) for _ in range(10)]
    assert later == [True] * 9 + [False]
