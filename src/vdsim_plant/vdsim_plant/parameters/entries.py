"""Values as users have them: lists, arrays of any library, columns of solvers, truth values."""

from __future__ import annotations

from typing import Any

import numpy as np

from vdsim_plant.parameters.errors import wrong_value


def entries_of(given: object) -> Any:
    """Return what can be unpacked into numbers: an array's entries; anything else as it is."""
    if type(given) is not list and type(given) is not tuple and hasattr(given, "__array__"):
        values = np.asarray(given)
        is_column = values.ndim == 2 and 1 in values.shape
        return values.ravel() if is_column else values
    return given


def checked_truth(key: str, value: object) -> bool:
    """Return a truth value, numpy's too, or raise: to Python "no" is true."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_value(key, value, "True or False")
    return bool(value)
