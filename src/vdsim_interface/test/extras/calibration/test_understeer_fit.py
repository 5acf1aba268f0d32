import math

import pytest
from vdsim_interface.extras.calibration.understeer_fit import (
    HEADER,
    UndersteerError,
    fit_understeer,
)

LENGTH_M, GRADIENT = 2.9, 0.0015


def rows() -> list[str]:
    made = [f"# wheelbase_m: {LENGTH_M}", HEADER]
    for speed in (5.0, 12.0, 20.0):
        for lateral in (-3.0, 1.0, 2.0):
            rate = lateral / speed
            angle = math.atan(LENGTH_M * rate / speed + GRADIENT * lateral)
            made.append(f"{speed},{angle},{rate}")
    return made


def test_the_gradient_of_exact_samples_is_found() -> None:
    fit = fit_understeer(rows())
    assert fit.gradient_rad_s2pm == pytest.approx(GRADIENT, rel=1e-6)
    assert fit.rms_error == pytest.approx(0.0, abs=1e-9)
    assert fit.bends_n == 9
    assert fit_understeer(rows()[1:], LENGTH_M) == fit


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["a,b"], "columns=a,b: must be "),
        ([HEADER], "wheelbase_m=nan: must be > 0"),
        (["# wheelbase_m: x"], "line 1=x: must be a finite number"),
        (["# wheelbase_m: 3", HEADER, "1,2"], "line 3=1,2: must be three numbers"),
        (["# wheelbase_m: 3", HEADER, "9,0.1,nan"], "line 3=nan: must be a finite number"),
        (["# wheelbase_m: 3", HEADER, "9,0.1,0.1"], "samples: must have three or more bends"),
    ],
)
def test_errors_are_one_line(lines: list[str], text: str) -> None:
    with pytest.raises(UndersteerError) as error:
        fit_understeer(lines)
    assert str(error.value).startswith(text)
    assert "\n" not in str(error.value)
