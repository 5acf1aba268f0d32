"""What level l3 needs of a car beyond the other groups: springs, dampers, bars, wheels' masses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdsim_plant.parameters.fields import check_fields, real, shown_fields
from vdsim_plant.parameters.units import UNITS


def _or_zero(doc: str, unit: str, **bounds: float) -> Any:
    """Declare a number of which 0 has a meaning of its own, and next to nothing has none."""
    return real(0.0, doc, unit=unit, at_least=0.0, floor=UNITS[unit].floor, **bounds)


def _derived(doc: str, unit: str, **bounds: float) -> Any:
    return _or_zero(f"{doc}; 0: derived", unit, **bounds)


_ADDED = tuple(
    f"bump_{part}"
    for part in ("stop_front_n_per_m", "stop_rear_n_per_m", "travel_front_m", "travel_rear_m")
)


@dataclass(frozen=True, kw_only=True, repr=False)
class RideParameters:
    """Springs, dampers and masses of the suspension, for level l3 only.

    A value of 0 is derived, so that roll, pitch and loads of a steady state are those of the group
    `suspension` (docs/level-l3.md). Spring and damper rates are those at the wheel.
    """

    unsprung_mass_front_kg: float = _derived("both front wheels, and what moves with them", "kg")
    unsprung_mass_rear_kg: float = _derived("both rear wheels, and what moves with them", "kg")
    sprung_roll_inertia_kgm2: float = _derived("of the body about its own x axis", "kg m2")
    sprung_pitch_inertia_kgm2: float = _derived("of the body about its own y axis", "kg m2")
    sprung_cg_height_m: float = _derived("height of the body's centre of gravity", "m", at_most=5)
    spring_front_n_per_m: float = _derived("of one front wheel", "N/m")
    spring_rear_n_per_m: float = _derived("of one rear wheel", "N/m")
    damper_front_ns_per_m: float = _derived("of one front wheel", "N s/m")
    damper_rear_ns_per_m: float = _derived("of one rear wheel", "N s/m")
    tyre_rate_front_n_per_m: float = _derived("upright stiffness of one front tyre", "N/m")
    tyre_rate_rear_n_per_m: float = _derived("upright stiffness of one rear tyre", "N/m")
    bump_stop_front_n_per_m: float = _or_zero(
        "stiffness of one front bump stop, at the wheel; 0: none", "N/m"
    )
    bump_stop_rear_n_per_m: float = _or_zero(
        "stiffness of one rear bump stop, at the wheel; 0: none", "N/m"
    )
    bump_travel_front_m: float = real(
        0.08, "compression from standing at which a front bump stop begins", unit="m", at_least=0.0
    )
    bump_travel_rear_m: float = real(
        0.08, "compression from standing at which a rear bump stop begins", unit="m", at_least=0.0
    )
    lateral_compliance_m_per_n: float = real(
        0.0, "how far a side force moves the load under a wheel", unit="m/N", at_least=0.0
    )
    patch_roll_share: float = real(
        1.0,
        "share of the axle's sideways motion in roll that the tyre sees; 0: it sees the body's",
        at_least=0.0,
        at_most=1.0,
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def __repr__(self) -> str:
        return shown_fields(self, *_ADDED)
