"""VDSim's tyre YAML -> a tyre file of model pac2002, and its property file.

MF96 there is F = mu Fz D sin(C atan(B s - E (B s - atan(B s)))) with constant factors. PAC2002 has
the same curve with load-dependent factors, so pure slip is the same: C, D mu and E are PCX1, PDX1,
PEX1 (and Y), B C D mu is the stiffness. A side stiffness in proportion to the load is one far below
the load at which PAC2002's has its maximum; with a load sensitivity, that maximum is where value
and slope agree at the nominal load.

Combined slip is not taken over: there each force is scaled to an ellipse on its own, and a locked
wheel steers. The weights here are those with which the force of a locked wheel, and of one that
slides sideways, opposes the motion of its contact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant.conversion.flat_file import FlatFile
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.tir_coefficients import TirCoefficients
from vdsim_plant.parameters.tir_file import load_tir

_FAR_BELOW_MAXIMUM = 1000.0
"""PKY2 of a side stiffness in proportion to the load: to 1e-6 of itself."""


@dataclass(frozen=True)
class ConvertedTyre:
    """`property_file`: text of the .tir. `keys`: of the tyre's YAML, with where each comes from."""

    coefficients: TirCoefficients
    property_file: str
    keys: tuple[tuple[str, Any, str], ...]
    mu_nominal: float
    notes: tuple[str, ...]


def convert_tyre(flat: FlatFile, radius_m: float) -> ConvertedTyre:
    """Convert a checked tyre file; `radius_m` is that of the vehicle's wheels."""
    values = flat.values
    notes = tuple(f"{flat.path.name}: {line}" for line in flat.left_out)
    if values["backend"] == "MF2002":
        text = _own_property_file(flat)
    else:
        if "tir_path" in flat.given:
            raise ParameterError("tir_path", "is for backend: mf2002", source=flat.path.name)
        text = _property_text(values, radius_m)
        notes += (
            f"{flat.path.name}: combined slip: a sliding wheel's force opposes its motion here",
            f"{flat.path.name}: mu_nominal={values['mu_nominal']:g}: is the friction of the road "
            "itself here (--mu, base_mu), there a factor of it",
        )
    keys = (
        ("rolling_resistance", values["rolling_resistance"], "rolling_resistance"),
        ("relaxation_length_lateral_m", values["relaxation_length_lat"], "relaxation_length_lat"),
        (
            "relaxation_length_longitudinal_m",
            values["relaxation_length_long"],
            "relaxation_length_long",
        ),
    )
    return ConvertedTyre(
        coefficients=load_tir(text, source=flat.path.name),
        property_file=text,
        keys=keys,
        mu_nominal=values["mu_nominal"],
        notes=notes,
    )


def _own_property_file(flat: FlatFile) -> str:
    named = flat.values["tir_path"]
    if not named:
        raise ParameterError("tir_path", "missing with backend: mf2002", source=flat.path.name)
    try:
        return read_text(flat.path.parent / Path(named))
    except ParameterError as error:
        problem = f"={named!r}: {error.problem}"
        raise ParameterError("tir_path", problem, source=flat.path.name) from None


def _property_text(v: Mapping[str, Any], radius_m: float) -> str:
    sensitivity = v["load_sensitivity"]
    peak_x, peak_y = v["D_long"] * v["mu_nominal"], v["D_lat"] * v["mu_nominal"]
    stiffness_x = v["B_long"] * v["C_long"] * peak_x
    stiffness_y = v["B_lat"] * v["C_lat"] * peak_y
    maximum = math.sqrt((2.0 - sensitivity) / sensitivity) if sensitivity else _FAR_BELOW_MAXIMUM
    at_nominal = 2.0 * maximum / (1.0 + maximum * maximum)
    coefficients = {
        "LONGITUDINAL_COEFFICIENTS": {
            "PCX1": v["C_long"],
            "PDX1": peak_x,
            "PDX2": 0.0 - sensitivity * peak_x,
            "PEX1": v["E_long"],
            "PKX1": stiffness_x,
            "PKX2": 0.0 - sensitivity * stiffness_x,
            "RBX1": stiffness_x / (peak_y * _sliding(v, "lat")),
            "RBX2": v["B_long"],
            "RCX1": 1.0,
        },
        "LATERAL_COEFFICIENTS": {
            "PCY1": v["C_lat"],
            "PDY1": peak_y,
            "PDY2": 0.0 - sensitivity * peak_y,
            "PEY1": v["E_lat"],
            "PKY1": -stiffness_y / at_nominal,
            "PKY2": maximum,
            "RBY1": stiffness_y / (peak_x * _sliding(v, "long")),
            "RBY2": v["B_lat"],
            "RCY1": 1.0,
        },
    }
    lines = [
        "[UNITS]",
        "LENGTH = 'meter'",
        "FORCE  = 'newton'",
        "ANGLE  = 'radians'",
        "[MODEL]",
        "PROPERTY_FILE_FORMAT = 'PAC2002'",
        "[DIMENSION]",
        f"UNLOADED_RADIUS = {radius_m!r}",
        "[VERTICAL]",
        f"FNOMIN = {v['Fz_nominal']!r}",
    ]
    for section, entries in coefficients.items():
        lines += [f"[{section}]", *(f"{key} = {value:.12g}" for key, value in entries.items())]
    return "\n".join(lines) + "\n"


def _sliding(v: Mapping[str, Any], direction: str) -> float:
    """The share of its peak that a wheel keeps at a slip of 1."""
    b, c, e = (v[f"{factor}_{direction}"] for factor in "BCE")
    return max(math.sin(c * math.atan(b - e * (b - math.atan(b)))), 0.05)
