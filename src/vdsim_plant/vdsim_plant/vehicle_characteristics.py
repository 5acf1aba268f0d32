"""What follows from a vehicle file: loads, stiffness, understeer, natural frequencies.

Linear single-track theory (J. Y. Wong, Theory of Ground Vehicles, chapter 5), for small slip on
a level road at the friction that the file's stiffness holds for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_plant.assembly import lateral_transfer, pitch_per_ax, roll_per_ay
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    Mf96Parameters,
    TyreParameters,
    VehicleParameters,
)
from vdsim_plant.tyres.tir_forces import tir_forces

YAW_SPEEDS_MPS = (10.0, 20.0, 30.0)
TURN_MPS2 = 4.0
_SMALL_SLIP = 1e-5


@dataclass(frozen=True)
class YawMode:
    """The yaw and sideslip motion at one speed; the frequency is 0 where it does not swing."""

    speed_mps: float
    frequency_hz: float
    damping: float
    stable: bool


@dataclass(frozen=True)
class VehicleCharacteristics:
    """Derived figures of a car with a tyre. Wheels in the order FL, FR, RL, RR."""

    wheelbase_m: float
    front_weight_share: float
    wheel_loads_n: tuple[float, float, float, float]
    stiffness_front_n_per_rad: float
    stiffness_rear_n_per_rad: float
    understeer_gradient_rad_s2_per_m: float
    turning_understeer_rad_s2_per_m: float
    """(steer - L / R) / ay at TURN_MPS2, with the stiffness that load transfer leaves."""
    characteristic_speed_mps: float
    critical_speed_mps: float
    yaw_modes: tuple[YawMode, ...]
    roll_frequency_hz: float
    pitch_frequency_hz: float
    roll_per_g_rad: float
    pitch_per_g_rad: float
    rollover_threshold_g: float
    drive_force_n: float
    drive_power_w: float
    brake_force_n: float


def characteristics_of(vehicle: VehicleParameters, tyre: TyreParameters) -> VehicleCharacteristics:
    """Work out the figures of a car on a tyre."""
    body, wheels, suspension = vehicle.body, vehicle.wheels, vehicle.suspension
    front, rear = axle_stiffness_n_per_rad(vehicle, tyre)
    gradient = understeer_gradient(vehicle, front, rear)
    length = body.wheelbase_m
    roll = roll_per_ay(vehicle)
    roll_inertia = body.roll_inertia_kgm2 + body.mass_kg * body.cg_height_m**2
    drivetrain = vehicle.drivetrain
    top_torque = max(torque for _, torque in drivetrain.motor_torque_curve)
    top_power = max(speed * torque for speed, torque in drivetrain.motor_torque_curve)
    return VehicleCharacteristics(
        wheelbase_m=length,
        front_weight_share=body.cg_to_rear_axle_m / length,
        wheel_loads_n=vehicle.static_wheel_loads_n(),
        stiffness_front_n_per_rad=front,
        stiffness_rear_n_per_rad=rear,
        understeer_gradient_rad_s2_per_m=gradient,
        turning_understeer_rad_s2_per_m=understeer_gradient(
            vehicle, *axle_stiffness_n_per_rad(vehicle, tyre, ay_mps2=TURN_MPS2)
        ),
        characteristic_speed_mps=math.sqrt(length / gradient) if gradient > 0.0 else math.inf,
        critical_speed_mps=math.sqrt(-length / gradient) if gradient < 0.0 else math.inf,
        yaw_modes=tuple(yaw_mode(vehicle, front, rear, speed) for speed in YAW_SPEEDS_MPS),
        roll_frequency_hz=math.sqrt(body.mass_kg * body.cg_height_m / roll / roll_inertia)
        / (2.0 * math.pi)
        if roll > 0.0
        else math.inf,
        pitch_frequency_hz=math.sqrt(
            suspension.pitch_stiffness_nm_per_rad / body.pitch_inertia_kgm2
        )
        / (2.0 * math.pi),
        roll_per_g_rad=roll * GRAVITY_MPS2,
        pitch_per_g_rad=pitch_per_ax(vehicle) * GRAVITY_MPS2,
        rollover_threshold_g=_rollover_threshold(vehicle),
        drive_force_n=top_torque * drivetrain.gear_ratio * drivetrain.efficiency / wheels.radius_m,
        drive_power_w=top_power * drivetrain.efficiency,
        brake_force_n=vehicle.brakes.max_torque_nm / wheels.radius_m,
    )


def axle_stiffness_n_per_rad(
    vehicle: VehicleParameters,
    tyre: TyreParameters,
    mu: float | None = None,
    ay_mps2: float = 0.0,
) -> tuple[float, float]:
    """Return the cornering stiffness of the front and the rear axle, of small slip.

    Without `mu`, at the friction that the vehicle file states it for. MF96 has a fixed B, so its
    stiffness B C D follows friction; PAC2002 keeps its stiffness. The loads are the static ones,
    and those that a lateral acceleration moves from one wheel to the other.
    """
    axles = vehicle.axles
    loads = vehicle.static_wheel_loads_n()
    moved = [
        min(abs(per_ay * ay_mps2), load)
        for per_ay, load in zip(lateral_transfer(vehicle), (loads[0], loads[2]), strict=True)
    ]
    if tyre.tir is None:
        scale = 1.0 if mu is None else mu / axles.mu_nominal
        front, rear = (
            0.5
            * scale
            * stiffness
            * sum(_load_share(1.0 + side * x / load, tyre.mf96) for side in (-1.0, 1.0))
            for stiffness, x, load in (
                (axles.cornering_stiffness_front_n_per_rad, moved[0], loads[0]),
                (axles.cornering_stiffness_rear_n_per_rad, moved[1], loads[2]),
            )
        )
        return front, rear
    coefficients = tyre.tir.as_array()

    def of_wheel(load: float) -> float:
        force = tir_forces(0.0, _SMALL_SLIP, load, axles.mu_nominal, 1.0, 0.0, coefficients)[1]
        return -force / _SMALL_SLIP

    front, rear = (
        of_wheel(load - x) + of_wheel(load + x)
        for load, x in ((loads[0], moved[0]), (loads[2], moved[1]))
    )
    return front, rear


def _load_share(load: float, tyre: Mf96Parameters) -> float:
    """Return a wheel's stiffness over that at its static load; `load` over the static one, too."""
    lost, s = 1.0 - tyre.load_sensitivity * (load - 1.0), tyre.stiffness_saturation
    return load * lost * (1.0 + s) / (1.0 + s * load * load)


def understeer_gradient(vehicle: VehicleParameters, front: float, rear: float) -> float:
    """Return d(steer - L / R) / d(ay) [rad s2/m]; positive is understeer."""
    body = vehicle.body
    share = body.mass_kg / body.wheelbase_m
    return share * (body.cg_to_rear_axle_m / front - body.cg_to_front_axle_m / rear)


def yaw_mode(vehicle: VehicleParameters, front: float, rear: float, speed_mps: float) -> YawMode:
    """Return frequency and damping of the single-track car at a speed."""
    body = vehicle.body
    a, b, m, izz, v = (
        body.cg_to_front_axle_m,
        body.cg_to_rear_axle_m,
        body.mass_kg,
        body.yaw_inertia_kgm2,
        speed_mps,
    )
    trace = (front + rear) / (m * v) + (a * a * front + b * b * rear) / (izz * v)
    determinant = front * rear * (a + b) ** 2 / (m * izz * v * v) + (b * rear - a * front) / izz
    if determinant <= 0.0:
        return YawMode(v, 0.0, math.inf, stable=False)
    natural = math.sqrt(determinant)
    return YawMode(v, natural / (2.0 * math.pi), trace / (2.0 * natural), stable=True)


def _rollover_threshold(vehicle: VehicleParameters) -> float:
    """Return the lateral acceleration [g] at which a rigid car lifts its inner wheels."""
    body = vehicle.body
    track = (
        body.track_front_m * body.cg_to_rear_axle_m + body.track_rear_m * body.cg_to_front_axle_m
    ) / body.wheelbase_m
    return track / (2.0 * body.cg_height_m) if body.cg_height_m > 0.0 else math.inf
