"""The Magic Formula's peak is found where calculus puts it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.tyres.magic_formula import magic, mf96_peaks, peak_argument


@given(c=st.floats(1.05, 1.99), e=st.floats(-5.0, 0.95))
def test_the_formula_reaches_d_at_the_peak(c: float, e: float) -> None:
    bx = peak_argument(c, e)
    assert magic(1.0, c, 1000.0, e, bx) == pytest.approx(1000.0, rel=1e-9)


@pytest.mark.parametrize("c", [0.5, 1.0])
def test_a_shape_factor_up_to_one_has_no_peak(c: float) -> None:
    assert peak_argument(c, 0.0) == math.inf


def test_full_curvature_with_a_far_target_has_no_peak() -> None:
    assert peak_argument(1.05, 1.0) == math.inf


def test_mf96_peaks_worked_by_hand() -> None:
    # tan(pi / 2.6) = 2.6377, tan(pi / 3.3) = 1.3934 (to be divided by B)
    mu, alpha, kappa = mf96_peaks(0.9, 13.0, 1.3, 12.0, 1.65)
    assert mu == 0.9
    assert alpha == pytest.approx(math.tan(math.pi / 2.6) / 13.0)
    assert kappa == pytest.approx(math.tan(math.pi / 3.3) / 12.0)
