"""What level l3 needs of a car beyond the other groups: springs, dampers, bars, wheels' masses."""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_plant.parameters.fields import check_fields, real, shown_fields

_DERIVED = "; 0: derived"
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

    unsprung_mass_front_kg: float = real(
        0.0, "both front wheels, and what moves with them" + _DERIVED, unit="kg", at_least=0.0
    )
    unsprung_mass_rear_kg: float = real(
        0.0, "both rear wheels, and what moves with them" + _DERIVED, unit="kg", at_least=0.0
    )
    sprung_roll_inertia_kgm2: float = real(
        0.0, "of the body about its own x axis" + _DERIVED, unit="kg m2", at_least=0.0
    )
    sprung_pitch_inertia_kgm2: float = real(
        0.0, "of the body about its own y axis" + _DERIVED, unit="kg m2", at_least=0.0
    )
    sprung_cg_height_m: float = real(
        0.0, "height of the body's centre of gravity" + _DERIVED, unit="m", at_least=0.0, at_most=5
    )
    spring_front_n_per_m: float = real(
        0.0, "of one front wheel" + _DERIVED, unit="N/m", at_least=0.0
    )
    spring_rear_n_per_m: float = real(0.0, "of one rear wheel" + _DERIVED, unit="N/m", at_least=0.0)
    damper_front_ns_per_m: float = real(
        0.0, "of one front wheel" + _DERIVED, unit="N s/m", at_least=0.0
    )
    damper_rear_ns_per_m: float = real(
        0.0, "of one rear wheel" + _DERIVED, unit="N s/m", at_least=0.0
    )
    tyre_rate_front_n_per_m: float = real(
        0.0, "upright stiffness of one front tyre" + _DERIVED, unit="N/m", at_least=0.0
    )
    tyre_rate_rear_n_per_m: float = real(
        0.0, "upright stiffness of one rear tyre" + _DERIVED, unit="N/m", at_least=0.0
    )
    bump_stop_front_n_per_m: float = real(
        0.0, "stiffness of one front bump stop, at the wheel; 0: none", unit="N/m", at_least=0.0
    )
    bump_stop_rear_n_per_m: float = real(
        0.0, "stiffness of one rear bump stop, at the wheel; 0: none", unit="N/m", at_least=0.0
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
