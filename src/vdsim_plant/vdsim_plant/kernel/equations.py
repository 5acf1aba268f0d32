"""The car as equations: scalar functions of one car or one wheel, without state or loops.

Legend. Wheel frame: x where the wheel points, y to its left; Vx, Vy velocity of the contact point;
R rolling radius, w spin, Fz load, mu friction. kappa = (R w - Vx) / |Vx| slip ratio,
alpha = atan(Vy / |Vx|) slip angle (with |Vx|, so that reverse is as physical as forward).

Tyre: mf96.py.

Low speed: the slip of the contact patch follows `length ds/dt + |Vx| s = Vslip` (single contact
point model, ibid. ch. 7-8). Above the stick speed the length is the tyre's relaxation length, 0
by default: slip is then Vslip / |Vx| at once. Towards standstill it blends into a short stick
length: the patch becomes a damped spring that carries a standing car on a slope without creep,
and that lets go at mu Fz. All updates are implicit, so that no step size makes them chatter.

Order of accuracy: two, between events (a wheel that locks, an edge of the friction, a new input).
The spins take an exponential step with the slope of the force (Rosenbrock-Euler: M. Hochbruck,
A. Ostermann, Exponential integrators, Acta Numerica 2010). The body's forces are carried on to the
middle of the substep by their last change, as in the method of Adams and Bashforth, and to its end
for the wheel loads; the change is limited, so that what oscillates from substep to substep is not
carried on. The frame turns by half of the substep's angle before the forces act and by half after.
"""

from __future__ import annotations

import math

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.polynomials import sine_and_cosine

FULL = 0.999999999999998  # rounding in sine and in the split must not lift |F| over mu Fz
SETTLED = 1e-50
REST_ACCELERATION = 1e-9  # [m/s2, rad/s2] what it takes to move a body at rest
TINY = 1e-18  # of squared slip in units of the peak slip


@inlined
def clamp(value: float, low: float, high: float) -> float:
    """Return `value` within [low, high]."""
    value = low if value < low else value
    return high if value > high else value


@inlined
def settled(value: float) -> float:
    """Return 0 for what has died away: denormal numbers make arithmetic slow."""
    return value if abs(value) > SETTLED else 0.0


@inlined
def moved(value: float, dt: float) -> float:
    """Return a body's speed, and 0 for one that is rounding: a standing car stands exactly."""
    return value if abs(value) > REST_ACCELERATION * dt else 0.0


@inlined
def axle_loads(
    weight: float,
    static_front: float,
    axle_transfer: float,
    force_x: float,
    lift_front: float,
    lift_rear: float,
    speed_squared: float,
) -> tuple[float, float]:
    """Return front and rear axle load [N], neither below 0; their sum is weight minus lift."""
    front_lift = lift_front * speed_squared
    total = weight - front_lift - lift_rear * speed_squared
    total = 0.0 if total < 0.0 else total
    front = weight * static_front - front_lift - axle_transfer * force_x
    front = clamp(front, 0.0, total)
    return front, total - front


@inlined
def moved_load(axle_load: float, wheel_transfer: float, force_y: float) -> float:
    """Return the load [N] that moves from the left to the right wheel: turning left is positive."""
    half = 0.5 * axle_load
    return clamp(wheel_transfer * force_y, -half, half)


@inlined
def standing_tyre(
    mu: float,
    stiffness_base: float,
    stiffness_per_mu: float,
    stick_length: float,
    stick_damping: float,
) -> tuple[float, float]:
    """Return length and damping of the standing tyre on a friction, for `transient_slip`.

    Stiffness over its nominal value is `stiffness_base + mu * stiffness_per_mu`: with these the
    spring and the damper of a standing tyre do not depend on the friction of the road.
    """
    scale = fma(mu, stiffness_per_mu, stiffness_base)
    return stick_length * scale, stick_damping / scale


@inlined
def patch_speed(
    vx: float, vy: float, yaw_rate: float, arm_x: float, arm_y: float, c: float, s: float
) -> tuple[float, float]:
    """Return the velocity of a contact point in its wheel's frame.

    Velocities and arms are the body's, c and s the steer angle's.
    """
    at_x = fma(-yaw_rate, arm_y, vx)
    at_y = fma(yaw_rate, arm_x, vy)
    return fma(at_x, c, at_y * s), fma(at_y, c, -(at_x * s))


@inlined
def patch_lag(
    vx: float,
    vy: float,
    inverse_stick_speed_squared: float,
    slip_floor: float,
    stick_length: float,
    length_x: float,
    length_y: float,
) -> tuple[float, float, float, float, float]:
    """Return (stick weight, lag along, across, slip per speed along, across) of a patch.

    Lengths come over the substep; that of the standing tyre is of `standing_tyre`.
    """
    rest = fma(-fma(vx, vx, vy * vy), inverse_stick_speed_squared, 1.0)
    rest = 0.0 if rest < 0.0 else rest
    stick = rest * rest
    roll = abs(vx)
    rolling = 1.0 - stick
    floor = slip_floor * rolling
    roll = floor if roll < floor else roll
    standing = stick * stick_length
    lag_x = fma(rolling, length_x, standing)
    lag_y = fma(rolling, length_y, standing)
    # One division for two: the reciprocals of both denominators.
    bottom_x = lag_x + roll
    bottom_y = lag_y + roll
    inverse = 1.0 / (bottom_x * bottom_y)
    return stick, lag_x, lag_y, bottom_y * inverse, bottom_x * inverse


@inlined
def followed(stretch: float, lag: float, sliding: float, gain: float) -> float:
    """Return the stretch after a backward step of `lag ds + roll s = sliding`."""
    return fma(lag, stretch, sliding) * gain


@inlined
def transient_slip(
    vx: float,
    vy: float,
    rim_speed: float,
    stretch_x: float,
    stretch_y: float,
    damping: float,
    lag_x: float,
    lag_y: float,
    gain_x: float,
    gain_y: float,
) -> tuple[float, float, float, float, float]:
    """Return (slip_x, slip_y, stretch_x, stretch_y, slip per rim speed) from `patch_lag`."""
    new_x = settled(followed(stretch_x, lag_x, rim_speed - vx, gain_x))
    new_y = settled(followed(stretch_y, lag_y, -vy, gain_y))
    damping_x = damping * lag_x
    slip_x = fma(damping_x, new_x - stretch_x, new_x)
    slip_y = fma(damping * lag_y, new_y - stretch_y, new_y)
    return slip_x, slip_y, new_x, new_y, fma(gain_x, damping_x, gain_x)


@inlined
def slip_length(x: float, y: float) -> tuple[float, float, float]:
    """Return (rho, 1 / rho, 1 / rho^2), rho the length of a slip vector; it is at least 1e-9."""
    square = fma(x, x, y * y)
    square = TINY if square < TINY else square
    rho = math.sqrt(square)
    inverse_square = 1.0 / square
    return rho, rho * inverse_square, inverse_square


@inlined
def kept_stretch(inverse_rho: float, stick: float) -> float:
    """Return the factor that keeps a sliding patch near standstill from winding up past its peak.

    Without it a car that slid to rest would be pushed back while the patch unwinds.
    """
    over = 1.0 - inverse_rho
    return fma(-stick, 0.0 if over < 0.0 else over, 1.0)


@inlined
def speed_share(slip: float, speed: float) -> float:
    """Return R w / Vx from the slip ratio: how much of a change of speed is a change of slip."""
    share = 1.0 + (slip if speed > 0.0 else -slip)
    return clamp(share, 0.0, 2.0)


@inlined
def free_spin(
    spin: float,
    torque: float,
    slope: float,
    slope_unit: float,
    spin_per_torque: float,
    balance_moves: float,
) -> tuple[float, float]:
    """Return the new spin without brake, and how much of the next a torque [N m] changes.

    An exponential step: `slope` over `slope_unit` is z, the share of a time constant in which the
    torque pulls the spin towards balance that a substep takes. Where the force falls with slip
    nothing pulls, z is 0 and the step is explicit. `balance_moves` [rad/s] is how far the balance
    itself goes in the substep, `spin_per_torque` is dt over the inertia.

    phi = (1 - exp(-z)) / z comes by its Pade approximant (2, 3): exact to z^5, and 1 / z where z is
    large, as for a backward step. It is one division for the slope's own and for phi.
    """
    a = slope
    b = slope_unit
    square = 60.0 * (b * b)
    cube = square * b
    top = fma(a, fma(6.0, b, a), square) * b
    bottom = fma(a, fma(a, fma(9.0, b, a), 0.6 * square), cube)
    phi = top / bottom
    gain = spin_per_torque * phi
    return fma(gain, torque, fma(1.0 - phi, balance_moves, spin)), gain


@inlined
def joined_spin(
    left: float, right: float, left_gain: float, right_gain: float
) -> tuple[float, float]:
    """Return spin and gain of two wheels on a locked axle: one wheel with both inertias."""
    inverse = 1.0 / (left_gain + right_gain)
    return (left * right_gain + right * left_gain) * inverse, left_gain * right_gain * inverse


@inlined
def braked_spin(spin: float, gain: float, hold: float, spin_max: float) -> float:
    """Return the new spin [rad/s] from the one without brake.

    `hold` [N m], of brake and rolling resistance, opposes it and holds it at 0: it never drives.
    """
    spin = clamp(spin, -spin_max, spin_max)
    grip = hold * gain
    return settled(spin - clamp(spin, -grip, grip))


@inlined
def turned(vx: float, vy: float, angle: float) -> tuple[float, float]:
    """Return a velocity as seen from a frame turned by a small angle; its length is kept."""
    half = 0.5 * angle
    scale = 1.0 / (1.0 + half * half)
    c = (1.0 - half * half) * scale
    s = 2.0 * half * scale
    return fma(vx, c, vy * s), fma(vy, c, -(vx * s))


@inlined
def expected_change(change: float, before: float) -> float:
    """Return the change to expect next: the smaller of the last two, 0 where their signs differ."""
    small = change if abs(change) < abs(before) else before
    return small if change * before > 0.0 else 0.0


@inlined
def on_body(
    fx: float, fy: float, c: float, s: float, arm_x: float, arm_y: float
) -> tuple[float, float, float]:
    """Return a wheel's force in the body frame and its moment about the centre of gravity [N m].

    c and s are the steer angle's, the arms those of the contact point.
    """
    body_fx = fma(fx, c, -(fy * s))
    body_fy = fma(fx, s, fy * c)
    return body_fx, body_fy, fma(arm_x, body_fy, -(arm_y * body_fx))


@inlined
def body_step(
    x: float,
    y: float,
    yaw: float,
    vx: float,
    vy: float,
    yaw_rate: float,
    sum_x: float,
    sum_y: float,
    moment: float,
    old_force_x: float,
    old_force_y: float,
    old_yaw_acc: float,
    old_change_x: float,
    old_change_y: float,
    old_yaw_change: float,
    gravity_x: float,
    gravity_y: float,
    drag: float,
    inverse_mass: float,
    inverse_yaw_inertia: float,
    inverse_stick_speed_squared: float,
    dt: float,
) -> tuple[
    float, float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float,
]:  # fmt: skip
    """Return what the layout holds from X to YAW_CHANGE, then ax and ay, after dt.

    Velocities from the forces first, then the pose with the mean velocity, all of it in the frame
    of the substep's middle. Below the stick speed forces are not carried on: what holds a standing
    car must not move ahead of it.
    """
    square = fma(vx, vx, vy * vy)
    air = drag * math.sqrt(square) * inverse_mass
    rest = fma(-square, inverse_stick_speed_squared, 1.0)
    rolls = 1.0 - (0.0 if rest < 0.0 else rest)
    force_x = sum_x * inverse_mass
    force_y = sum_y * inverse_mass
    yaw_acc = moment * inverse_yaw_inertia
    change_x = force_x - old_force_x
    change_y = force_y - old_force_y
    yaw_change = yaw_acc - old_yaw_acc
    ahead_x = rolls * expected_change(change_x, old_change_x)
    ahead_y = rolls * expected_change(change_y, old_change_y)
    ahead_yaw = rolls * expected_change(yaw_change, old_yaw_change)
    new_rate = moved(fma(dt, fma(0.5, ahead_yaw, yaw_acc), yaw_rate), dt)
    half_angle = 0.25 * dt * (yaw_rate + new_rate)
    s, c = sine_and_cosine(yaw + half_angle)
    rest_x = fma(-air, vx, fma(gravity_x, c, gravity_y * s))
    rest_y = fma(-air, vy, fma(gravity_y, c, -(gravity_x * s)))
    ax = force_x + rest_x
    ay = force_y + rest_y
    mid_vx, mid_vy = turned(vx, vy, half_angle)
    new_vx = moved(fma(dt, fma(0.5, ahead_x, ax), mid_vx), dt)
    new_vy = moved(fma(dt, fma(0.5, ahead_y, ay), mid_vy), dt)
    mean_x = 0.5 * (mid_vx + new_vx)
    mean_y = 0.5 * (mid_vy + new_vy)
    turned_vx, turned_vy = turned(new_vx, new_vy, half_angle)
    return (
        fma(dt, fma(c, mean_x, -(s * mean_y)), x),
        fma(dt, fma(s, mean_x, c * mean_y), y),
        fma(2.0, half_angle, yaw),
        turned_vx,
        turned_vy,
        new_rate,
        force_x,
        force_y,
        yaw_acc,
        force_x + ahead_x,
        force_y + ahead_y,
        change_x,
        change_y,
        yaw_change,
        ax,
        ay,
    )
