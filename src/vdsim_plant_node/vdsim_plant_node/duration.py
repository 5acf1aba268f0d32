"""How long a program runs: the option --duration of those that otherwise run until a signal."""

from __future__ import annotations

import math

from vdsim_plant.parameters.errors import wrong_value


def checked_duration(duration_s: float | None) -> float | None:
    """Return the duration [s], or raise; None: no end."""
    if duration_s is not None and not (math.isfinite(duration_s) and duration_s > 0.0):
        raise wrong_value("duration", duration_s, "finite and > 0 s")
    return duration_s
