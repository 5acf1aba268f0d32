"""A long step of the solver is refused, or warned of, wherever a car is made."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import pytest
from vdsim_plant.parameters.substep import WHY
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import VDSimPlant

Make = Callable[..., object]


def _plant(substep_s: float, **more: bool) -> object:
    return VDSimPlant(control_dt=0.1, substep_dt=substep_s, **more)  # type: ignore[arg-type]


def _batch(substep_s: float, **more: bool) -> object:
    return VDSimPlant(control_dt=0.1).batch(2, substep_dt=substep_s, **more)


def _vehicle(substep_s: float, **more: bool) -> object:
    return Vehicle(substep_s=substep_s, **more)


EVERYWHERE = pytest.mark.parametrize(
    ("make", "key"),
    [(_plant, "substep_dt"), (_batch, "substep_dt"), (_vehicle, "substep_s")],
)


@EVERYWHERE
@pytest.mark.parametrize("substep_s", [0.0025, 0.05])
def test_above_two_milliseconds_it_needs_the_switch_and_the_error_says_why(
    make: Make, key: str, substep_s: float
) -> None:
    expected = f"{key}={substep_s:g}: must be <= 0.002 s, because {WHY}; "
    with pytest.raises(ValueError, match=re.escape(expected)) as raised:
        make(substep_s)
    assert "allow_coarse_substep=True" in str(raised.value)
    assert "\n" not in str(raised.value)
    make(substep_s, allow_coarse_substep=True)


@EVERYWHERE
def test_above_one_millisecond_it_warns_and_names_the_place(make: Make, key: str) -> None:
    with pytest.warns(UserWarning, match=f"{key}=0.002: above 0.001 s") as caught:
        make(0.002)
    assert [warning.filename for warning in caught] == [__file__]


@EVERYWHERE
def test_what_is_exact_or_asked_for_says_nothing(make: Make, key: str) -> None:
    del key
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(0.001)
        make(0.002, allow_coarse_substep=True)


@EVERYWHERE
def test_no_switch_allows_more_than_a_tenth_of_a_second(make: Make, key: str) -> None:
    with pytest.raises(ValueError, match=f"{key}=0.2: "):
        make(0.2, allow_coarse_substep=True)


def test_the_figure_of_the_error_is_what_the_plant_gives() -> None:
    turned = {}
    for substep_s in (1e-4, 0.05):
        plant = VDSimPlant(base_mu=0.5, substep_dt=substep_s, allow_coarse_substep=True)
        plant.reset([0.0, 0.0, 0.0, 16.7, 0.0, 0.0])
        for _ in range(60):
            seen = plant.step([0.12, -15_000.0])
        turned[substep_s] = seen["psi"]
    assert f"by {turned[0.05]:.3f} instead of {turned[1e-4]:.3f} rad at 0.05 s" in WHY
