"""The Magic Formula's peak is found where calculus puts it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.tyres.magic_formula import magic, peak_argument


@given(c=st.floats(1.05, 1.99), e=st.floats(-5.0, 0.95))
def test_the_formula_reaches_d_at_the_peak(c: float, e: float) -> None:
    bx = peak_argument(c, e)
    assert magic(1.0, c, 1000.0, e, bx) == pytest.approx(1000.0, rel=1e-9)


@pytest.mark.parametrize("c", [0.5, 1.0])
def test_a_shape_factor_up_to_one_has_no_peak(c: float) -> None:
    assert peak_argument(c, 0.0) == math.inf


def test_full_curvature_with_a_far_target_has_no_peak() -> None:
    assert peak_argument(1.05, 1.0) == math.inf


def test_without_curvature_the_peak_is_where_the_tangent_says() -> None:
    assert peak_argument(1.3, 0.0) == pytest.approx(math.tan(math.pi / 2.6), rel=1e-12)
    assert peak_argument(1.65, 0.0) == pytest.approx(math.tan(math.pi / 3.3), rel=1e-12)
