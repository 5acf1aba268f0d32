"""The groups of keys that make up a vehicle file.

Lengths in the vehicle frame (ISO 8855: x forward, y left, z up, heights above the ground).
"""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_plant.parameters.fields import (
    REQUIRED,
    check_fields,
    choice,
    curve,
    real,
    require,
    shown_fields,
    text,
)

Points = tuple[tuple[float, float], ...]
_BENDS = ("roll_steer_front", "roll_steer_rear", "compliance_steer_front", "compliance_steer_rear")


@dataclass(frozen=True, kw_only=True)
class BodyParameters:
    """Mass, inertia, the positions of the axles and the outline."""

    mass_kg: float = real(
        REQUIRED, "mass, ready to drive", unit="kg", at_least=0.1, at_most=100_000.0
    )
    roll_inertia_kgm2: float = real(REQUIRED, "moment of inertia about x", unit="kg m2", above=0.0)
    pitch_inertia_kgm2: float = real(REQUIRED, "moment of inertia about y", unit="kg m2", above=0.0)
    yaw_inertia_kgm2: float = real(REQUIRED, "moment of inertia about z", unit="kg m2", above=0.0)
    cg_to_front_axle_m: float = real(
        REQUIRED, "centre of gravity to front axle", unit="m", above=0.0, at_most=20
    )
    cg_to_rear_axle_m: float = real(
        REQUIRED, "centre of gravity to rear axle", unit="m", above=0.0, at_most=20
    )
    cg_height_m: float = real(
        REQUIRED, "height of the centre of gravity", unit="m", at_least=0.0, at_most=4
    )
    track_front_m: float = real(
        REQUIRED, "distance between the front wheels", unit="m", above=0.0, at_most=4
    )
    track_rear_m: float = real(
        REQUIRED, "distance between the rear wheels", unit="m", above=0.0, at_most=4
    )
    length_m: float = real(REQUIRED, "overall length", unit="m", above=0.0, at_most=30)
    width_m: float = real(REQUIRED, "overall width without mirrors", unit="m", above=0.0, at_most=5)
    front_overhang_m: float = real(
        REQUIRED, "front axle to front bumper", unit="m", at_least=0.0, at_most=5
    )

    def __post_init__(self) -> None:
        check_fields(self)
        inertias = {
            "roll_inertia_kgm2": self.roll_inertia_kgm2,
            "pitch_inertia_kgm2": self.pitch_inertia_kgm2,
            "yaw_inertia_kgm2": self.yaw_inertia_kgm2,
        }
        for key, value in inertias.items():
            others = sum(inertias.values()) - value
            require(
                value <= others,
                key,
                f"={value:g}: must be <= {others:g}, the sum of the other two (no body has more)",
            )
        shortest = self.wheelbase_m + self.front_overhang_m
        require(
            self.length_m >= shortest,
            "length_m",
            f"={self.length_m:g}: must be >= wheelbase plus front overhang ({shortest:g} m)",
        )

    @property
    def wheelbase_m(self) -> float:
        """Distance between the axles."""
        return self.cg_to_front_axle_m + self.cg_to_rear_axle_m


@dataclass(frozen=True, kw_only=True, repr=False)
class SuspensionParameters:
    """Roll and pitch stiffness as felt by the body, tyres included; both quasi-static."""

    roll_stiffness_front_nm_per_rad: float = real(
        REQUIRED, "roll stiffness of the front axle", unit="N m/rad", above=0.0
    )
    roll_stiffness_rear_nm_per_rad: float = real(
        REQUIRED, "roll stiffness of the rear axle", unit="N m/rad", above=0.0
    )
    roll_centre_front_m: float = real(
        REQUIRED, "height of the front roll centre", unit="m", at_least=-2.0, at_most=2.0
    )
    roll_centre_rear_m: float = real(
        REQUIRED, "height of the rear roll centre", unit="m", at_least=-2.0, at_most=2.0
    )
    pitch_stiffness_nm_per_rad: float = real(REQUIRED, "pitch stiffness", unit="N m/rad", above=0.0)
    roll_steer_front: tuple[tuple[float, float], ...] = curve(
        (),
        "how far the front axle steers to the left as the body rolls, right side down",
        unit="rad, rad",
        optional=True,
        odd=True,
    )
    roll_steer_rear: tuple[tuple[float, float], ...] = curve(
        (),
        "how far the rear axle steers to the left as the body rolls, right side down",
        unit="rad, rad",
        optional=True,
        odd=True,
    )
    compliance_steer_front: tuple[tuple[float, float], ...] = curve(
        (),
        "how far the front axle steers to the left under a side force to the left",
        unit="N, rad",
        optional=True,
        odd=True,
    )
    compliance_steer_rear: tuple[tuple[float, float], ...] = curve(
        (),
        "how far the rear axle steers to the left under a side force to the left",
        unit="N, rad",
        optional=True,
        odd=True,
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def __repr__(self) -> str:
        return shown_fields(self, *_BENDS)

    @property
    def bends(self) -> tuple[Points, Points, Points, Points]:
        """The axles' tables: front over roll, over side force, rear over roll, over side force."""
        front = self.roll_steer_front, self.compliance_steer_front
        return *front, self.roll_steer_rear, self.compliance_steer_rear


@dataclass(frozen=True, kw_only=True)
class WheelParameters:
    """The wheels; inertia includes what turns with them (brake disc, gears, motor)."""

    radius_m: float = real(REQUIRED, "effective rolling radius", unit="m", above=0.0, at_most=1.5)
    inertia_front_kgm2: float = real(
        REQUIRED, "spin inertia of one front wheel", unit="kg m2", above=0.0
    )
    inertia_rear_kgm2: float = real(
        REQUIRED, "spin inertia of one rear wheel", unit="kg m2", above=0.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class AxleTyreParameters:
    """How stiff the tyres make each axle. Both values are for the AXLE: one wheel has half."""

    tyre: str = text("mf96", "tyre preset or file used unless another is given")
    cornering_stiffness_front_n_per_rad: float = real(
        REQUIRED, "cornering stiffness of the front axle", unit="N/rad", above=0.0
    )
    cornering_stiffness_rear_n_per_rad: float = real(
        REQUIRED, "cornering stiffness of the rear axle", unit="N/rad", above=0.0
    )
    mu_nominal: float = real(
        REQUIRED, "friction at which that stiffness holds", at_least=0.05, at_most=2.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class DrivetrainParameters:
    """Motor (all motors together), gear and the way to the wheels."""

    drive_split_front: float = real(
        REQUIRED, "share of a driving force intent at the front axle", at_least=0.0, at_most=1.0
    )
    motor_torque_curve: tuple[tuple[float, float], ...] = curve(
        REQUIRED, "full-throttle torque over motor speed", unit="rad/s, N m"
    )
    gear_ratio: float = real(REQUIRED, "motor turns per wheel turn", above=0.0, at_most=100.0)
    efficiency: float = real(REQUIRED, "torque that reaches the wheels", above=0.0, at_most=1.0)
    differential_front: str = choice("open", "front differential", ("open", "locked"))
    differential_rear: str = choice("open", "rear differential", ("open", "locked"))

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class BrakeParameters:
    """Friction brakes: of the pedals, and of a braking force intent."""

    brake_split_front: float = real(
        REQUIRED, "share of a braking force intent at the front axle", at_least=0.0, at_most=1.0
    )
    max_torque_nm: float = real(
        REQUIRED, "torque at full pedal, all wheels together", unit="N m", above=0.0
    )
    front_share: float = real(
        REQUIRED, "share of the pedal's torque at the front", at_least=0.0, at_most=1.0
    )
    handbrake_torque_nm: float = real(
        REQUIRED, "torque of the handbrake, both rear wheels together", unit="N m", at_least=0.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class AeroParameters:
    """Air forces at the body; positive lift unloads the axle."""

    drag_coefficient: float = real(REQUIRED, "drag coefficient", at_least=0.0, at_most=3.0)
    frontal_area_m2: float = real(REQUIRED, "frontal area", unit="m2", at_least=0.0, at_most=20.0)
    lift_coefficient_front: float = real(0.0, "lift at the front axle", at_least=-5.0, at_most=2.0)
    lift_coefficient_rear: float = real(0.0, "lift at the rear axle", at_least=-5.0, at_most=2.0)
    air_density_kgpm3: float = real(
        1.225, "density of the air", unit="kg/m3", at_least=0.0, at_most=2.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class SteeringParameters:
    """Road wheel angle limits and the way back to the steering wheel."""

    max_angle_rad: float = real(
        REQUIRED, "largest road wheel angle", unit="rad", above=0.0, at_most=1.4
    )
    ratio: float = real(
        REQUIRED, "steering wheel angle per road wheel angle", at_least=1.0, at_most=40
    )
    mechanical_trail_m: float = real(
        REQUIRED,
        "caster trail at the ground, for the aligning torque",
        unit="m",
        at_least=0.0,
        at_most=0.3,
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class EnergyParameters:
    """What is used up on the way: a battery's charge or a tank of fuel."""

    kind: str = choice(REQUIRED, "what the car runs on", ("battery", "fuel"))
    capacity_kwh: float = real(REQUIRED, "usable energy when full", unit="kW h", above=0.0)
    drive_efficiency: float = real(
        REQUIRED, "wheel work got out of stored energy", above=0.0, at_most=1.0
    )
    regeneration_efficiency: float = real(
        REQUIRED, "stored energy got out of braking work", at_least=0.0, at_most=1.0
    )
    auxiliary_power_w: float = real(
        REQUIRED, "constant use of everything else", unit="W", at_least=0.0
    )

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            self.kind == "battery" or self.regeneration_efficiency == 0.0,
            "regeneration_efficiency",
            f"={self.regeneration_efficiency:g}: must be 0 where kind is fuel",
        )
