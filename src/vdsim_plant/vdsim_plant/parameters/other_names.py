"""Names from other simulators and papers -> ours: only for the hint of an error, never accepted.

Ours carry their unit; a number in another unit must not pass under a short name.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

KEYS = {
    "m": "body.mass_kg",
    "mass": "body.mass_kg",
    "Izz": "body.yaw_inertia_kgm2",
    "Iz": "body.yaw_inertia_kgm2",
    "lf": "body.cg_to_front_axle_m",
    "lr": "body.cg_to_rear_axle_m",
    "h_cg": "body.cg_height_m",
    "Ca_f": "axles.cornering_stiffness_front_n_per_rad",
    "Ca_r": "axles.cornering_stiffness_rear_n_per_rad",
    "mu_nom": "axles.mu_nominal",
    "drive_split_front": "drivetrain.drive_split_front",
    "R_eff": "wheels.radius_m",
}
"""Keys of a vehicle file, as GROUP.KEY."""

ARGUMENTS = {
    "friction_patch": "friction_map",
    "friction_patches": "friction_map",
    "mu": "base_mu",
    "dt": "control_dt",
    "vehicle": "config",
    "tire": "tyre",
}
"""Arguments of VDSimPlant."""


def other_key(key: str, known: Sequence[str]) -> str:
    """Return our name of a key in a group that has the `known` ones; empty without one."""
    group, _, name = KEYS.get(key, "").partition(".")
    if name in known:
        return name
    return f"{group}.{name}" if group in known else ""


def no_such_argument(name: str, known: Sequence[str]) -> str:
    """Return the reason why a call refuses an argument, with the name that was probably meant."""
    near = [ARGUMENTS[name]] if name in ARGUMENTS else difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    return f"{name}: no such argument{hint}"
