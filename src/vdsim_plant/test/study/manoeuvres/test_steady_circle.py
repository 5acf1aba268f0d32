"""Steady circle: the gradients against theory, the limit against friction."""

import numpy as np
import pytest
from vdsim_plant.assembly import roll_per_ay
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError, load_vehicle
from vdsim_plant.study.manoeuvres import steady_circle
from vdsim_plant.vehicle_characteristics import understeer_gradient


@pytest.fixture(scope="module")
def dry():  # type: ignore[no-untyped-def]
    return steady_circle(radius_m=60.0)


def test_understeer_is_that_of_theory_and_a_little_more(dry) -> None:  # type: ignore[no-untyped-def]
    theory = understeer_gradient(load_vehicle("ioniq5_awd"), 2.2e5, 1.6e5)
    measured = dry.understeer_gradient_rad_s2_per_m
    assert 0.9 * theory < measured < 1.5 * theory, "the curve bends upwards from the start"


def test_the_roll_gradient_is_the_cars(dry) -> None:  # type: ignore[no-untyped-def]
    expected = np.degrees(roll_per_ay(load_vehicle("ioniq5_awd")) * GRAVITY_MPS2)
    assert dry.roll_gradient_deg_per_g == pytest.approx(expected, rel=0.03)


def test_the_car_keeps_its_circle_until_the_limit(dry) -> None:  # type: ignore[no-untyped-def]
    off = np.hypot(dry.trace.x_m, dry.trace.y_m - 60.0) - 60.0
    slow = dry.trace.speed_mps < 0.8 * dry.largest_speed_mps
    assert np.abs(off[slow]).max() < 0.25
    assert 0.7 < dry.friction_utilisation <= 1.0


def test_a_slippery_circle_ends_sooner() -> None:
    result = steady_circle(radius_m=60.0, mu=0.3)
    assert result.largest_speed_mps < np.sqrt(1.1 * 0.3 * GRAVITY_MPS2 * 60.0)
    assert result.friction_utilisation <= 1.0


def test_a_circle_too_tight_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"radius_m=5\.0: must be 14\.8 to 1000 m"):
        steady_circle(radius_m=5.0)
