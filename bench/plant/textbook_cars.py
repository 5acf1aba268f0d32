"""Cars from the textbook, for the judge of identification: written without a look at what it fits.

A double track after Rajamani, Vehicle Dynamics and Control (2012), chapters 8 and 13: Dugoff's tyre
with the friction reduced by the speed of sliding, a cornering stiffness that is a parabola over the
load, first-order relaxation; pitch and roll are damped oscillators that move the loads. The wheels'
torques are held from row to row. The drives are those of the other foreign cars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP_S = 5e-4
GRAVITY = 9.81
RIG_MPS, RIG_DEG = 20.0, 15.0


@dataclass(frozen=True, kw_only=True)
class TextbookCar:
    """SI units; front axle first where there are two."""

    name: str
    mass: float
    yaw_inertia: float
    to_front: float
    to_rear: float
    height: float
    track: float
    cornering: tuple[float, float]
    """Of a wheel at its static load [N/rad]."""
    bend: float
    """K / K0 = l (1 + bend (1 - l)), l the load over the static one."""
    along: float
    """Longitudinal stiffness over the load."""
    friction: float
    fading: float
    """Of the friction, per speed of sliding [s/m]."""
    relaxation: float
    roll_share: float
    """Of the front axle, of the load that roll moves."""
    roll_hz: float
    pitch_hz: float
    radius: float = 0.33
    spin_inertia: float = 1.4
    rolling: float = 0.012
    drag_area: float = 0.7
    front_drive: float = 1.0
    front_brake: float = 0.66
    steer_delay: float = 0.02
    steer_lag: float = 0.05
    steer_offset: float = 0.002

    @property
    def wheelbase(self) -> float:
        """Between the axles."""
        return self.to_front + self.to_rear


@njit(cache=False)
def _dugoff(
    cs: float, ca: float, mu: float, load: float, s: float, t: float
) -> tuple[float, float]:
    """Return the forces of a slip ratio s and a tangent t of the slip angle."""
    longest = math.hypot(cs * s, ca * t)
    if longest < 1e-9:
        return 0.0, 0.0
    share = mu * load / (2.0 * longest)
    weight = share * (2.0 - share) if share < 1.0 else 1.0
    return cs * s * weight, ca * t * weight


@njit(cache=False)
def _drive(p: Array, steer: Array, torque: Array, start: float, steps: int) -> Array:
    (m, iz, a, b, h, tw, kf, kr, bend, cs, mu0, fade, sig, share, wr, wp) = p[:16]
    (rad, iw, roll, cda, lag) = p[16:21]
    n = len(steer)
    out = np.zeros((n, 9))
    vx, vy, r = start, 0.0, 0.0
    spin = np.full(4, start / rad)
    slip = np.zeros(4)
    moved_x, rate_x, moved_y, rate_y = 0.0, 0.0, 0.0, 0.0
    ax, ay, delta, dt = 0.0, 0.0, steer[0], 5e-4
    still = np.array([b, b, a, a]) * m * 9.81 / (2.0 * (a + b))
    for k in range(n):
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = vx, vy, r, ax, ay
        out[k, 5:9] = spin
        for _ in range(steps):
            delta += dt * (steer[k] - delta) / lag
            # The accelerations that the loads follow, as damped oscillators.
            rate_x += dt * (wp * wp * (ax - moved_x) - 0.8 * wp * rate_x)
            moved_x += dt * rate_x
            rate_y += dt * (wr * wr * (ay - moved_y) - 0.7 * wr * rate_y)
            moved_y += dt * rate_y
            pitch = m * h * moved_x / (2.0 * (a + b))
            rolled = m * h * moved_y / tw
            fx_sum, fy_sum, mz = 0.0, 0.0, 0.0
            for i in range(4):
                x = a if i < 2 else -b
                y = 0.5 * tw if i % 2 == 0 else -0.5 * tw
                part = share if i < 2 else 1.0 - share
                load = still[i] + (-pitch if i < 2 else pitch)
                load = max(load + (-rolled if i % 2 == 0 else rolled) * part, 10.0)
                c, s = (math.cos(delta), math.sin(delta)) if i < 2 else (1.0, 0.0)
                u, v = vx - r * y, vy + r * x
                along, across = u * c + v * s, v * c - u * s
                speed = max(abs(along), 0.5)
                slip[i] += dt * speed / sig * (-across / speed - slip[i])
                rim = spin[i] * rad
                ratio = (rim - along) / max(abs(rim), speed)
                size = load / still[i]
                stiff = (kf if i < 2 else kr) * size * max(1.0 + bend * (1.0 - size), 0.2)
                sliding = math.hypot(rim - along, across)
                mu = mu0 * max(1.0 - fade * sliding, 0.3)
                fx, fy = _dugoff(cs * load, stiff, mu, load, ratio, slip[i])
                fx_sum += fx * c - fy * s
                fy_sum += fx * s + fy * c
                mz += x * (fx * s + fy * c) - y * (fx * c - fy * s)
                t = torque[k, i]
                hold = (max(-t, 0.0) + roll * load * rad) * dt
                inertia = iw + dt * rad * rad * cs * load / speed
                new = spin[i] + (max(t, 0.0) - fx * rad) * dt / inertia
                spin[i] = math.copysign(max(abs(new) - hold / inertia, 0.0), new)
            fx_sum -= 0.5 * 1.225 * cda * vx * abs(vx)
            ax, ay = fx_sum / m, fy_sum / m
            vx, vy = vx + dt * (ax + r * vy), vy + dt * (ay - r * vx)
            r += dt * mz / iz
    return out


def driven(
    car: TextbookCar, steer: Array, push: Array, period_s: float, start: float = 12.0
) -> dict[str, Array]:
    """Drive by angles [rad] and accelerations asked for [m/s2]; every channel without noise."""
    front = np.where(push > 0.0, car.front_drive, car.front_brake)
    shares = 0.5 * np.stack((front, front, 1.0 - front, 1.0 - front), axis=1)
    torque = shares * (push * car.mass * car.radius)[:, np.newaxis]
    steps = round(period_s / STEP_S)
    late = round(car.steer_delay / STEP_S)
    fine = np.concatenate((np.full(late, steer[0]), np.repeat(steer, steps)))
    fine = fine[: len(steer) * steps] + car.steer_offset
    numbers = np.array(
        [
            *(car.mass, car.yaw_inertia, car.to_front, car.to_rear, car.height, car.track),
            *(*car.cornering, car.bend, car.along, car.friction, car.fading, car.relaxation),
            *(car.roll_share, 2.0 * math.pi * car.roll_hz, 2.0 * math.pi * car.pitch_hz),
            *(car.radius, car.spin_inertia, car.rolling, car.drag_area, car.steer_lag),
        ]
    )
    out = _drive(numbers, fine, np.repeat(torque, steps, axis=0), start, 1)[::steps]
    names = ("vx_mps", "vy_mps", "yaw_rate_radps", "ax_mps2", "ay_mps2")
    columns = {name: out[:, k].copy() for k, name in enumerate(names)}
    for k, wheel in enumerate(("fl", "fr", "rl", "rr")):
        columns[f"wheel_spin_radps_{wheel}"] = out[:, 5 + k].copy()
        columns[f"wheel_torque_nm_{wheel}"] = torque[:, k].copy()
    columns["command_steer_rad"] = steer.copy()
    columns["time_s"] = period_s * np.arange(len(steer))
    return columns


def axle_stiffness(car: TextbookCar) -> tuple[float, float]:
    """Return side force over slip angle of both axles, in a bend of 0.1 g at 20 m/s [N/rad]."""
    base = car.to_front + car.to_rear
    steer = np.full(800, 0.981 * (base / 400.0 + 0.003))
    d = driven(car, steer - car.steer_offset, np.full(800, 0.15), 0.01, start=20.0)
    vx, vy, r, ay = (float(d[n][-1]) for n in ("vx_mps", "vy_mps", "yaw_rate_radps", "ay_mps2"))
    force = car.mass * ay / base
    front = steer[-1] - math.atan((vy + car.to_front * r) / vx)
    rear = -math.atan((vy - car.to_rear * r) / vx)
    return force * car.to_rear / front, force * car.to_front / rear


def peak_friction(car: TextbookCar) -> float:
    """Return what a rig measures: the most side force over the load, at 20 m/s, up to 15 degrees.

    Of a wheel at its static load, mean of both axles. Dugoff's force comes near to the friction and
    does not reach it, and sliding takes some of that away: the law's own number shows in no test.
    """
    found = []
    for axle, arm in enumerate((car.to_rear, car.to_front)):
        load = 0.5 * car.mass * GRAVITY * arm / car.wheelbase
        angles = np.radians(np.linspace(0.5, RIG_DEG, 200))
        forces = []
        for slip in np.tan(angles).tolist():
            sliding = RIG_MPS * math.sin(math.atan(slip))
            mu = car.friction * max(1.0 - car.fading * sliding, 0.3)
            forces.append(_dugoff(car.along * load, car.cornering[axle], mu, load, 0.0, slip))
        found.append(max(across for _, across in forces) / load)
    return sum(found) / len(found)


def truth_of(car: TextbookCar, area: float) -> dict[str, float]:
    """Return what tests of the car measure. `area`: that the drag coefficient is for [m2]."""
    front, rear = axle_stiffness(car)
    base = car.to_front + car.to_rear
    return {
        "body.mass_kg": car.mass,
        "body.yaw_inertia_kgm2": car.yaw_inertia,
        "body.cg_to_front_axle_m": car.to_front,
        "body.cg_height_m": car.height,
        "axles.cornering_stiffness_front_n_per_rad": front,
        "axles.cornering_stiffness_rear_n_per_rad": rear,
        "understeer_gradient": car.mass / base * (car.to_rear / front - car.to_front / rear),
        "road.mu": peak_friction(car),
        "tyre.mf96.slip_stiffness_per_load": car.along,
        "tyre.relaxation_length_lateral_m": car.relaxation,
        "tyre.rolling_resistance": car.rolling,
        "aero.drag_coefficient": car.drag_area / area,
        "wheels.radius_m": car.radius,
        "wheels.inertia_front_kgm2": car.spin_inertia,
        "steering.offset_rad": car.steer_offset,
        "actuator.steering.delay_s": car.steer_delay,
        "actuator.steering.lag_s": car.steer_lag,
        "wheel_torque.delay_s": 0.0,
    }


def textbook_car(number: int) -> TextbookCar:
    """Return a car: hatchback, saloon, pick-up in turn, each drawn about its figures."""
    rng = np.random.default_rng(3100 + number)

    def near(value: float, by: float = 0.12) -> float:
        return float(value * math.exp(rng.uniform(-by, by)))

    kind = number % 3
    mass = near((1250.0, 1650.0, 2050.0)[kind])
    base = near((2.55, 2.8, 3.15)[kind], 0.03)
    share = float(rng.uniform(*((0.38, 0.42), (0.44, 0.5), (0.45, 0.52))[kind]))
    to_front = share * base
    weight = 0.5 * mass * GRAVITY
    front, rear = weight * (1.0 - share), weight * share
    return TextbookCar(
        name=("hatchback", "saloon", "pick-up")[kind],
        mass=mass,
        yaw_inertia=near(mass * to_front * (base - to_front), 0.08),
        to_front=to_front,
        to_rear=base - to_front,
        height=near((0.52, 0.55, 0.72)[kind], 0.06),
        track=near((1.48, 1.56, 1.66)[kind], 0.03),
        cornering=(near(15.0 * front), near(20.0 * rear)),
        bend=float(rng.uniform(0.15, 0.4)),
        along=near(20.0),
        friction=near(0.9, 0.08),
        fading=float(rng.uniform(0.0, 0.012)),
        relaxation=near(0.3, 0.3),
        roll_share=float(rng.uniform(0.5, 0.62)),
        roll_hz=near((2.0, 1.8, 1.6)[kind]),
        pitch_hz=near((1.9, 1.7, 1.6)[kind]),
        radius=near(0.33, 0.05),
        drag_area=near(0.7),
        front_drive=(1.0, 0.5, 0.0)[kind],
        steer_lag=near(0.05, 0.3),
        steer_offset=float(rng.uniform(-0.005, 0.005)),
    )
