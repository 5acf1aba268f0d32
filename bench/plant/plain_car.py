"""Plain Python: the same car as vdsim_plant's numeric core, on floats in one flat function.

The same equations in the same order as plain_car.c; it reads the same numbers. This is what a
careful programmer writes without a compiler: no objects, no dictionaries, no numpy inside.
"""

from __future__ import annotations

from math import atan, cos, sin, sqrt

from vdsim_plant.kernel import layout as at


def clamp(value: float, low: float, high: float) -> float:
    """Return value within [low, high]."""
    return low if value < low else high if value > high else value


def friction(ground: list[float], x: float) -> float:
    """Return the friction at world x; ground: base mu, count, then x0, x1, mu each."""
    mu = ground[0]
    for k in range(int(ground[1])):
        if ground[2 + 3 * k] <= x < ground[3 + 3 * k]:
            mu = ground[4 + 3 * k]
    return mu


def advance(car: list[float], ground: list[float], substeps: int) -> None:
    """Advance the car by `substeps` with its inputs held."""
    car[at.SIN_STEER], car[at.COS_STEER] = sin(car[at.STEER]), cos(car[at.STEER])
    for _ in range(substeps):
        _substep(car, ground)


def expected(change: float, before: float) -> float:
    """Return the change to expect next: the smaller of the last two, 0 where signs differ."""
    if change * before <= 0.0:
        return 0.0
    return change if abs(change) < abs(before) else before


def _loads(car: list[float]) -> tuple[float, float, float, float]:
    speed_squared = car[at.VX] ** 2 + car[at.VY] ** 2
    weight = car[at.MASS] * car[at.GRAVITY_N]
    lift_front, lift_rear = car[at.LIFT_FRONT] * speed_squared, car[at.LIFT_REAR] * speed_squared
    total = max(0.0, weight - lift_front - lift_rear)
    front = weight * car[at.STATIC_FRONT] - lift_front - car[at.AXLE_TRANSFER] * car[at.EXPECTED_X]
    front = clamp(front, 0.0, total)
    half, half_rear = 0.5 * front, 0.5 * (total - front)
    moved = clamp(car[at.WHEEL_TRANSFER_FRONT] * car[at.EXPECTED_Y], -half, half)
    moved_rear = clamp(car[at.WHEEL_TRANSFER_REAR] * car[at.EXPECTED_Y], -half_rear, half_rear)
    return half - moved, half + moved, half_rear - moved_rear, half_rear + moved_rear


def _substep(car: list[float], ground: list[float]) -> None:
    dt, vx, vy, yaw_rate = car[at.DT], car[at.VX], car[at.VY], car[at.YAW_RATE]
    s, c = sin(car[at.YAW]), cos(car[at.YAW])
    sum_x = sum_y = moment = 0.0
    for i, wheel_load in enumerate(_loads(car)):
        mu = friction(ground, car[at.X] + c * car[at.ARM_X + i] - s * car[at.ARM_Y + i])
        body_fx, body_fy = _wheel(car, i, mu, wheel_load)
        sum_x += body_fx
        sum_y += body_fy
        moment += car[at.ARM_X + i] * body_fy - car[at.ARM_Y + i] * body_fx
    inverse_mass = car[at.INVERSE_MASS]
    square = vx * vx + vy * vy
    air = car[at.DRAG] * sqrt(square) * inverse_mass
    force_x, force_y = sum_x * inverse_mass, sum_y * inverse_mass
    yaw_acc = moment * car[at.INVERSE_YAW_INERTIA]
    change_x, change_y = force_x - car[at.FORCE_X], force_y - car[at.FORCE_Y]
    yaw_change = yaw_acc - car[at.YAW_ACC]
    rolls = 1.0 - max(0.0, 1.0 - square * car[at.INVERSE_STICK_SPEED_SQUARED])
    ahead_x = rolls * expected(change_x, car[at.CHANGE_X])
    ahead_y = rolls * expected(change_y, car[at.CHANGE_Y])
    ahead_yaw = rolls * expected(yaw_change, car[at.YAW_CHANGE])
    new_rate = yaw_rate + dt * (yaw_acc + 0.5 * ahead_yaw)
    half_angle = 0.25 * dt * (yaw_rate + new_rate)
    s, c = sin(car[at.YAW] + half_angle), cos(car[at.YAW] + half_angle)
    ax = force_x + car[at.GRAVITY_X] * c + car[at.GRAVITY_Y] * s - air * vx
    ay = force_y + car[at.GRAVITY_Y] * c - car[at.GRAVITY_X] * s - air * vy
    half = 0.5 * half_angle
    turn_c, turn_s = (1.0 - half * half) / (1.0 + half * half), 2.0 * half / (1.0 + half * half)
    mid_vx, mid_vy = vx * turn_c + vy * turn_s, vy * turn_c - vx * turn_s
    new_vx, new_vy = mid_vx + dt * (ax + 0.5 * ahead_x), mid_vy + dt * (ay + 0.5 * ahead_y)
    mean_x, mean_y = 0.5 * (mid_vx + new_vx), 0.5 * (mid_vy + new_vy)
    car[at.X] += dt * (c * mean_x - s * mean_y)
    car[at.Y] += dt * (s * mean_x + c * mean_y)
    car[at.YAW] += 2.0 * half_angle
    car[at.VX] = new_vx * turn_c + new_vy * turn_s
    car[at.VY] = new_vy * turn_c - new_vx * turn_s
    car[at.YAW_RATE] = new_rate
    car[at.FORCE_X], car[at.FORCE_Y], car[at.YAW_ACC] = force_x, force_y, yaw_acc
    car[at.EXPECTED_X], car[at.EXPECTED_Y] = force_x + ahead_x, force_y + ahead_y
    car[at.CHANGE_X], car[at.CHANGE_Y], car[at.YAW_CHANGE] = change_x, change_y, yaw_change
    car[at.AX], car[at.AY] = ax, ay
    car[at.SUBSTEPS] += 1.0


def _wheel(car: list[float], i: int, mu: float, load: float) -> tuple[float, float]:
    dt, radius = car[at.DT], car[at.RADIUS]
    c, s = (car[at.COS_STEER], car[at.SIN_STEER]) if i < 2 else (1.0, 0.0)
    at_x = car[at.VX] - car[at.YAW_RATE] * car[at.ARM_Y + i]
    at_y = car[at.VY] + car[at.YAW_RATE] * car[at.ARM_X + i]
    vx, vy = at_x * c + at_y * s, at_y * c - at_x * s
    scale = car[at.STIFFNESS_BASE] + mu * car[at.INVERSE_MU_NOMINAL]
    rest = max(0.0, 1.0 - (vx * vx + vy * vy) * car[at.INVERSE_STICK_SPEED_SQUARED])
    stick = rest * rest
    roll = max(abs(vx), car[at.SLIP_FLOOR] * (1.0 - stick))
    lag_x = stick * car[at.STICK_LENGTH] * scale + (1.0 - stick) * car[at.LENGTH_X]
    lag_y = stick * car[at.STICK_LENGTH] * scale + (1.0 - stick) * car[at.LENGTH_Y]
    damping = stick * car[at.STICK_DAMPING] / scale
    gain_x = 1.0 / (lag_x + roll)
    new_x = (lag_x * car[at.STRETCH_X + i] + (radius * car[at.SPIN + i] - vx)) * gain_x
    new_y = (lag_y * car[at.STRETCH_Y + i] - vy) / (lag_y + roll)
    slip_x = new_x + damping * lag_x * (new_x - car[at.STRETCH_X + i])
    slip_y = new_y + damping * lag_y * (new_y - car[at.STRETCH_Y + i])
    x, y = slip_x * car[at.INVERSE_KAPPA_PEAK + i], slip_y * car[at.INVERSE_ALPHA_PEAK + i]
    rho = max(sqrt(x * x + y * y), 1e-9)
    grip = mu * load / rho
    u = car[at.PEAK_X] * rho
    curve_x = sin(car[at.SHAPE_X] * atan(u))
    fx = grip * x * curve_x
    fy = grip * y * sin(car[at.SHAPE_Y] * atan(car[at.PEAK_Y] * rho))
    kept = 1.0 - stick * (1.0 - 1.0 / rho) if rho > 1.0 else 1.0
    car[at.STRETCH_X + i], car[at.STRETCH_Y + i] = new_x * kept, new_y * kept
    drive = car[at.TORQUE + i]
    brake = car[at.BRAKE + i]
    slope = sqrt(1.0 - curve_x * curve_x) * u * car[at.SHAPE_X] / (1.0 + u * u)
    fall = x * x / (rho * rho) * ((-slope if rho > 1.0 else slope) - curve_x)
    stiffness = grip * car[at.INVERSE_KAPPA_PEAK + i] * max(0.0, curve_x + fall)
    per_spin = stiffness * gain_x * (1.0 + damping * lag_x) * radius
    z = radius * per_spin * car[at.SPIN_PER_TORQUE + i]
    phi = (1.0 + z * (0.1 + z / 60.0)) / (1.0 + z * (0.6 + z * (0.15 + z / 60.0)))
    gain = car[at.SPIN_PER_TORQUE + i] * phi
    rate = car[at.AX] + car[at.VY] * car[at.YAW_RATE]
    rate *= clamp(1.0 + (new_x if vx > 0.0 else -new_x), 0.0, 2.0)
    free = car[at.SPIN + i] + gain * (drive - radius * fx) + (1.0 - phi) * rate * dt / radius
    spin = clamp(free, -car[at.SPIN_MAX], car[at.SPIN_MAX])
    hold = (brake + car[at.ROLLING_RESISTANCE] * radius * load) * gain
    car[at.SPIN + i] = spin - clamp(spin, -hold, hold)
    return fx * c - fy * s, fx * s + fy * c
