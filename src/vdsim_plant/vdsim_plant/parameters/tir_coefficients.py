"""The coefficients of a PAC2002 / MF 5.2 tyre that act at zero camber.

One table holds every name with its default; the reader's check for missing keys comes from it, and
the constants of the numeric core are made of it (tir/constants.py). Names are those of the
standard property file, symbols as in H. B. Pacejka, Tyre and Vehicle Dynamics, chapter 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.tir.constants import law_constants, unusable

REQUIRED = None

COEFFICIENT_TABLE: tuple[tuple[str, float | None], ...] = (
    # load and scaling
    ("FNOMIN", REQUIRED),
    ("FZMIN", 0.0),
    ("FZMAX", 1e9),
    ("LFZO", 1.0),
    ("LCX", 1.0),
    ("LMUX", 1.0),
    ("LEX", 1.0),
    ("LKX", 1.0),
    ("LHX", 1.0),
    ("LVX", 1.0),
    ("LCY", 1.0),
    ("LMUY", 1.0),
    ("LEY", 1.0),
    ("LKY", 1.0),
    ("LHY", 1.0),
    ("LVY", 1.0),
    ("LXAL", 1.0),
    ("LYKA", 1.0),
    ("LVYKA", 1.0),
    # longitudinal force, pure slip
    ("PCX1", REQUIRED),
    ("PDX1", REQUIRED),
    ("PDX2", 0.0),
    ("PEX1", 0.0),
    ("PEX2", 0.0),
    ("PEX3", 0.0),
    ("PEX4", 0.0),
    ("PKX1", REQUIRED),
    ("PKX2", 0.0),
    ("PKX3", 0.0),
    ("PHX1", 0.0),
    ("PHX2", 0.0),
    ("PVX1", 0.0),
    ("PVX2", 0.0),
    # longitudinal force, combined slip
    ("RBX1", REQUIRED),
    ("RBX2", REQUIRED),
    ("RCX1", REQUIRED),
    ("REX1", 0.0),
    ("REX2", 0.0),
    ("RHX1", 0.0),
    # lateral force, pure slip
    ("PCY1", REQUIRED),
    ("PDY1", REQUIRED),
    ("PDY2", 0.0),
    ("PEY1", 0.0),
    ("PEY2", 0.0),
    ("PEY3", 0.0),
    ("PKY1", REQUIRED),
    ("PKY2", REQUIRED),
    ("PHY1", 0.0),
    ("PHY2", 0.0),
    ("PVY1", 0.0),
    ("PVY2", 0.0),
    # lateral force, combined slip
    ("RBY1", REQUIRED),
    ("RBY2", REQUIRED),
    ("RBY3", 0.0),
    ("RCY1", REQUIRED),
    ("REY1", 0.0),
    ("REY2", 0.0),
    ("RHY1", 0.0),
    ("RHY2", 0.0),
    ("RVY1", 0.0),
    ("RVY2", 0.0),
    ("RVY4", 0.0),
    ("RVY5", 0.0),
    ("RVY6", 0.0),
)

NAMES = tuple(name for name, _ in COEFFICIENT_TABLE)
POSITIVE = (
    *("FNOMIN", "FZMAX", "LFZO", "LCX", "LMUX", "LKX", "LCY", "LMUY", "LKY"),
    *("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY2"),
)


@dataclass(frozen=True)
class TirCoefficients:
    """Checked coefficients in the order of COEFFICIENT_TABLE, and what else the file holds.

    `measured_on` is the side of the car that the tyre was measured for.
    """

    values: tuple[float, ...]
    unloaded_radius_m: float
    rolling_resistance: float
    measured_on: str = "left"

    def __getitem__(self, name: str) -> float:
        return self.values[NAMES.index(name)]

    @property
    def mu_reference(self) -> float:
        """Friction of the road that the file describes: its higher peak at nominal load."""
        return max(self["PDX1"] * self["LMUX"], self["PDY1"] * self["LMUY"])

    def as_array(self) -> NDArray[np.float64]:
        """Return the constants of the force law as the numeric core reads them."""
        return law_constants(
            dict(zip(NAMES, self.values, strict=True)),
            mu_reference=self.mu_reference,
            file_side=1.0 if self.measured_on == "left" else -1.0,
        )


def coefficients_from(found: Mapping[str, float], *, measured_on: str) -> TirCoefficients:
    """Pick the coefficients out of all the numbers of a file; raise on a missing or absurd one."""
    values = []
    for name, default in COEFFICIENT_TABLE:
        value = found.get(name, default)
        if value is None:
            raise ParameterError(name, "missing (this coefficient has no default)")
        if name in POSITIVE and value <= 0.0:
            raise ParameterError(name, f"={value:g}: must be > 0")
        values.append(value)
    if found.get("PKY1") == 0.0:
        raise ParameterError("PKY1", "=0: must not be 0, the tyre would have no side force")
    if "UNLOADED_RADIUS" not in found:
        raise ParameterError("UNLOADED_RADIUS", "missing (the tyre's free radius)")
    radius = found["UNLOADED_RADIUS"]
    if not 0.01 <= radius <= 1.5:
        raise ParameterError("UNLOADED_RADIUS", f"={radius:g}: must be 0.01 to 1.5 m")
    drag = abs(found.get("QSY1", 0.0)) * found.get("LMY", 1.0)
    tir = TirCoefficients(tuple(values), radius, drag, measured_on)
    wrong = unusable(tir.as_array())
    if wrong:
        problem = f"are too large or too small together: they make {wrong[0]} no finite number"
        raise ParameterError("coefficients", problem)
    return tir
