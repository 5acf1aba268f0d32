"""Declared fields accept what they say and refuse everything else, with a text that says it."""

from dataclasses import dataclass

import pytest
from vdsim_plant.parameters import ParameterError, from_mapping
from vdsim_plant.parameters.fields import REQUIRED, check_fields, choice, curve, real, text, whole


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


def test_a_number_without_limits_must_be_finite() -> None:
    with pytest.raises(ParameterError, match=r"speed_mps=inf: must be finite$"):
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
