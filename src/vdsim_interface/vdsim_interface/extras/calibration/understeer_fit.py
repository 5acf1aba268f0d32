"""Steady bends -> the understeer gradient: CSV speed_mps,front_wheel_angle_rad,yaw_rate_radps.

A comment `# wheelbase_m: 2.97` states the wheelbase. The gradient K is fitted to
tan(angle) = L r / v + K v r over all samples, by least squares of the error as a share of the
angle: so the fast bends count, in which the gradient matters.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from vdsim_protocol.shown import shown_plainly

HEADER = "speed_mps,front_wheel_angle_rad,yaw_rate_radps"
WHEELBASE = "# wheelbase_m:"


class UndersteerError(ValueError):
    """Samples from which no gradient can be fitted."""


class UndersteerFit(NamedTuple):
    """`gradient_rad_s2pm`; `rms_error`: of the curvature, as a share of it."""

    gradient_rad_s2pm: float
    rms_error: float
    bends_n: int


def fit_understeer(lines: Iterable[str], wheelbase_m: float = math.nan) -> UndersteerFit:
    """Fit the gradient to the lines of a CSV file; its own wheelbase counts where it has one."""
    samples = []
    header_seen = False
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line.startswith(WHEELBASE):
            wheelbase_m = _number(line.removeprefix(WHEELBASE), number)
        elif line and not line.startswith("#"):
            if header_seen:
                samples.append(_sample(line, number))
            elif line != HEADER:
                raise UndersteerError(f"columns={shown_plainly(line)}: must be {HEADER}")
            header_seen = True
    if not wheelbase_m > 0.0:
        raise UndersteerError(f"wheelbase_m={wheelbase_m:g}: must be > 0")
    bends = [s for s in samples if abs(s[0]) > 1.0 and abs(s[2]) > 1e-3]
    bends = [(v, a, r) for v, a, r in bends if a]
    squares = sum((v * r / math.tan(a)) ** 2 for v, a, r in bends)
    if len(bends) < 3 or squares <= 0.0:
        raise UndersteerError("samples: must have three or more bends above 1 m/s")
    products = ((math.tan(a) - wheelbase_m * r / v) * v * r / math.tan(a) ** 2 for v, a, r in bends)
    gradient = sum(products) / squares
    errors = [math.tan(a) / (wheelbase_m + gradient * v * v) * v / r - 1.0 for v, a, r in bends]
    rms = math.sqrt(sum(error * error for error in errors) / len(errors))
    return UndersteerFit(gradient, rms, len(bends))


def _sample(line: str, number: int) -> tuple[float, float, float]:
    parts = line.split(",")
    if len(parts) != 3:
        raise UndersteerError(f"line {number}={shown_plainly(line)}: must be three numbers")
    speed, angle, rate = (_number(part, number) for part in parts)
    return speed, angle, rate


def _number(text: str, number: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UndersteerError(
            f"line {number}={shown_plainly(text.strip())}: must be a finite number"
        )
    return value
