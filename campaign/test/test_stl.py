"""Margins of the monitors against a brute-force reading of each formula's definition."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_campaign.stl import (
    All,
    Formula,
    Linear,
    Not,
    Some,
    Until,
    Window,
    always,
    at_least,
    at_most,
    eventually,
    implies,
    sampled,
)

VALUES = st.integers(-5, 5).map(float)
PERIOD_S = 0.01
X, Y = {"x": [1.0, 2.0, -1.0, 3.0]}, "x"


def brute(formula: Formula, signals: dict[str, list[float]], now: int) -> float:
    """The definition, read literally at one sample."""
    count = len(next(iter(signals.values())))
    if isinstance(formula, Linear):
        return formula.scale * signals[formula.signal][now] + formula.offset
    if isinstance(formula, Not):
        return -brute(formula.part, signals, now)
    if isinstance(formula, All):
        return min(brute(part, signals, now) for part in formula.parts)
    if isinstance(formula, Some):
        return max(brute(part, signals, now) for part in formula.parts)
    assert isinstance(formula, Window | Until)
    first, last = round(formula.from_s / PERIOD_S), round(formula.to_s / PERIOD_S)
    window = range(now + first, min(now + last, count - 1) + 1)
    if isinstance(formula, Window):
        margins = [brute(formula.part, signals, n) for n in window]
        return (
            min(margins, default=math.inf) if formula.is_least else max(margins, default=-math.inf)
        )
    return max(
        (
            min(
                brute(formula.right, signals, n),
                min((brute(formula.left, signals, k) for k in range(now, n)), default=math.inf),
            )
            for n in window
        ),
        default=-math.inf,
    )


def windows(part: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    bounds = st.tuples(st.integers(0, 4), st.integers(0, 6)).map(
        lambda pair: (pair[0] * PERIOD_S, (pair[0] + pair[1]) * PERIOD_S)
    )
    single = st.builds(lambda b, p, kind: kind(*b, p), bounds, part, st.sampled_from(KINDS))
    return single | st.builds(lambda b, left, right: Until(*b, left, right), bounds, part, part)


KINDS = (always, eventually)
PREDICATES = st.builds(
    lambda kind, name, bound: kind(name, bound),
    st.sampled_from((at_most, at_least)),
    st.sampled_from(("x", "y")),
    VALUES,
)
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    PREDICATES,
    lambda part: (
        windows(part)
        | st.builds(Not, part)
        | st.builds(lambda a, b: All((a, b)), part, part)
        | st.builds(implies, part, part)
    ),
    max_leaves=4,
)
SIGNALS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=14).map(
    lambda rows: {"x": [row[0] for row in rows], "y": [row[1] for row in rows]}
)


@settings(max_examples=300, deadline=None)
@given(formula=FORMULAS, signals=SIGNALS)
def test_the_monitors_agree_with_the_definition(
    formula: Formula, signals: dict[str, list[float]]
) -> None:
    expected = [brute(formula, signals, n) for n in range(len(signals["x"]))]
    assert formula.robustness(signals, PERIOD_S) == expected


def test_a_margin_is_the_distance_to_the_bound() -> None:
    assert always(0.0, 0.01, at_least(Y, 0.5)).robustness(X, PERIOD_S) == [0.5, -1.5, -1.5, 2.5]
    assert eventually(0.0, 0.01, at_least(Y, 0.5)).margin(X, PERIOD_S) == 1.5
    assert always(0.0, 0.01, at_least(Y, 0.5)).holds(X, PERIOD_S)
    assert not always(0.0, 0.02, at_least(Y, 0.5)).holds(X, PERIOD_S)


def test_a_value_that_is_no_number_breaks_a_bound_on_either_side() -> None:
    signals = {"x": [math.nan]}
    assert not at_most("x", 1.0).holds(signals, PERIOD_S)
    assert not at_least("x", 1.0).holds(signals, PERIOD_S)


def test_a_signal_holds_its_value_between_its_samples() -> None:
    found = sampled([0.005, 0.03], [1.0, 2.0], 0.0, 5, 0.01)
    assert math.isnan(found[0])
    assert found[1:] == [1.0, 1.0, 2.0, 2.0]
