"""TyreParameters: the shape of the tyre curves, whichever model computes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from vdsim_plant.parameters.fields import REQUIRED, check_fields, choice, real, require, text
from vdsim_plant.parameters.tir_coefficients import TirCoefficients

FURTHEST_PEAK = 20.0
"""The largest B s at which a curve may have its peak because of its curvature."""


@dataclass(frozen=True, kw_only=True)
class Mf96Parameters:
    """Magic Formula 1996: D = mu Fz, lateral B from the axle's stiffness; by default E is 0."""

    lateral_shape: float = real(1.3, "shape factor C, lateral", above=1.0, below=2.0)
    longitudinal_shape: float = real(1.65, "shape factor C, longitudinal", above=1.0, below=2.0)
    slip_stiffness_per_load: float = real(
        19.0, "longitudinal slip stiffness B C D over the static load", above=0.0
    )
    lateral_curvature: float = real(
        0.0, "curvature E, lateral: below 0 sharpens the peak", at_least=-10.0, at_most=1.0
    )
    longitudinal_curvature: float = real(
        0.0, "curvature E, longitudinal: below 0 sharpens the peak", at_least=-10.0, at_most=1.0
    )
    load_sensitivity: float = real(
        0.0,
        "how much of its friction and stiffness over load a wheel loses at twice its static load",
        at_least=0.0,
        at_most=1.0,
    )
    stiffness_saturation: float = real(
        0.0,
        "s of the lateral stiffness over load, which falls with (1 + s) / (1 + s (Fz / Fz0)^2)",
        at_least=0.0,
        at_most=1.0,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        for direction in ("lateral", "longitudinal"):
            shape = getattr(self, f"{direction}_shape")
            curvature = getattr(self, f"{direction}_curvature")
            most = most_curvature(shape)
            require(
                curvature <= most,
                f"{direction}_curvature",
                f"={curvature:g}: must be <= {math.floor(most * 1e4) / 1e4:g} "
                f"with {direction}_shape={shape:g}, or the curve has no peak to speak of",
            )

    @property
    def is_plain(self) -> bool:
        """Whether neither curvature nor load changes the curves."""
        return not (
            self.lateral_curvature
            or self.longitudinal_curvature
            or self.load_sensitivity
            or self.stiffness_saturation
        )


def most_curvature(shape: float) -> float:
    """Return the largest E, at least 0, at which a curve of shape C peaks up to FURTHEST_PEAK."""
    top = math.tan(math.pi / (2.0 * shape))
    return min(max((FURTHEST_PEAK - top) / (FURTHEST_PEAK - math.atan(FURTHEST_PEAK)), 0.0), 1.0)


@dataclass(frozen=True, kw_only=True)
class TyreParameters:
    """A tyre, checked when it is made. `tir` is there exactly when the model is pac2002."""

    name: str = text(REQUIRED, "name of the preset")
    description: str = text(REQUIRED, "one line about the tyre")
    model: str = choice(REQUIRED, "which formulas compute the forces", ("mf96", "pac2002"))
    rolling_resistance: float = real(0.012, "rolling drag over load", at_least=0.0, at_most=0.2)
    slip_speed_floor_mps: float = real(
        0.15, "speed below which slip is taken relative to this speed", unit="m/s", above=0.0
    )
    relaxation_length_lateral_m: float = real(
        0.0, "way to build up side force; 0 is at once", unit="m", at_least=0.0, at_most=5.0
    )
    relaxation_length_longitudinal_m: float = real(
        0.0, "way to build up drive force; 0 is at once", unit="m", at_least=0.0, at_most=5.0
    )
    mf96: Mf96Parameters = field(default_factory=Mf96Parameters)
    tir: TirCoefficients | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            (self.model == "pac2002") == isinstance(self.tir, TirCoefficients)
            and (self.model == "pac2002" or self.tir is None),
            "tir_file",
            "must be given where model is pac2002, and nowhere else",
        )
