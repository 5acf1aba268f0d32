"""Steering angles that look like degrees: said once, because the car only cuts them."""

from __future__ import annotations

import math
import warnings


def degrees_from(limit_rad: float) -> float:
    """Return from where on a wheel angle [rad] is hardly meant in radians, for a car's limit."""
    return max(2.0 * limit_rad, 1.0)


def warn_of_degrees(key: str, angle_rad: float, limit_rad: float, *, stacklevel: int) -> None:
    """Warn whom `stacklevel` means, as `warnings.warn` counts from here, of a wheel angle [rad]."""
    warnings.warn(
        f"{key}={angle_rad:g}: is {math.degrees(angle_rad):.0f} degrees, the car's limit is "
        f"{limit_rad:g} rad ({math.degrees(limit_rad):.0f} degrees); angles are in rad",
        UserWarning,
        stacklevel=stacklevel + 1,
    )
