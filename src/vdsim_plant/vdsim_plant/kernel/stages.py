"""One car: the stages of a substep, with the four wheels side by side in vector lanes.

Each stage reads and writes the car's buffer; the loops that string them together are in single.py.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.inlining import compiled_form, inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.ground import lookup
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.contact import put_contact_force
from vdsim_plant.kernel.equations import (
    axle_loads,
    body_step,
    braked_spin,
    clamp,
    free_spin,
    joined_spin,
    kept_stretch,
    moved_load,
    patch_lag,
    patch_speed,
    slip_length,
    speed_share,
    standing_tyre,
    transient_slip,
)
from vdsim_plant.kernel.mf96 import lateral_reach, mf96_angles, mf96_force, tyre_grip
from vdsim_plant.kernel.polynomials import sine_and_cosine
from vdsim_plant.kernel.stripes import TO_MOVE, TO_TURN, free_range, striped_mu

Buffer = NDArray[np.float64]

mu_at = compiled_form(lookup.mu_at)


@inlined
def take_inputs(car: Buffer) -> None:
    """Spread the steer angle over the wheels; take the torques. Both are held."""
    s, c = sine_and_cosine(car[at.STEER])
    car[at.SIN_STEER] = s
    car[at.COS_STEER] = c
    for i in range(4):
        front = i < 2
        car[at.COS + i] = c if front else 1.0
        car[at.SIN + i] = s if front else 0.0
        car[at.DRIVE + i] = car[at.TORQUE + i]


@inlined
def add_motor_torque(car: Buffer) -> None:
    """Add the motor's torque at its present speed to the wheels (pedal path)."""
    front = 0.5 * (car[at.SPIN] + car[at.SPIN + 1])
    rear = 0.5 * (car[at.SPIN + 2] + car[at.SPIN + 3])
    split = car[at.MOTOR_SPLIT_FRONT]
    speed = abs(split * front + (1.0 - split) * rear) * car[at.MOTOR_RATIO]
    place = clamp(speed * car[at.MOTOR_STEP_INVERSE], 0.0, at.MOTOR_POINTS - 1.001)
    below = int(place)
    low = car[at.MOTOR_TABLE + below]
    torque = low + (place - below) * (car[at.MOTOR_TABLE + below + 1] - low)
    torque *= car[at.THROTTLE]
    for i in range(2):
        car[at.DRIVE + i] = torque * car[at.MOTOR_GAIN_FRONT] + car[at.TORQUE + i]
        car[at.DRIVE + 2 + i] = torque * car[at.MOTOR_GAIN_REAR] + car[at.TORQUE + 2 + i]


@inlined
def wheel_loads(car: Buffer) -> None:
    """Wheel loads from the forces as the substep before expects them."""
    speed_squared = car[at.VX] * car[at.VX] + car[at.VY] * car[at.VY]
    front, rear = axle_loads(
        car[at.MASS] * car[at.GRAVITY_N],
        car[at.STATIC_FRONT],
        car[at.AXLE_TRANSFER],
        car[at.EXPECTED_X],
        car[at.LIFT_FRONT],
        car[at.LIFT_REAR],
        speed_squared,
    )
    force_y = car[at.EXPECTED_Y]
    moved_front = moved_load(front, car[at.WHEEL_TRANSFER_FRONT], force_y)
    moved_rear = moved_load(rear, car[at.WHEEL_TRANSFER_REAR], force_y)
    for i in range(4):
        axle = front if i < 2 else rear
        moved = moved_front if i < 2 else moved_rear
        car[at.FZ + i] = 0.5 * axle - car[at.SIDE + i] * moved


@inlined
def stripe_friction(car: Buffer, ground: Buffer) -> None:
    """Friction under each contact point, and how far the car may go before it can change."""
    x = car[at.X]
    s, c = sine_and_cosine(car[at.YAW])
    room = math.inf
    for i in range(4):
        wheel_x = x + (c * car[at.ARM_X + i] - s * car[at.ARM_Y + i])
        car[at.MU + i], around = striped_mu(wheel_x, ground)
        room = min(room, around)
    _standing_tyres(car)
    car[at.SAME_FROM], car[at.SAME_TO] = free_range(x, room, TO_MOVE)
    turn = room / car[at.REACH]
    car[at.SAME_YAW_FROM], car[at.SAME_YAW_TO] = free_range(car[at.YAW], turn, TO_TURN)


@inlined
def _standing_tyres(car: Buffer) -> None:
    """Put down what of the standing tyre depends on friction."""
    for i in range(4):
        car[at.STANDING_LENGTH + i], car[at.STANDING_DAMPING + i] = standing_tyre(
            car[at.MU + i],
            car[at.STIFFNESS_BASE],
            car[at.INVERSE_MU_NOMINAL],
            car[at.STICK_LENGTH],
            car[at.STICK_DAMPING],
        )


@inlined
def may_have_changed(car: Buffer) -> bool:
    """Return whether a wheel may have reached another friction since the last lookup."""
    x = car[at.X]
    yaw = car[at.YAW]
    moved: bool = x < car[at.SAME_FROM] or x >= car[at.SAME_TO]
    turned: bool = yaw < car[at.SAME_YAW_FROM] or yaw >= car[at.SAME_YAW_TO]
    return moved or turned


@inlined
def painted_friction(car: Buffer, ground: Buffer) -> None:
    """Look friction up on any road, where it can change at every substep."""
    s, c = sine_and_cosine(car[at.YAW])
    for i in range(4):
        ahead = c * car[at.ARM_X + i] - s * car[at.ARM_Y + i]
        left = s * car[at.ARM_X + i] + c * car[at.ARM_Y + i]
        car[at.MU + i] = mu_at(car[at.X] + ahead, car[at.Y] + left, ground)
    _standing_tyres(car)


@inlined
def mf96_forces(car: Buffer) -> None:
    """Slip and contact force of the wheels, the same operations in four lanes."""
    vx = car[at.VX]
    vy = car[at.VY]
    yaw_rate = car[at.YAW_RATE]
    radius = car[at.RADIUS]
    shape_x = car[at.SHAPE_X]
    shape_y = car[at.SHAPE_Y]
    peak_x = car[at.PEAK_X]
    peak_y = car[at.PEAK_Y]
    inverse_peak_x = car[at.INVERSE_PEAK_X]
    inverse_peak_y = car[at.INVERSE_PEAK_Y]
    stick_speed = car[at.INVERSE_STICK_SPEED_SQUARED]
    slip_floor = car[at.SLIP_FLOOR]
    length_x = car[at.LENGTH_X]
    length_y = car[at.LENGTH_Y]
    rolling_resistance = car[at.ROLLING_RESISTANCE]
    slope_peak = car[at.SLOPE_PEAK]
    curvature_x = car[at.CURVATURE_X]
    curvature_y = car[at.CURVATURE_Y]
    grip_base = car[at.GRIP_BASE]
    balance = fma(vy, yaw_rate, car[at.AX]) * car[at.SPIN_PER_SPEED]
    for i in range(4):
        load = car[at.FZ + i]
        along, across = patch_speed(
            vx,
            vy,
            yaw_rate,
            car[at.ARM_X + i],
            car[at.ARM_Y + i],
            car[at.COS + i],
            car[at.SIN + i],
        )
        stick, lag_x, lag_y, gain_x, gain_y = patch_lag(
            along, across, stick_speed, slip_floor, car[at.STANDING_LENGTH + i], length_x, length_y
        )
        slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
            along,
            across,
            radius * car[at.SPIN + i],
            car[at.STRETCH_X + i],
            car[at.STRETCH_Y + i],
            stick * car[at.STANDING_DAMPING + i],
            lag_x,
            lag_y,
            gain_x,
            gain_y,
        )
        x = slip_x * car[at.INVERSE_KAPPA_PEAK + i]
        y = slip_y * lateral_reach(car[at.INVERSE_ALPHA_PEAK + i], load, car[at.STIFFNESS_LOSS + i])
        rho, inverse_rho, inverse_square = slip_length(x, y)
        angle_x, angle_y, unit = mf96_angles(
            rho,
            inverse_rho,
            peak_x,
            peak_y,
            inverse_peak_x,
            inverse_peak_y,
            shape_x,
            shape_y,
            curvature_x,
            curvature_y,
        )
        x_share = x * x * inverse_square
        grip = tyre_grip(car[at.MU + i], load, grip_base, car[at.GRIP_LOSS + i])
        fx, fy, slope = mf96_force(
            x, y, angle_x, angle_y, inverse_rho, unit, x_share, grip, slope_peak
        )
        kept = kept_stretch(inverse_rho, stick)
        car[at.STRETCH_X + i] = new_x * kept
        car[at.STRETCH_Y + i] = new_y * kept
        car[at.SLIP_X + i] = slip_x
        car[at.SLIP_Y + i] = slip_y
        put_contact_force(car, i, 0, 1, fx, fy)
        car[at.FREE_SPIN + i], car[at.SPIN_GAIN + i] = free_spin(
            car[at.SPIN + i],
            fma(-radius, fx, car[at.DRIVE + i]),
            slope * (slip_per_rim * car[at.SPIN_PER_SLOPE + i] * car[at.INVERSE_KAPPA_PEAK + i]),
            unit,
            car[at.SPIN_PER_TORQUE + i],
            balance * speed_share(new_x, along),
        )
        car[at.SPIN_HOLD + i] = fma(rolling_resistance * radius, load, car[at.BRAKE + i])


@inlined
def new_spins(car: Buffer) -> None:
    """New wheel spins; a locked differential makes an axle one wheel with both inertias."""
    if car[at.LOCK_FRONT] + car[at.LOCK_REAR] > 0.0:
        for axle in range(2):
            if car[at.LOCK_FRONT + axle] > 0.0:
                left = 2 * axle
                spin, gain = joined_spin(
                    car[at.FREE_SPIN + left],
                    car[at.FREE_SPIN + left + 1],
                    car[at.SPIN_GAIN + left],
                    car[at.SPIN_GAIN + left + 1],
                )
                hold = car[at.SPIN_HOLD + left] + car[at.SPIN_HOLD + left + 1]
                for i in range(left, left + 2):
                    car[at.FREE_SPIN + i] = spin
                    car[at.SPIN_GAIN + i] = gain
                    car[at.SPIN_HOLD + i] = hold
    for i in range(4):
        car[at.SPIN + i] = braked_spin(
            car[at.FREE_SPIN + i], car[at.SPIN_GAIN + i], car[at.SPIN_HOLD + i], car[at.SPIN_MAX]
        )


@inlined
def move_body(car: Buffer) -> None:
    """Sum the wheels' forces and the wind, and move the body; left and right are summed alike."""
    (
        car[at.X],
        car[at.Y],
        car[at.YAW],
        car[at.VX],
        car[at.VY],
        car[at.YAW_RATE],
        car[at.FORCE_X],
        car[at.FORCE_Y],
        car[at.YAW_ACC],
        car[at.EXPECTED_X],
        car[at.EXPECTED_Y],
        car[at.CHANGE_X],
        car[at.CHANGE_Y],
        car[at.YAW_CHANGE],
        car[at.AX],
        car[at.AY],
    ) = body_step(
        car[at.X],
        car[at.Y],
        car[at.YAW],
        car[at.VX],
        car[at.VY],
        car[at.YAW_RATE],
        (car[at.BODY_FX] + car[at.BODY_FX + 1]) + (car[at.BODY_FX + 2] + car[at.BODY_FX + 3]),
        (car[at.BODY_FY] + car[at.BODY_FY + 1]) + (car[at.BODY_FY + 2] + car[at.BODY_FY + 3]),
        (car[at.MOMENT] + car[at.MOMENT + 1])
        + (car[at.MOMENT + 2] + car[at.MOMENT + 3])
        + car[at.WIND_MOMENT],
        car[at.FORCE_X],
        car[at.FORCE_Y],
        car[at.YAW_ACC],
        car[at.CHANGE_X],
        car[at.CHANGE_Y],
        car[at.YAW_CHANGE],
        fma(car[at.WIND_X], car[at.INVERSE_MASS], car[at.GRAVITY_X]),
        fma(car[at.WIND_Y], car[at.INVERSE_MASS], car[at.GRAVITY_Y]),
        car[at.DRAG],
        car[at.INVERSE_MASS],
        car[at.INVERSE_YAW_INERTIA],
        car[at.INVERSE_STICK_SPEED_SQUARED],
        car[at.DT],
    )
    car[at.SUBSTEPS] += 1.0
