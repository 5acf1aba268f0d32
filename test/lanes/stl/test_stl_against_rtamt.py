"""The campaign's monitors against rtamt, an independent implementation of the same logic."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import pytest
import rtamt

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "campaign"))
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
)

TRIALS = 300
PERIOD_S = 1.0


def text(formula: Formula) -> str:
    """The formula in rtamt's language; times are samples of a second."""
    if isinstance(formula, Linear):
        if formula.scale > 0.0:
            return f"({formula.signal} >= {-formula.offset})"
        return f"({formula.signal} <= {formula.offset})"
    if isinstance(formula, Not):
        return f"(not {text(formula.part)})"
    if isinstance(formula, All):
        return "(" + " and ".join(map(text, formula.parts)) + ")"
    if isinstance(formula, Some):
        return "(" + " or ".join(map(text, formula.parts)) + ")"
    assert isinstance(formula, Window | Until)
    bounds = f"[{formula.from_s:.0f},{formula.to_s:.0f}]"
    if isinstance(formula, Until):
        return f"({text(formula.left)} until{bounds} {text(formula.right)})"
    return f"({'always' if formula.is_least else 'eventually'}{bounds} {text(formula.part)})"


def horizon(formula: Formula) -> int:
    """How many samples after the present one the formula looks at."""
    if isinstance(formula, Linear):
        return 0
    if isinstance(formula, Not):
        return horizon(formula.part)
    if isinstance(formula, All | Some):
        return max(map(horizon, formula.parts))
    if isinstance(formula, Until):
        return int(formula.to_s) + max(horizon(formula.left), horizon(formula.right))
    assert isinstance(formula, Window)
    return int(formula.to_s) + horizon(formula.part)


def any_formula(draws: random.Random, depth: int) -> Formula:
    if depth == 0:
        kind = draws.choice((at_most, at_least))
        return kind(draws.choice("xy"), float(draws.randint(-4, 4)))

    def part() -> Formula:
        return any_formula(draws, depth - 1)

    begin = draws.randint(0, 3)
    end = begin + draws.randint(1, 4)
    return draws.choice(
        (
            lambda: Not(part()),
            lambda: All((part(), part())),
            lambda: Some((part(), part())),
            lambda: always(begin, end, part()),
            lambda: eventually(begin, end, part()),
            lambda: Until(begin, end, part(), part()),
        )
    )()


def rtamts(formula: Formula, signals: dict[str, list[float]]) -> list[float]:
    specification = rtamt.StlDiscreteTimeSpecification()
    for name in signals:
        specification.declare_var(name, "float")
    specification.spec = text(formula)
    specification.parse()
    times = list(range(len(signals["x"])))
    return [margin for _, margin in specification.evaluate({"time": times, **signals})]


@pytest.mark.parametrize("seed", range(TRIALS))
def test_the_margins_agree_wherever_the_record_covers_the_formula(seed: int) -> None:
    draws = random.Random(seed)
    formula = any_formula(draws, draws.randint(1, 3))
    count = horizon(formula) + draws.randint(2, 20)  # rtamt cannot read a single sample
    signals = {name: [float(draws.randint(-6, 6)) for _ in range(count)] for name in "xy"}
    covered = count - horizon(formula)
    own = formula.robustness(signals, PERIOD_S)[:covered]
    assert own == pytest.approx(rtamts(formula, signals)[:covered], abs=1e-9)
    assert all(math.isfinite(margin) for margin in own)
