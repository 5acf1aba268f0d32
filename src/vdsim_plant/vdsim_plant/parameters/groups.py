"""The groups of keys that make up a vehicle file.

Lengths in the vehicle frame (ISO 8855: x forward, y left, z up, heights above the ground).
"""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_plant.parameters.fields import check_fields, choice, curve, real, require, text


@dataclass(frozen=True, kw_only=True)
class BodyParameters:
    """Mass, inertia, the places of the axles and the outline."""

    mass_kg: float = real("mass, ready to drive", "kg", above=0.0, at_most=100_000.0)
    roll_inertia_kgm2: float = real("moment of inertia about x", "kg m2", above=0.0)
    pitch_inertia_kgm2: float = real("moment of inertia about y", "kg m2", above=0.0)
    yaw_inertia_kgm2: float = real("moment of inertia about z", "kg m2", above=0.0)
    cg_to_front_axle_m: float = real("centre of gravity to front axle", "m", above=0.0, at_most=20)
    cg_to_rear_axle_m: float = real("centre of gravity to rear axle", "m", above=0.0, at_most=20)
    cg_height_m: float = real("height of the centre of gravity", "m", at_least=0.0, at_most=4)
    track_front_m: float = real("distance between the front wheels", "m", above=0.0, at_most=4)
    track_rear_m: float = real("distance between the rear wheels", "m", above=0.0, at_most=4)
    length_m: float = real("overall length", "m", above=0.0, at_most=30)
    width_m: float = real("overall width without mirrors", "m", above=0.0, at_most=5)
    front_overhang_m: float = real("front axle to front bumper", "m", at_least=0.0, at_most=5)

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


@dataclass(frozen=True, kw_only=True)
class SuspensionParameters:
    """Roll and pitch stiffness as felt by the body, tyres included; both quasi-static."""

    roll_stiffness_front_nm_per_rad: float = real(
        "roll stiffness of the front axle", "N m/rad", above=0.0
    )
    roll_stiffness_rear_nm_per_rad: float = real(
        "roll stiffness of the rear axle", "N m/rad", above=0.0
    )
    roll_centre_front_m: float = real("height of the front roll centre", "m", at_most=2.0)
    roll_centre_rear_m: float = real("height of the rear roll centre", "m", at_most=2.0)
    pitch_stiffness_nm_per_rad: float = real("pitch stiffness", "N m/rad", above=0.0)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class WheelParameters:
    """The wheels; inertia includes what turns with them (brake disc, gears, motor)."""

    radius_m: float = real("effective rolling radius", "m", above=0.0, at_most=1.5)
    inertia_front_kgm2: float = real("spin inertia of one front wheel", "kg m2", above=0.0)
    inertia_rear_kgm2: float = real("spin inertia of one rear wheel", "kg m2", above=0.0)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class AxleTyreParameters:
    """How stiff the tyres make each axle. Both values are for the AXLE: one wheel has half."""

    tyre: str = text("tyre preset or file used unless another is given", default="mf96")
    cornering_stiffness_front_n_per_rad: float = real(
        "cornering stiffness of the front axle", "N/rad", above=0.0
    )
    cornering_stiffness_rear_n_per_rad: float = real(
        "cornering stiffness of the rear axle", "N/rad", above=0.0
    )
    mu_nominal: float = real(
        "friction at which that stiffness holds", "", at_least=0.05, at_most=2.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class DrivetrainParameters:
    """Motor (all motors together), gear and the way to the wheels."""

    drive_split_front: float = real(
        "share of a driving force intent at the front axle", "", at_least=0.0, at_most=1.0
    )
    motor_torque_curve: tuple[tuple[float, float], ...] = curve(
        "full-throttle torque over motor speed", "rad/s, N m"
    )
    gear_ratio: float = real("motor turns per wheel turn", "", above=0.0, at_most=100.0)
    efficiency: float = real("torque that reaches the wheels", "", above=0.0, at_most=1.0)
    differential_front: str = choice("front differential", "open", "locked", default="open")
    differential_rear: str = choice("rear differential", "open", "locked", default="open")

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class BrakeParameters:
    """Friction brakes: of the pedals, and of a braking force intent."""

    brake_split_front: float = real(
        "share of a braking force intent at the front axle", "", at_least=0.0, at_most=1.0
    )
    max_torque_nm: float = real("torque at full pedal, all wheels together", "N m", above=0.0)
    front_share: float = real(
        "share of the pedal's torque at the front", "", at_least=0.0, at_most=1.0
    )
    handbrake_torque_nm: float = real(
        "torque of the hand brake, both rear wheels together", "N m", at_least=0.0
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class AeroParameters:
    """Air forces at the body; positive lift unloads the axle."""

    drag_coefficient: float = real("drag coefficient", "", at_least=0.0, at_most=3.0)
    frontal_area_m2: float = real("frontal area", "m2", at_least=0.0, at_most=20.0)
    lift_coefficient_front: float = real(
        "lift at the front axle", "", at_least=-5.0, at_most=2.0, default=0.0
    )
    lift_coefficient_rear: float = real(
        "lift at the rear axle", "", at_least=-5.0, at_most=2.0, default=0.0
    )
    air_density_kgpm3: float = real(
        "density of the air", "kg/m3", at_least=0.0, at_most=2.0, default=1.225
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class SteeringParameters:
    """Road wheel angle limits and the way back to the steering wheel."""

    max_angle_rad: float = real("largest road wheel angle", "rad", above=0.0, at_most=1.4)
    ratio: float = real("steering wheel angle per road wheel angle", "", at_least=1.0, at_most=40)
    mechanical_trail_m: float = real(
        "caster trail at the ground, for the aligning torque", "m", at_least=0.0, at_most=0.3
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class EnergyParameters:
    """What is used up on the way: a battery's charge or a tank of fuel."""

    kind: str = choice("what the car runs on", "battery", "fuel")
    capacity_kwh: float = real("usable energy when full", "kW h", above=0.0)
    drive_efficiency: float = real(
        "wheel work got out of stored energy", "", above=0.0, at_most=1.0
    )
    regeneration_efficiency: float = real(
        "stored energy got out of braking work", "", at_least=0.0, at_most=1.0
    )
    auxiliary_power_w: float = real("constant use of everything else", "W", at_least=0.0)

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            self.kind == "battery" or self.regeneration_efficiency == 0.0,
            "regeneration_efficiency",
            f"={self.regeneration_efficiency:g}: must be 0 where kind is fuel",
        )
