"""One car: the stages of a substep, with the four wheels side by side in vector lanes.

Each stage reads and writes the car's buffer; the loops that string them together are in single.py.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.lookup import mu_at
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import (
    axle_loads,
    body_velocity,
    braked_spin,
    clamp,
    curve_over_slip,
    kept_stretch,
    moved_load,
    settled,
    slip_length,
    spin_terms,
    transient_slip,
    turned,
)
from vdsim_plant.kernel.inlining import inlined
from vdsim_plant.kernel.polynomials import angle_of, sine_and_cosine
from vdsim_plant.kernel.same_friction import same_mu_around

Buffer = NDArray[np.float64]

REST_MPS = 1e-6  # slower than this the direction of motion has no meaning


@inlined
def take_inputs(car: Buffer) -> None:
    """Spread steer angle and torques, which are held, over the wheels."""
    s, c = sine_and_cosine(car[at.STEER])
    car[at.SIN_STEER] = s
    car[at.COS_STEER] = c
    for i in range(4):
        front = i < 2
        car[at.COS + i] = c if front else 1.0
        car[at.SIN + i] = s if front else 0.0
        car[at.DRIVE + i] = car[at.DRIVE_FRONT] if front else car[at.DRIVE_REAR]
        car[at.BRAKE + i] = car[at.BRAKE_FRONT] if front else car[at.BRAKE_REAR]


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
        car[at.DRIVE + i] = torque * car[at.MOTOR_GAIN_FRONT]
        car[at.DRIVE + 2 + i] = torque * car[at.MOTOR_GAIN_REAR]


@inlined
def wheel_loads(car: Buffer) -> None:
    """Wheel loads from the accelerations of the substep before."""
    speed_squared = car[at.VX] * car[at.VX] + car[at.VY] * car[at.VY]
    front, rear = axle_loads(
        car[at.MASS] * car[at.GRAVITY_N],
        car[at.STATIC_FRONT],
        car[at.AXLE_TRANSFER],
        car[at.FORCE_X],
        car[at.LIFT_FRONT],
        car[at.LIFT_REAR],
        speed_squared,
    )
    force_y = car[at.FORCE_Y]
    moved_front = moved_load(front, car[at.WHEEL_TRANSFER_FRONT], force_y)
    moved_rear = moved_load(rear, car[at.WHEEL_TRANSFER_REAR], force_y)
    for i in range(4):
        axle = front if i < 2 else rear
        moved = moved_front if i < 2 else moved_rear
        car[at.FZ + i] = 0.5 * axle - car[at.SIDE + i] * moved


@inlined
def look_up_friction(car: Buffer, ground: Buffer) -> None:
    """Friction under each contact point, and how far the car may go before it can change."""
    x = car[at.X]
    y = car[at.Y]
    s, c = sine_and_cosine(car[at.YAW])
    for i in range(4):
        arm_x = car[at.ARM_X + i]
        arm_y = car[at.ARM_Y + i]
        car[at.MU + i] = mu_at(x + (c * arm_x - s * arm_y), y + (s * arm_x + c * arm_y), ground)
    car[at.SAME_FROM], car[at.SAME_TO] = same_mu_around(x, car[at.REACH], ground)


@inlined
def mf96_forces(car: Buffer) -> None:
    """Slip and contact force of the wheels, the same operations in four lanes."""
    vx = car[at.VX]
    vy = car[at.VY]
    yaw_rate = car[at.YAW_RATE]
    radius = car[at.RADIUS]
    dt = car[at.DT]
    shape_x = car[at.SHAPE_X]
    shape_y = car[at.SHAPE_Y]
    peak_x = car[at.PEAK_X]
    peak_y = car[at.PEAK_Y]
    inverse_peak_x = car[at.INVERSE_PEAK_X]
    inverse_peak_y = car[at.INVERSE_PEAK_Y]
    base = car[at.STIFFNESS_BASE]
    inverse_mu = car[at.INVERSE_MU_NOMINAL]
    stick_speed = car[at.INVERSE_STICK_SPEED_SQUARED]
    slip_floor = car[at.SLIP_FLOOR]
    stick_length = car[at.STICK_LENGTH]
    length_x = car[at.LENGTH_X]
    length_y = car[at.LENGTH_Y]
    damping = car[at.STICK_DAMPING]
    for i in range(4):
        c = car[at.COS + i]
        s = car[at.SIN + i]
        at_x = vx - yaw_rate * car[at.ARM_Y + i]
        at_y = vy + yaw_rate * car[at.ARM_X + i]
        mu = car[at.MU + i]
        slip_x, slip_y, new_x, new_y, slip_per_rim, stick = transient_slip(
            at_x * c + at_y * s,
            at_y * c - at_x * s,
            radius * car[at.SPIN + i],
            car[at.STRETCH_X + i],
            car[at.STRETCH_Y + i],
            base + mu * inverse_mu,
            stick_speed,
            slip_floor,
            stick_length,
            length_x,
            length_y,
            damping,
        )
        per_x = car[at.INVERSE_KAPPA_PEAK + i]
        per_y = car[at.INVERSE_ALPHA_PEAK + i]
        rho, inverse_rho = slip_length(slip_x * per_x, slip_y * per_y)
        grip = mu * car[at.FZ + i]
        stiff_x = grip * curve_over_slip(rho, inverse_rho, peak_x, inverse_peak_x, shape_x) * per_x
        stiff_y = grip * curve_over_slip(rho, inverse_rho, peak_y, inverse_peak_y, shape_y) * per_y
        fx = stiff_x * slip_x
        fy = stiff_y * slip_y
        kept = kept_stretch(inverse_rho, stick)
        car[at.STRETCH_X + i] = new_x * kept
        car[at.STRETCH_Y + i] = new_y * kept
        car[at.SLIP_X + i] = slip_x
        car[at.SLIP_Y + i] = slip_y
        car[at.FX + i] = fx
        car[at.FY + i] = fy
        body_fx = fx * c - fy * s
        body_fy = fx * s + fy * c
        car[at.BODY_FX + i] = body_fx
        car[at.BODY_FY + i] = body_fy
        car[at.MOMENT + i] = car[at.ARM_X + i] * body_fy - car[at.ARM_Y + i] * body_fx
        car[at.SPIN_TOP + i], car[at.SPIN_BOTTOM + i] = spin_terms(
            car[at.SPIN + i],
            car[at.DRIVE + i],
            fx,
            stiff_x * slip_per_rim * radius,
            radius,
            car[at.INERTIA + i],
            dt,
        )


@inlined
def new_spins(car: Buffer) -> None:
    """New wheel spins; a locked differential makes an axle one wheel with both inertias."""
    dt = car[at.DT]
    if car[at.LOCK_FRONT] + car[at.LOCK_REAR] > 0.0:
        for axle in range(2):
            left = 2 * axle
            lock = car[at.LOCK_FRONT + axle]
            top_left = car[at.SPIN_TOP + left]
            top_right = car[at.SPIN_TOP + left + 1]
            bottom_left = car[at.SPIN_BOTTOM + left]
            bottom_right = car[at.SPIN_BOTTOM + left + 1]
            car[at.SPIN_TOP + left] = top_left + lock * top_right
            car[at.SPIN_TOP + left + 1] = top_right + lock * top_left
            car[at.SPIN_BOTTOM + left] = bottom_left + lock * bottom_right
            car[at.SPIN_BOTTOM + left + 1] = bottom_right + lock * bottom_left
    for i in range(4):
        brakes = 1.0 + (car[at.LOCK_FRONT] if i < 2 else car[at.LOCK_REAR])
        car[at.SPIN + i] = braked_spin(
            car[at.SPIN_TOP + i],
            car[at.SPIN_BOTTOM + i],
            brakes * car[at.BRAKE + i],
            car[at.SPIN_MAX],
            dt,
        )


@inlined
def move_body(car: Buffer) -> None:
    """Velocities from the forces, then the pose with the mean velocity.

    The frame turns by the yaw rate of the substep's start; seen from the world the velocity is
    therefore changed by the forces alone.
    """
    dt = car[at.DT]
    vx = car[at.VX]
    vy = car[at.VY]
    yaw_rate = car[at.YAW_RATE]
    inverse_mass = car[at.INVERSE_MASS]
    s, c = sine_and_cosine(car[at.YAW])
    load = (car[at.FZ] + car[at.FZ + 1]) + (car[at.FZ + 2] + car[at.FZ + 3])
    air = car[at.DRAG] * math.sqrt(vx * vx + vy * vy) * inverse_mass
    rest_x = (car[at.GRAVITY_X] * c + car[at.GRAVITY_Y] * s) - air * vx
    rest_y = (car[at.GRAVITY_Y] * c - car[at.GRAVITY_X] * s) - air * vy
    sum_x = (car[at.BODY_FX] + car[at.BODY_FX + 1]) + (car[at.BODY_FX + 2] + car[at.BODY_FX + 3])
    sum_y = (car[at.BODY_FY] + car[at.BODY_FY + 1]) + (car[at.BODY_FY + 2] + car[at.BODY_FY + 3])
    moment = (car[at.MOMENT] + car[at.MOMENT + 1]) + (car[at.MOMENT + 2] + car[at.MOMENT + 3])
    force_x = sum_x * inverse_mass
    force_y = sum_y * inverse_mass
    ax = force_x + rest_x
    ay = force_y + rest_y
    rolling = car[at.ROLLING_RESISTANCE] * load * inverse_mass
    new_vx, new_vy, slowed = body_velocity(vx, vy, ax, ay, rolling, dt)
    mean_x = 0.5 * (vx + new_vx)
    mean_y = 0.5 * (vy + new_vy)
    car[at.X] += dt * (c * mean_x - s * mean_y)
    car[at.Y] += dt * (s * mean_x + c * mean_y)
    car[at.YAW] += dt * yaw_rate
    car[at.VX], car[at.VY] = turned(new_vx, new_vy, dt * yaw_rate)
    car[at.YAW_RATE] = settled(yaw_rate + dt * (moment * car[at.INVERSE_YAW_INERTIA]))
    car[at.FORCE_X] = force_x
    car[at.FORCE_Y] = force_y
    slowing = slowed * car[at.INVERSE_DT]
    car[at.AX] = ax - slowing
    car[at.AY] = ay
    car[at.RESISTANCE] = slowing * car[at.MASS]
    car[at.SUBSTEPS] += 1.0


@inlined
def observe(car: Buffer) -> None:
    """Write what an observation shows. Wheel by wheel, which is its order."""
    at_rest = abs(car[at.VX]) + abs(car[at.VY]) < REST_MPS
    for k in range(at.X, at.YAW_RATE + 1):
        car[at.OBSERVED + k] = car[k]
    car[at.OBSERVED + 6] = car[at.AX]
    car[at.OBSERVED + 7] = car[at.AY]
    car[at.OBSERVED_BETA] = 0.0 if at_rest else angle_of(car[at.VY], car[at.VX])
    s, c = sine_and_cosine(car[at.YAW])
    rise_ahead = car[at.SLOPE_X] * c + car[at.SLOPE_Y] * s
    rise_left = car[at.SLOPE_Y] * c - car[at.SLOPE_X] * s
    lean = car[at.ROLL_PER_FORCE] * car[at.FORCE_Y]
    dive = 0.0 - car[at.PITCH_PER_FORCE] * car[at.FORCE_X]
    car[at.OBSERVED_ROLL] = lean + angle_of(rise_left, 1.0)
    car[at.OBSERVED_PITCH] = dive - angle_of(rise_ahead, 1.0)
    car[at.OBSERVED_TIME] = car[at.SUBSTEPS] * car[at.DT]
    for i in range(4):
        wheel = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i
        car[wheel] = car[at.FX + i]
        car[wheel + 1] = car[at.FY + i]
        car[wheel + 2] = car[at.FZ + i]
        car[wheel + 3] = 0.0 - angle_of(car[at.SLIP_Y + i], 1.0)
        car[wheel + 4] = car[at.SLIP_X + i]
        car[wheel + 5] = car[at.MU + i]
        car[wheel + 6] = car[at.MU + i] * car[at.PEAK_PER_MU]
        car[wheel + 7] = car[at.SPIN + i]
