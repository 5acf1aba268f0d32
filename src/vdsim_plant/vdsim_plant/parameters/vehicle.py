"""VehicleParameters: everything that makes one car differ from another."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from vdsim_plant.parameters.fields import REQUIRED, check_fields, require, shown_fields, text
from vdsim_plant.parameters.groups import (
    AeroParameters,
    AxleTyreParameters,
    BodyParameters,
    BrakeParameters,
    DrivetrainParameters,
    EnergyParameters,
    SteeringParameters,
    SuspensionParameters,
    WheelParameters,
)
from vdsim_plant.parameters.ride import RideParameters

GRAVITY_MPS2 = 9.80665
MOST_BEND = 0.5
"""Of an axle: a side force that steers by more than that makes itself, substep by substep."""


@dataclass(frozen=True, kw_only=True, repr=False)
class VehicleParameters:
    """A car, checked when it is made. SI units; wheels in the order FL, FR, RL, RR."""

    name: str = text(REQUIRED, "name of the preset")
    description: str = text(REQUIRED, "one line about the car and where its figures come from")
    body: BodyParameters
    suspension: SuspensionParameters
    wheels: WheelParameters
    axles: AxleTyreParameters
    drivetrain: DrivetrainParameters
    brakes: BrakeParameters
    aero: AeroParameters
    steering: SteeringParameters
    energy: EnergyParameters
    ride: RideParameters = field(default_factory=RideParameters)

    def __post_init__(self) -> None:
        check_fields(self)
        body, suspension = self.body, self.suspension
        for key in ("roll_centre_front_m", "roll_centre_rear_m"):
            height = getattr(suspension, key)
            require(
                height <= body.cg_height_m,
                f"suspension.{key}",
                f"={height:g}: must be <= body.cg_height_m ({body.cg_height_m:g} m)",
            )
        stiffness = (
            suspension.roll_stiffness_front_nm_per_rad + suspension.roll_stiffness_rear_nm_per_rad
        )
        tipping = body.mass_kg * GRAVITY_MPS2 * body.cg_height_m
        require(
            stiffness > tipping,
            "suspension.roll_stiffness_front_nm_per_rad",
            f"={suspension.roll_stiffness_front_nm_per_rad:g}: must be higher, front plus rear "
            f"{stiffness:g} must exceed m g h = {tipping:.0f} N m/rad or the car tips at rest",
        )

        for axle in ("front", "rear"):
            stiffness = getattr(self.axles, f"cornering_stiffness_{axle}_n_per_rad")
            points = getattr(suspension, f"compliance_steer_{axle}")
            steepest = max(
                (abs((b[1] - a[1]) / (b[0] - a[0])) for a, b in pairwise(points)), default=0.0
            )
            require(
                steepest * stiffness <= MOST_BEND,
                f"suspension.compliance_steer_{axle}",
                f"={points}: must turn less: {steepest:g} rad/N against an axle of "
                f"{stiffness:g} N/rad; their product must be <= {MOST_BEND:g}",
            )

    def __repr__(self) -> str:
        return shown_fields(self, "ride")

    def static_wheel_loads_n(self) -> tuple[float, float, float, float]:
        """Return the vertical load of each wheel at rest on a level road, FL, FR, RL, RR."""
        body = self.body
        weight = body.mass_kg * GRAVITY_MPS2
        front = weight * body.cg_to_rear_axle_m / body.wheelbase_m / 2.0
        rear = weight * body.cg_to_front_axle_m / body.wheelbase_m / 2.0
        return (front, front, rear, rear)
