"""What a batch shows: the names of its columns, and where the core's block has each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters.errors import ParameterError

Array = NDArray[np.float64]


class BatchWheels(TypedDict):
    """Arrays of n x 4, wheels FL, FR, RL, RR; keys and units as in WheelObservation."""

    Fx: Array
    Fy: Array
    Fz: Array
    alpha: Array
    kappa: Array
    mu: Array
    mu_peak: Array
    omega: Array
    alpha_peak: Array
    kappa_peak: Array


class BatchObservation(TypedDict):
    """Arrays of n; keys and units as in Observation."""

    X: Array
    Y: Array
    psi: Array
    vx: Array
    vy: Array
    r: Array
    ax: Array
    ay: Array
    beta: Array
    roll: Array
    pitch: Array
    t: Array
    wheel: BatchWheels


BODY_KEYS = tuple(key for key in BatchObservation.__annotations__ if key != "wheel")
WHEEL_KEYS = tuple(BatchWheels.__annotations__)
STATE_KEYS = BODY_KEYS[:6]
_OF_WHEEL = "wheel."


def fields_of(keys: Sequence[str]) -> tuple[int, ...]:
    """Return the fields of the block that these columns show; a wheel's key has four."""
    names = [keys] if isinstance(keys, str) else list(keys)
    fields: list[int] = []
    for index, name in enumerate(names):
        wheel_key = name.removeprefix(_OF_WHEEL) if isinstance(name, str) else ""
        if name in BODY_KEYS:
            fields.append(at.OBSERVED + BODY_KEYS.index(name))
        elif name != wheel_key and wheel_key in WHEEL_KEYS:
            first = at.OBSERVED_WHEELS + WHEEL_KEYS.index(wheel_key)
            fields += [first + at.OBSERVED_PER_WHEEL * wheel for wheel in range(4)]
        else:
            allowed = ", ".join((*BODY_KEYS, *(_OF_WHEEL + key for key in WHEEL_KEYS)))
            raise ParameterError(f"keys[{index}]", f"={name!r}: must be one of {allowed}")
    return tuple(fields)
