"""What the assistance decides, compiled: for one car and for the lanes of a block.

    held inputs -> ESC: brake at one wheel, less drive -> traction control -> ABS -> wheels

Each system looks at the car as it is: speed of the contact points, wheel spins, forces and the slip
of the tyre's peak. Their only memory is the yaw rate that the driver wants, as fast as a car can
answer, and how far the front brakes may differ on split friction: a snapshot holds them.
What they know of the tyre and of the road is true: a car has to estimate it.

Slip control. J dw/dt = drive - brake - R Fx for each wheel; the torque that takes the spin to the
one of the wanted slip with the time constant `slip_time_s` follows from it, and what is asked
beyond that is withheld. In a turn less slip along is wanted: both slips together stay at the peak.

Number k of a car stands at k * wide + lane; `own` is where those of assist/layout.py begin.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assist import layout as of
from vdsim_plant.compiled.inlining import carray, inlined
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.equations import clamp
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.polynomials import exponential, sine_and_cosine

Buffer = NDArray[np.float64]
GRAVITY_MPS2 = 9.80665
LEAST_ROOM = 0.3  # for slip along, of the peak slip, however hard the turn
LEAST_SLIP_SPEED_MPS = 2.0  # traction control allows the slip that it would at this speed
SPLIT_FROM = 0.1  # difference of force over load, left and right, that split friction makes
KEPT_UNTIL_RADPS = 0.3  # of error; ESC takes drive and brakes back in proportion to it
TAKE, GIVE_BACK = 0, -1  # in place of a number of substeps


def assist_car(car_at: Any, car_size: int, substeps: int) -> None:
    """Decide for the coming substeps; with TAKE or GIVE_BACK put held inputs aside or back."""
    car = carray(car_at, (car_size,))
    act(car, car_size - of.SIZE, substeps, 0, 1)


def assist_blocks(
    blocks_at: Any,
    blocks_size: int,
    starts_at: Any,
    starts_size: int,
    first: int,
    last: int,
    substeps: int,
) -> None:
    """Do as `assist_car` for the cars of the blocks [first, last)."""
    blocks = carray(blocks_at, (blocks_size,))
    size = blocks_size // starts_size * LANES
    own = blocks_size // starts_size - of.SIZE
    for k in range(first, last):
        block = blocks[k * size : (k + 1) * size]
        for lane in range(LANES):
            act(block, own, substeps, lane, LANES)


@inlined
def act(car: Buffer, own: int, substeps: int, lane: int, wide: int) -> None:
    """Put the inputs aside, or take them up again and decide."""
    if substeps == TAKE:
        for k in range(5):
            car[(own + of.HELD + k) * wide + lane] = car[(at.TORQUE + k) * wide + lane]
        for k in range(4):
            car[(own + of.HELD + 5 + k) * wide + lane] = car[(at.BRAKE + k) * wide + lane]
        return
    for k in range(5):
        car[(at.TORQUE + k) * wide + lane] = car[(own + of.HELD + k) * wide + lane]
    for k in range(4):
        car[(at.BRAKE + k) * wide + lane] = car[(own + of.HELD + 5 + k) * wide + lane]
    if substeps > 0:
        decide(car, own, substeps * car[at.DT * wide + lane], lane, wide)


@inlined
def decide(car: Buffer, own: int, part_s: float, lane: int, wide: int) -> None:
    """Change drive, throttle and brakes for the coming substeps, which take `part_s`."""
    put_motor_torques(car, own, lane, wide)
    put_wheels(car, own, lane, wide)
    left = car[at.BRAKE * wide + lane]
    right = car[(at.BRAKE + 1) * wide + lane]
    kept_left = 1.0
    kept_right = 1.0
    if car[(own + of.STABILITY) * wide + lane] > 0.0:
        low, high = wanted_yaw_rates(car, own, part_s, lane, wide)
        kept, kept_left, kept_right = correct_yaw(car, own, low, high, lane, wide)
        car[at.THROTTLE * wide + lane] *= kept
        for i in range(4):
            drive = car[(at.TORQUE + i) * wide + lane]
            car[(at.TORQUE + i) * wide + lane] = drive * kept if drive > 0.0 else drive
            car[(own + of.MOTOR + i) * wide + lane] *= kept
    if car[(own + of.TRACTION) * wide + lane] > 0.0:
        car[at.THROTTLE * wide + lane] *= hold_back(car, own, lane, wide)
    if car[(own + of.ABS) * wide + lane] > 0.0:
        for i in range(4):
            car[(at.BRAKE + i) * wide + lane] = braked(car, own, i, lane, wide)
        # Both rear wheels as the one that grips less: the other keeps its side force.
        rear = min(car[(at.BRAKE + 2) * wide + lane], car[(at.BRAKE + 3) * wide + lane])
        car[(at.BRAKE + 2) * wide + lane] = rear
        car[(at.BRAKE + 3) * wide + lane] = rear
        build_up(car, own, left, right, part_s, lane, wide)
    for i in range(4):
        car[(at.BRAKE + i) * wide + lane] *= kept_right if i % 2 else kept_left


@inlined
def put_motor_torques(car: Buffer, own: int, lane: int, wide: int) -> None:
    """Write what the motor gives each wheel at the present speed [N m]."""
    throttle = car[at.THROTTLE * wide + lane]
    torque = 0.0
    if throttle != 0.0:
        front = 0.5 * (car[at.SPIN * wide + lane] + car[(at.SPIN + 1) * wide + lane])
        rear = 0.5 * (car[(at.SPIN + 2) * wide + lane] + car[(at.SPIN + 3) * wide + lane])
        split = car[at.MOTOR_SPLIT_FRONT * wide + lane]
        speed = abs(split * front + (1.0 - split) * rear) * car[at.MOTOR_RATIO * wide + lane]
        place = speed * car[at.MOTOR_STEP_INVERSE * wide + lane]
        place = clamp(place, 0.0, at.MOTOR_POINTS - 1.001)
        below = int(place)
        less = car[(at.MOTOR_TABLE + below) * wide + lane]
        more = car[(at.MOTOR_TABLE + below + 1) * wide + lane]
        torque = throttle * (less + (place - below) * (more - less))
    for i in range(4):
        gain = at.MOTOR_GAIN_FRONT if i < 2 else at.MOTOR_GAIN_REAR
        car[(own + of.MOTOR + i) * wide + lane] = torque * car[gain * wide + lane]


@inlined
def put_wheels(car: Buffer, own: int, lane: int, wide: int) -> None:
    """Write of each wheel the speed of its contact, its rim speed and the slip to aim at."""
    vx = car[at.VX * wide + lane]
    vy = car[at.VY * wide + lane]
    rate = car[at.YAW_RATE * wide + lane]
    s, c = sine_and_cosine(car[at.STEER * wide + lane])
    share = car[(own + of.SLIP_SHARE) * wide + lane]
    for i in range(4):
        x = vx - rate * car[(at.ARM_Y + i) * wide + lane]
        y = vy + rate * car[(at.ARM_X + i) * wide + lane]
        peaks = at.OBSERVED_WHEELS + at.OBSERVED_PER_WHEEL * i + at.OBSERVED_PEAKS
        sine, cosine = sine_and_cosine(min(car[peaks * wide + lane], 1.5))
        across = car[(at.SLIP_Y + i) * wide + lane] * cosine / sine
        room = math.sqrt(max(1.0 - across * across, LEAST_ROOM * LEAST_ROOM))
        slip = share * min(car[(peaks + 1) * wide + lane], 1.0) * room
        rim = car[(at.SPIN + i) * wide + lane] * car[at.RADIUS * wide + lane]
        car[(own + of.SPEED + i) * wide + lane] = x * c + y * s if i < 2 else x
        car[(own + of.RIM + i) * wide + lane] = rim
        car[(own + of.SLIP + i) * wide + lane] = min(slip, 0.9)


@inlined
def braked(car: Buffer, own: int, i: int, lane: int, wide: int) -> float:
    """Return the brake torque that keeps a wheel at the wanted slip [N m]."""
    asked: float = car[(at.BRAKE + i) * wide + lane]
    speed = car[(own + of.SPEED + i) * wide + lane]
    if asked <= 0.0 or abs(speed) < car[(own + of.SLOWEST) * wide + lane]:
        return asked
    ahead = 1.0 if speed > 0.0 else -1.0
    slip = car[(own + of.SLIP + i) * wide + lane]
    over = ahead * car[(own + of.RIM + i) * wide + lane] - (1.0 - slip) * abs(speed)
    # What drives is in the balance of the wheel as well.
    drive = car[(at.TORQUE + i) * wide + lane] + car[(own + of.MOTOR + i) * wide + lane]
    held = car[at.RADIUS * wide + lane] * car[(at.FX + i) * wide + lane]
    most: float = ahead * (drive - held) + car[(own + of.GAIN + i) * wide + lane] * over
    return min(asked, max(most, 0.0))


@inlined
def hold_back(car: Buffer, own: int, lane: int, wide: int) -> float:
    """Reduce what drives a wheel beyond the wanted slip; return the share of the throttle.

    Torques of single wheels are reduced by themselves. The motor has one torque for its wheels:
    at low speed the one that grips best decides, and the others are braked.
    """
    slow = abs(car[at.VX * wide + lane]) < car[(own + of.WHEEL_BRAKE_BELOW) * wide + lane]
    best = 0.0
    worst = 1.0
    driven = 0
    for i in range(4):
        share = taken_share(car, own, i, lane, wide)
        car[(own + of.SHARE + i) * wide + lane] = share
        if car[(own + of.MOTOR + i) * wide + lane] != 0.0:
            driven += 1
            best = max(best, share)
            worst = min(worst, share)
    if driven == 0:
        return 1.0
    kept = best if slow else worst
    for i in range(4):
        motor = car[(own + of.MOTOR + i) * wide + lane]
        spared = max(kept - car[(own + of.SHARE + i) * wide + lane], 0.0)
        car[(at.BRAKE + i) * wide + lane] += spared * abs(motor)
        car[(own + of.MOTOR + i) * wide + lane] = motor * kept
    return kept


@inlined
def taken_share(car: Buffer, own: int, i: int, lane: int, wide: int) -> float:
    """Return the share of the motor's torque that a wheel takes; reduce a torque of its own."""
    drive = car[(at.TORQUE + i) * wide + lane]
    motor = car[(own + of.MOTOR + i) * wide + lane]
    asked = drive + motor
    if asked == 0.0:
        return 1.0
    ahead = 1.0 if asked > 0.0 else -1.0
    speed = car[(own + of.SPEED + i) * wide + lane]
    most_slip = car[(own + of.SLIP + i) * wide + lane] * max(abs(speed), LEAST_SLIP_SPEED_MPS)
    under = ahead * (speed - car[(own + of.RIM + i) * wide + lane]) + most_slip
    held = car[at.RADIUS * wide + lane] * car[(at.FX + i) * wide + lane]
    most = max(ahead * held + car[(own + of.GAIN + i) * wide + lane] * under, 0.0)
    if abs(asked) <= most:
        return 1.0
    if motor == 0.0:
        car[(at.TORQUE + i) * wide + lane] = ahead * most
        return 1.0
    return clamp((ahead * most - drive) / motor, 0.0, 1.0)


@inlined
def wanted_yaw_rates(
    car: Buffer, own: int, part_s: float, lane: int, wide: int
) -> tuple[float, float]:
    """Return the least and the largest yaw rate [rad/s] that the driver may mean.

    It is the one that the steering asks for, within the grip, with its lag. Where one side
    grips less, a driver steers against the moment of the other; that is no wish to turn, and
    anything from none to what the angle asks for elsewhere may be meant.
    """
    vx = car[at.VX * wide + lane]
    wanted = car[at.YAW_RATE * wide + lane]
    if vx >= car[(own + of.SLOWEST_YAW) * wide + lane]:
        s, c = sine_and_cosine(car[at.STEER * wide + lane])
        understeer = car[(own + of.UNDERSTEER) * wide + lane]
        wanted = vx * (s / c) / (car[at.WHEELBASE * wide + lane] + understeer * vx * vx)
        front = car[at.MU * wide + lane] + car[(at.MU + 1) * wide + lane]
        rear = car[(at.MU + 2) * wide + lane] + car[(at.MU + 3) * wide + lane]
        grip = 0.25 * (front + rear)
        most = car[(own + of.GRIP_SHARE) * wide + lane] * grip * GRAVITY_MPS2 / vx
        wanted = clamp(wanted, -most, most)
    lag = car[(own + of.YAW_LAG) * wide + lane]
    if lag > 0.0:
        before = car[(own + of.WANTED) * wide + lane]
        wanted = before + (wanted - before) * (1.0 - exponential(-part_s / lag))
    car[(own + of.WANTED) * wide + lane] = wanted
    if side_that_pulls(car, lane, wide) * wanted < 0.0:
        return min(wanted, 0.0), max(wanted, 0.0)
    return wanted, wanted


@inlined
def side_that_pulls(car: Buffer, lane: int, wide: int) -> float:
    """Return the sign of the yaw moment of the front wheels' forces on split friction, or 0.

    It shows in their forces along over their loads: in a turn on even friction ABS leaves both
    with the same share, and without ABS the inner wheel, towards which one steers, has more.
    """
    left = car[at.FX * wide + lane] / max(car[at.FZ * wide + lane], 1.0)
    right = car[(at.FX + 1) * wide + lane] / max(car[(at.FZ + 1) * wide + lane], 1.0)
    if abs(right - left) < SPLIT_FROM:
        return 0.0
    return 1.0 if right > left else -1.0


@inlined
def correct_yaw(
    car: Buffer, own: int, low: float, high: float, lane: int, wide: int
) -> tuple[float, float, float]:
    """Brake one wheel towards the wanted yaw rates [rad/s]; return what is kept.

    Oversteer: the outer front wheel; understeer: the inner rear one. What is kept of the drive,
    and of the brakes on the left and on the right: the wrong side is released.
    """
    rate = car[at.YAW_RATE * wide + lane]
    error = rate - clamp(rate, low, high)
    over = abs(error) - car[(own + of.YAW_TOLERANCE) * wide + lane]
    if car[at.VX * wide + lane] < car[(own + of.SLOWEST_YAW) * wide + lane] or over <= 0.0:
        return 1.0, 1.0, 1.0
    axle = 0 if error * rate > 0.0 else 1  # it turns too far, or too little
    left = error < 0.0  # a brake on the left turns the car to the left
    moment = car[(own + of.YAW_MOMENT) * wide + lane] * over
    arm = car[(own + of.HALF_TRACK + axle) * wide + lane]
    wheel = 2 * axle + (0 if left else 1)
    car[(at.BRAKE + wheel) * wide + lane] += moment * car[at.RADIUS * wide + lane] / arm
    kept = max(1.0 - over / KEPT_UNTIL_RADPS, 0.0)
    return kept, 1.0 if left else kept, kept if left else 1.0


@inlined
def build_up(
    car: Buffer,
    own: int,
    asked_left: float,
    asked_right: float,
    part_s: float,
    lane: int,
    wide: int,
) -> None:
    """Let the front brakes come to differ slowly on split friction: a driver has to answer.

    The share of the difference that is let through grows to 1 over `yaw_build_up_s`, and shrinks
    as fast where both sides grip alike. Asked: of the front brakes [N m].
    """
    over_s = car[(own + of.BUILD_UP) * wide + lane]
    if over_s == 0.0 or car[(own + of.STABILITY) * wide + lane] == 0.0:
        return
    left = car[at.BRAKE * wide + lane]
    right = car[(at.BRAKE + 1) * wide + lane]
    of_left = left / max(car[at.FZ * wide + lane], 1.0)
    of_right = right / max(car[(at.FZ + 1) * wide + lane], 1.0)
    left_is_low = of_left < of_right
    apart = abs(of_right - of_left) / car[at.RADIUS * wide + lane]
    low = left if left_is_low else right
    high = right if left_is_low else left
    asked = asked_left if left_is_low else asked_right
    split = apart > SPLIT_FROM and low < asked
    through = car[(own + of.LET_THROUGH) * wide + lane] + (part_s if split else -part_s) / over_s
    through = clamp(through, 0.0, 1.0)
    car[(own + of.LET_THROUGH) * wide + lane] = through
    if split and car[at.VX * wide + lane] >= car[(own + of.SLOWEST_YAW) * wide + lane]:
        wheel = 1 if left_is_low else 0
        car[(at.BRAKE + wheel) * wide + lane] = low + through * (high - low)
