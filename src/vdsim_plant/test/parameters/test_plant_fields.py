"""Declared fields accept what they say and refuse everything else, with a text that says it."""

from dataclasses import dataclass

import pytest
from vdsim_plant.parameters import ParameterError, from_mapping
from vdsim_plant.parameters.fields import (
    REQUIRED,
    Number,
    check_fields,
    choice,
    curve,
    real,
    text,
    whole,
)
from vdsim_plant.parameters.units import UNITS, bounded


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth_m: float = real(1.0, "a depth", unit="m", at_least=0.0, below=5.0)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class Sample:
    count: int = whole(REQUIRED, "how many", at_least=2)
    speed_mps: float = real(REQUIRED, "a speed", unit="m/s")
    mode: str = choice("slow", "a mode", ("slow", "fast"))
    title: str = text("none", "a title")
    points: tuple[tuple[float, float], ...] = curve(REQUIRED, "a curve", unit="m, N")
    inner: Inner

    def __post_init__(self) -> None:
        check_fields(self)


GOOD = {"count": 3, "speed_mps": 2, "points": [[0, 1], [2, 5]], "inner": {}}


def test_good_values_are_taken_and_numbers_become_floats() -> None:
    sample = from_mapping(Sample, GOOD)
    assert sample == Sample(
        count=3, speed_mps=2.0, points=((0.0, 1.0), (2.0, 5.0)), inner=Inner(depth_m=1.0)
    )
    assert isinstance(sample.speed_mps, float)


@pytest.mark.parametrize(
    ("count", "refusal"),
    [
        (1, "count=1: must be >= 2"),
        (2.0, "count=2.0: must be an integer"),
        (True, "count=True: must be an integer"),
        ("3", "count='3': must be an integer"),
        (None, "count=None: must be an integer"),
    ],
)
def test_a_whole_number_is_whole_and_high_enough(count: object, refusal: str) -> None:
    with pytest.raises(ParameterError) as caught:
        from_mapping(Sample, {**GOOD, "count": count})
    assert str(caught.value) == refusal


@pytest.mark.parametrize("depth", [-0.1, 5.0, float("inf"), float("nan")])
def test_limits_are_open_or_closed_as_declared(depth: float) -> None:
    with pytest.raises(ParameterError) as caught:
        from_mapping(Sample, {**GOOD, "inner": {"depth_m": depth}})
    assert str(caught.value) == f"inner.depth_m={depth}: must be >= 0 and < 5 m"


def test_a_number_without_limits_is_within_those_of_its_unit() -> None:
    refusal = r"speed_mps=inf: must be >= -150 and <= 150 m/s$"
    with pytest.raises(ParameterError, match=refusal):
        from_mapping(Sample, {**GOOD, "speed_mps": float("inf")})


@pytest.mark.parametrize(
    "points",
    [
        "abc",
        [[0, 1]],
        [[1, 1], [2, 2]],
        [[0, 1], [0, 2]],
        [[0, 1], [1, -1]],
        [[0, 1], [1]],
        [[0, 1], 7],
        [[0, 1], [1, "2"]],
        [[0, 1], [1, True]],
        [[0, 1], [1, float("nan")]],
        [[k, 1] for k in range(33)],
    ],
)
def test_a_curve_is_pairs_with_rising_x_from_zero(points: object) -> None:
    with pytest.raises(ParameterError, match="must be 2 to 32 pairs"):
        from_mapping(Sample, {**GOOD, "points": points})


def test_what_is_missing_is_named_with_what_is_allowed() -> None:
    with pytest.raises(ParameterError) as caught:
        from_mapping(Sample, {}, source="f.yaml")
    assert str(caught.value) == "f.yaml: count: missing (how many: an integer >= 2)"


@pytest.mark.parametrize("title", ["", "  ", 7])
def test_a_text_is_not_empty(title: object) -> None:
    with pytest.raises(ParameterError, match="must be a line of text"):
        from_mapping(Sample, {**GOOD, "title": title})


def test_an_unknown_key_suggests_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"sped_mps: unknown key; did you mean speed_mps\?"):
        from_mapping(Sample, {**GOOD, "sped_mps": 1})


@pytest.mark.parametrize(
    ("bounds", "unit", "words"),
    [
        ({"above": 0.0}, "kg m2", ">= 1e-07 and <= 1e+07 kg m2"),
        ({"above": 0.0, "at_most": 20}, "m", ">= 0.001 and <= 20 m"),
        ({"at_least": 0.0}, "N m", ">= 0 and <= 1e+06 N m"),
        ({"at_least": 0.0, "floor": 0.1}, "N/m", "0, or >= 0.1 and <= 1e+08 N/m"),
        ({"above": 1.0, "below": 2.0}, "", "> 1 and < 2"),
        ({}, "rad", ">= -6.3 and <= 6.3 rad"),
    ],
)
def test_the_unit_gives_what_a_declaration_leaves_open(
    bounds: dict[str, float], unit: str, words: str
) -> None:
    assert Number(doc="", unit=unit, **bounded(unit, bounds)).allowed() == words


def test_next_to_nothing_is_no_value_where_zero_has_a_meaning_of_its_own() -> None:
    spring = Number(doc="", unit="N/m", at_least=0.0, floor=0.1)
    assert [spring.checked("k", value) for value in (0, 0.1)] == [0.0, 0.1]
    for value in (5e-324, 0.09):
        with pytest.raises(ParameterError, match=r"must be 0, or >= 0\.1 N/m"):
            spring.checked("k", value)


def test_floors_are_below_ceilings() -> None:
    assert all(0.0 < limits.floor < limits.ceiling for limits in UNITS.values())
