"""DegreesWatch: says once that the steering angles of a batch look like degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.degrees import degrees_from, warn_of_degrees

_LOOKS = 100
"""Whoever means degrees sends them soon; a batch of few cars must not pay for it for ever."""


class DegreesWatch:
    """Looks at the first inputs of a batch."""

    def __init__(self, limit_rad: float) -> None:
        """`limit_rad`: the smallest steering limit of the cars."""
        self._limit_rad = limit_rad
        self._looks = _LOOKS

    def look(self, key: str, values: NDArray[np.float64]) -> None:
        """Warn the caller's caller of the first angle, in `values[..., 0]`, that may be degrees."""
        if self._looks == 0:
            return
        self._looks -= 1
        wrong = np.argwhere(np.abs(values[..., 0]) > degrees_from(self._limit_rad))
        if len(wrong):
            self._looks = 0
            place = (*(int(index) for index in wrong[0]), 0)
            name = key + "".join(f"[{index}]" for index in place)
            warn_of_degrees(name, float(values[place]), self._limit_rad, stacklevel=3)
