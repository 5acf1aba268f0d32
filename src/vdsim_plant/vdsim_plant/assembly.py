"""Turns checked parameters into the buffer that the numeric core reads (kernel/layout.py)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import Ground
from vdsim_plant.kernel import layout as at
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters
from vdsim_plant.ride.assembly import with_ride
from vdsim_plant.tyre_calibration import TyreCalibration, calibrate
from vdsim_plant.tyres.tir_layout import with_constants

LEVELS = ("kinematic", "l1", "l2", "l3")

# A standing tyre is a damped spring. Its deflection length makes an 8 % slope deflect a stiff tyre
# by 0.2 mm; longer substeps get a softer spring, so that they stay stable. They get a weaker damper
# too: a rolling wheel knows the body's acceleration one substep late, and a damper that takes half
# of a speed within a substep then rocks an undriven car to and fro for ever. Both begin above 2 ms.
STICK_LENGTH_M = 0.05
STICK_DAMPING = 2.6  # 2 is critical; loads that move with the rocking need a little more
LARGEST_DAMPED_SHARE = 0.3  # of a speed, in one substep
STICK_SPEED_MPS = 1.0
TOP_SPEED_MPS = 150.0


def build_car(
    vehicle: VehicleParameters, tyre: TyreParameters, ground: Ground, level: str, substep_s: float
) -> NDArray[np.float64]:
    """Return the buffer of a car at rest in the origin."""
    car = np.zeros(at.SIZE)
    car[at.DT] = substep_s
    car[at.INVERSE_DT] = 1.0 / substep_s
    _put_body(car, vehicle, flat_car=level == "l1")
    _put_wheels(car, vehicle, substep_s)
    _put_gravity(car, ground)
    _put_tyre(car, tyre, calibrate(vehicle, tyre), substep_s)
    _put_load_sensitivity(car, vehicle, tyre)
    _put_motor(car, vehicle)
    if level != "kinematic":
        _put_bends(car, vehicle)
    if level == "l3":
        car = with_ride(car, vehicle)
    return car if tyre.tir is None else with_constants(car, tyre.tir.as_array())


def _put_body(car: NDArray[np.float64], vehicle: VehicleParameters, *, flat_car: bool) -> None:
    """Masses, arms and load transfer; a flat car (single track) has neither width nor height."""
    body, aero = vehicle.body, vehicle.aero
    car[at.MASS] = body.mass_kg
    car[at.INVERSE_MASS] = 1.0 / body.mass_kg
    car[at.INVERSE_YAW_INERTIA] = 1.0 / body.yaw_inertia_kgm2
    car[at.STATIC_FRONT] = body.cg_to_rear_axle_m / body.wheelbase_m
    car[at.WHEELBASE] = body.wheelbase_m
    car[at.CG_TO_REAR] = body.cg_to_rear_axle_m
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2
    car[at.DRAG] = pressure * aero.drag_coefficient
    car[at.LIFT_FRONT] = pressure * aero.lift_coefficient_front
    car[at.LIFT_REAR] = pressure * aero.lift_coefficient_rear
    front_x, rear_x = body.cg_to_front_axle_m, -body.cg_to_rear_axle_m
    car[at.ARM_X : at.ARM_X + 4] = front_x, front_x, rear_x, rear_x
    widest = max(body.track_front_m, body.track_rear_m) / 2.0
    car[at.REACH] = 1.01 * math.hypot(max(front_x, -rear_x), widest)
    car[at.SIDE : at.SIDE + 4] = 1.0, -1.0, 1.0, -1.0
    if flat_car:
        return
    half_front, half_rear = body.track_front_m / 2.0, body.track_rear_m / 2.0
    car[at.ARM_Y : at.ARM_Y + 4] = half_front, -half_front, half_rear, -half_rear
    car[at.AXLE_TRANSFER] = body.mass_kg * body.cg_height_m / body.wheelbase_m
    front, rear = lateral_transfer(vehicle)
    car[at.WHEEL_TRANSFER_FRONT], car[at.WHEEL_TRANSFER_REAR] = front, rear
    car[at.ROLL_PER_FORCE] = roll_per_ay(vehicle)
    car[at.PITCH_PER_FORCE] = pitch_per_ax(vehicle)


def _put_wheels(car: NDArray[np.float64], vehicle: VehicleParameters, dt: float) -> None:
    wheels = vehicle.wheels
    car[at.RADIUS] = wheels.radius_m
    car[at.SPIN_PER_SPEED] = dt / wheels.radius_m
    car[at.SPIN_MAX] = TOP_SPEED_MPS / wheels.radius_m
    for i in range(4):
        inertia = wheels.inertia_front_kgm2 if i < 2 else wheels.inertia_rear_kgm2
        car[at.SPIN_PER_TORQUE + i] = dt / inertia
        car[at.SPIN_PER_SLOPE + i] = dt / inertia * wheels.radius_m**2


def _put_bends(car: NDArray[np.float64], vehicle: VehicleParameters) -> None:
    """Put the axles' own steer: the slope at 0 and its changes at the points."""
    for number, points in enumerate(vehicle.suspension.bends):
        if not points:
            continue
        car[at.BENDS] = 1.0
        table = at.BEND_TABLES + number * at.BEND_TABLE
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)] + [0.0]
        car[table] = slopes[0]
        for k, ((x, _), change) in enumerate(zip(points[1:], np.diff(slopes), strict=True)):
            car[table + 1 + 2 * k] = x
            car[table + 2 + 2 * k] = change


def lateral_transfer(vehicle: VehicleParameters) -> tuple[float, float]:
    """Return the load moved from the left to the right wheel of each axle per ay [N s2/m].

    Each axle takes its share of the force at its roll centre, and of the roll moment (including
    the weight that leans out) by its share of the roll stiffness.
    """
    body, suspension = vehicle.body, vehicle.suspension
    share_front = body.cg_to_rear_axle_m / body.wheelbase_m
    front, rear = (
        suspension.roll_stiffness_front_nm_per_rad,
        suspension.roll_stiffness_rear_nm_per_rad,
    )
    roll = roll_per_ay(vehicle)
    geometric_front = body.mass_kg * share_front * suspension.roll_centre_front_m
    geometric_rear = body.mass_kg * (1.0 - share_front) * suspension.roll_centre_rear_m
    return (
        (geometric_front + roll * front) / body.track_front_m,
        (geometric_rear + roll * rear) / body.track_rear_m,
    )


def roll_per_ay(vehicle: VehicleParameters) -> float:
    """Return the roll angle per lateral acceleration [rad s2/m]."""
    body, suspension = vehicle.body, vehicle.suspension
    share_front = body.cg_to_rear_axle_m / body.wheelbase_m
    axis = suspension.roll_centre_front_m * share_front + suspension.roll_centre_rear_m * (
        1.0 - share_front
    )
    arm = body.cg_height_m - axis
    stiffness = (
        suspension.roll_stiffness_front_nm_per_rad + suspension.roll_stiffness_rear_nm_per_rad
    )
    return body.mass_kg * arm / (stiffness - body.mass_kg * GRAVITY_MPS2 * arm)


def pitch_per_ax(vehicle: VehicleParameters) -> float:
    """Return the pitch angle (nose down) per longitudinal deceleration [rad s2/m]."""
    body = vehicle.body
    return body.mass_kg * body.cg_height_m / vehicle.suspension.pitch_stiffness_nm_per_rad


def _put_gravity(car: NDArray[np.float64], ground: Ground) -> None:
    along_road = GRAVITY_MPS2 / math.sqrt(1.0 + ground.slope_x**2 + ground.slope_y**2)
    car[at.GRAVITY_X] = -along_road * ground.slope_x
    car[at.GRAVITY_Y] = -along_road * ground.slope_y
    car[at.GRAVITY_N] = along_road
    car[at.SLOPE_X], car[at.SLOPE_Y] = ground.slope_x, ground.slope_y


def _put_tyre(
    car: NDArray[np.float64], tyre: TyreParameters, calibrated: TyreCalibration, dt: float
) -> None:
    car[at.SHAPE_X], car[at.SHAPE_Y] = calibrated.shape_x, calibrated.shape_y
    car[at.PEAK_X], car[at.PEAK_Y] = calibrated.peak_x, calibrated.peak_y
    car[at.INVERSE_PEAK_X], car[at.INVERSE_PEAK_Y] = 1.0 / car[at.PEAK_X], 1.0 / car[at.PEAK_Y]
    car[at.SLOPE_PEAK] = car[at.SHAPE_X] * car[at.PEAK_X]
    kappa, tangent = calibrated.kappa_peak, calibrated.alpha_peak_tangent
    car[at.INVERSE_KAPPA_PEAK : at.INVERSE_KAPPA_PEAK + 4] = [1.0 / peak for peak in kappa]
    car[at.INVERSE_ALPHA_PEAK : at.INVERSE_ALPHA_PEAK + 4] = [1.0 / peak for peak in tangent]
    for i in range(4):
        peaks = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i + at.OBSERVED_PEAKS
        car[peaks : peaks + 2] = math.atan(tangent[i]), kappa[i]
    car[at.STIFFNESS_BASE] = calibrated.stiffness_base
    car[at.INVERSE_MU_NOMINAL] = calibrated.stiffness_per_mu
    car[at.STIFFNESS_PER_LOAD] = calibrated.stiffness_per_load
    car[at.PEAK_PER_MU] = calibrated.peak_per_mu
    car[at.ROLLING_RESISTANCE] = tyre.rolling_resistance
    car[at.SLIP_FLOOR] = tyre.slip_speed_floor_mps
    car[at.LENGTH_X] = tyre.relaxation_length_longitudinal_m / dt
    car[at.LENGTH_Y] = tyre.relaxation_length_lateral_m / dt
    # Acceleration per slip; with it the spring's natural frequency is sqrt(pull / length).
    pull = calibrated.stiffness_per_load * GRAVITY_MPS2
    length = max(STICK_LENGTH_M, 4.0 * pull * dt * dt)
    car[at.STICK_LENGTH] = length / dt
    damping = STICK_DAMPING / math.sqrt(pull * length)
    car[at.STICK_DAMPING] = min(damping, LARGEST_DAMPED_SHARE / (pull * dt))
    car[at.INVERSE_STICK_SPEED_SQUARED] = max(STICK_SPEED_MPS, 4.0 * pull * dt) ** -2


def _put_load_sensitivity(
    car: NDArray[np.float64], vehicle: VehicleParameters, tyre: TyreParameters
) -> None:
    """Put what makes an MF96 tyre a full one; a property file has its own."""
    plain = tyre.tir is not None
    mf96 = tyre.mf96
    car[at.CURVATURE_X] = 0.0 if plain else mf96.longitudinal_curvature
    car[at.CURVATURE_Y] = 0.0 if plain else mf96.lateral_curvature
    sensitivity = 0.0 if plain else mf96.load_sensitivity
    saturation = 0.0 if plain else mf96.stiffness_saturation
    car[at.GRIP_BASE] = 1.0 + sensitivity
    for i, load in enumerate(vehicle.static_wheel_loads_n()):
        car[at.GRIP_LOSS + i] = sensitivity / load
        car[at.STIFFNESS_LOSS + i] = saturation / load**2
        car[at.INVERSE_ALPHA_PEAK + i] *= 1.0 + saturation


def _put_motor(car: NDArray[np.float64], vehicle: VehicleParameters) -> None:
    """The torque curve on an even grid; beyond its last point the motor gives nothing."""
    drivetrain = vehicle.drivetrain
    speeds, torques = zip(*drivetrain.motor_torque_curve, strict=True)
    step = speeds[-1] / (at.MOTOR_POINTS - 2)
    grid = step * np.arange(at.MOTOR_POINTS)
    table = np.interp(grid, speeds, torques)
    table[-1] = 0.0
    car[at.MOTOR_TABLE : at.MOTOR_TABLE + at.MOTOR_POINTS] = table
    car[at.MOTOR_STEP_INVERSE] = 1.0 / step
    car[at.MOTOR_RATIO] = drivetrain.gear_ratio
    car[at.MOTOR_SPLIT_FRONT] = drivetrain.drive_split_front
    gain = drivetrain.gear_ratio * drivetrain.efficiency / 2.0
    car[at.MOTOR_GAIN_FRONT] = gain * drivetrain.drive_split_front
    car[at.MOTOR_GAIN_REAR] = gain * (1.0 - drivetrain.drive_split_front)
    car[at.LOCK_FRONT] = float(drivetrain.differential_front == "locked")
    car[at.LOCK_REAR] = float(drivetrain.differential_rear == "locked")
