"""How long a step of the solver may be: the one rule, whatever the option is called."""

from __future__ import annotations

import math
import warnings

from vdsim_plant.parameters.errors import ParameterError, wrong_value

LONGEST_SUBSTEP_S = 0.1
EXACT_SUBSTEP_S = 1e-3  # up to here nothing is said
COARSE_SUBSTEP_S = 2e-3  # beyond here only on request
WHY = "braking in a turn turns by 0.276 instead of 0.085 rad at 0.05 s"
"""From 16.7 m/s on friction 0.5, delta 0.12 rad, Fx -15 kN, for 3 s, against substeps of 0.1 ms."""


def check_substep(key: str, value_s: float, *, allow: str | None) -> None:
    """Raise for a step [s] that no run can have, or that needs `allow`.

    `allow`: what allows a coarse one; empty when it is given, None where nothing does.
    """
    if not (math.isfinite(value_s) and 0.0 < value_s <= LONGEST_SUBSTEP_S):
        raise wrong_value(key, value_s, f"> 0 and <= {LONGEST_SUBSTEP_S:g} s")
    if allow != "" and value_s > COARSE_SUBSTEP_S:
        more = f"; {allow} allows more" if allow else ""
        raise ParameterError(
            key, f"={value_s:g}: must be <= {COARSE_SUBSTEP_S:g} s, because {WHY}{more}"
        )


def substep_warning(key: str, value_s: float) -> str:
    """What to say once about a step [s] that is allowed; empty when it is exact."""
    if value_s <= EXACT_SUBSTEP_S:
        return ""
    return f"{key}={value_s:g}: above {EXACT_SUBSTEP_S:g} s the motion is inexact: {WHY}"


def warn_of_substep(key: str, value_s: float, *, stacklevel: int = 3) -> None:
    """Warn the caller of the caller of this, as Python does: once for each place."""
    line = substep_warning(key, value_s)
    if line:
        warnings.warn(line, UserWarning, stacklevel=stacklevel)
