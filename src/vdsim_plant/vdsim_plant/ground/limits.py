"""What counts as a friction value, and the checks that every ground description shares."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vdsim_plant.parameters.errors import ParameterError, wrong_value

MU_MAX = 1.2
MU_MIN = 1e-6
"""Far below this the slip at the peak of a tyre's force is no number any more."""


def checked_mu(key: str, value: object) -> float:
    """Return a friction coefficient as a float, or raise."""
    mu = checked_number(key, value)
    if not 0.0 < mu <= MU_MAX:
        raise wrong_value(key, value, f"> 0 and <= {MU_MAX:g}")
    if mu < MU_MIN:
        raise wrong_value(key, value, f">= {MU_MIN:g} and <= {MU_MAX:g}")
    return mu


def checked_number(key: str, value: object) -> float:
    """Return a finite number as a float, or raise."""
    if isinstance(value, bool) or not _is_number(value):
        raise wrong_value(key, value, "a number")
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond every float
        raise wrong_value(key, value, "finite") from None
    if not math.isfinite(number):
        raise wrong_value(key, value, "finite")
    return number


def checked_sequence(key: str, value: object, what: str) -> Sequence[object]:
    """Return a list, tuple or array as a sequence, or raise."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise wrong_value(key, value, what)
    return value


def _is_number(value: object) -> bool:
    """Whether this is one number; an array of one is none."""
    of_library = hasattr(value, "__float__") and not getattr(value, "ndim", 0)
    return isinstance(value, (int, float)) or of_library


__all__ = ["MU_MAX", "ParameterError", "checked_mu", "checked_number", "checked_sequence"]
