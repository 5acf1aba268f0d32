"""Cars that are not of the plant's kind, their test drives, and what a test of them measures.

Double tracks in equations of their own: a body that rolls, loads that come with it, tyres with
relaxation, a stiffness and a friction that fall with the load, axles that give way. Three tyre laws
that are not the plant's. What they measure has noise; what counts as true is measured on them too,
by a test that knows the car (`truth_of`), and is written before any fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP_S = 5e-4
GRAVITY = 9.81
AIR = 1.225
PARABOLA, TANGENT, SINE = 0, 1, 2
"""Tyre laws: a brush with a parabolic pressure, a hyperbolic tangent, a sine of an arctangent."""


@dataclass(frozen=True, kw_only=True)
class ForeignCar:
    """A car of its own equations; SI units, front axle first where there are two."""

    name: str
    law: int
    mass: float = 1600.0
    yaw_inertia: float = 2600.0
    wheelbase: float = 2.7
    to_front: float = 1.25
    height: float = 0.55
    track: float = 1.55
    roll_inertia: float = 600.0
    roll_stiffness: tuple[float, float] = (60e3, 50e3)
    roll_damping: float = 5e3
    roll_centre: tuple[float, float] = (0.05, 0.1)
    axle_stiffness: tuple[float, float] = (130e3, 160e3)
    """Of the tyres alone, both wheels at their static loads [N/rad]."""
    saturation_load: float = 2.0
    """K ~ sin(2 atan(Fz / (this Fz0)))."""
    slip_stiffness: float = 20.0
    mu: float = 0.9
    mu_along: float = 0.95
    mu_loss: float = 0.1
    relaxation: float = 0.3
    compliance: tuple[float, float] = (0.0, 0.0)
    """Steer of an axle against its side force [rad/N]."""
    roll_steer: tuple[float, float] = (0.0, 0.0)
    radius: float = 0.32
    wheel_inertia: float = 1.2
    rolling: float = 0.011
    drag_area: float = 0.65
    front_drive: float = 0.5
    front_brake: float = 0.65
    steer_delay: float = 0.03
    steer_lag: float = 0.06
    steer_offset: float = 0.004
    tilts: bool = False
    """Whether the accelerometer rolls with the body."""


@njit(cache=False)
def _law(kind: int, stiff: float, most: float, slip: float) -> float:
    """Force over slip >= 0."""
    if kind == 0:
        x = stiff * slip / (3.0 * most)
        return most if x >= 1.0 else most * x * (3.0 - 3.0 * x + x * x)
    if kind == 1:
        return most * math.tanh(stiff * slip / most)
    c = 1.45
    return most * math.sin(c * math.atan(stiff * slip / (c * most)))


@njit(cache=False)
def _drive(p: Array, steer: Array, torque: Array, start: float, steps: int) -> Array:
    """Simulate; inputs a row each `steps` steps, held. Outputs: one row each before its steps."""
    (kind, m, iz, wb, a, h, tw, ix, krf, krr, cr, hf, hr, kf, kr, cs, ks, mu, mux, q) = p[:20]
    (sig, cf, crr, ef, er, rad, iw, roll, cda, lag, _) = p[20:31]
    b = wb - a
    n = len(steer)
    out = np.zeros((n, 24))
    vx, vy, r, phi, dphi = start, 0.0, 0.0, 0.0, 0.0
    spin = np.full(4, start / rad)
    alpha = np.zeros(4)
    fx, fy, fz = np.zeros(4), np.zeros(4), np.zeros(4)
    delta = steer[0]
    static = np.array([m * 9.81 * b / wb / 2, m * 9.81 * b / wb / 2, 0.0, 0.0])
    static[2] = static[3] = m * 9.81 * a / wb / 2
    norm = math.sin(2.0 * math.atan(1.0 / cs))
    ax, ay, carried = 0.0, 0.0, 0.0
    dt = 5e-4
    arm = h - (hf * b + hr * a) / wb
    for k in range(n):
        row = out[k]
        row[0], row[1], row[2], row[3], row[4] = vx, vy, r, ax, ay
        row[5], row[6], row[7] = phi, delta, dphi
        for i in range(4):
            row[8 + i], row[12 + i], row[16 + i], row[20 + i] = spin[i], fx[i], fy[i], fz[i]
        for _ in range(steps):
            delta += dt * (steer[k] - delta) / lag
            carried += dt * (ax - carried) / 0.08
            moved = m * carried * h / wb / 2
            front, rear = fy[0] + fy[1], fy[2] + fy[3]
            lf = (krf * phi + cr * 0.5 * dphi + front * hf) / tw
            lr = (krr * phi + cr * 0.5 * dphi + rear * hr) / tw
            fz[0] = max(static[0] - moved - lf, 1.0)
            fz[1] = max(static[1] - moved + lf, 1.0)
            fz[2] = max(static[2] + moved - lr, 1.0)
            fz[3] = max(static[3] + moved + lr, 1.0)
            sx = sy = mz = 0.0
            for i in range(4):
                x = a if i < 2 else -b
                y = 0.5 * tw if i % 2 == 0 else -0.5 * tw
                if i < 2:
                    angle = delta - cf * front + ef * phi
                else:
                    angle = -crr * rear + er * phi
                s, c = math.sin(angle), math.cos(angle)
                u, v = vx - r * y, vy + r * x
                along, across = u * c + v * s, v * c - u * s
                speed = max(abs(along), 0.5)
                alpha[i] += dt * speed / sig * (-across / speed - alpha[i])
                kappa = (spin[i] * rad - along) / speed
                load = fz[i]
                share = 1.0 - q * (load / static[i] - 1.0)
                stiff = (kf if i < 2 else kr) * 0.5
                stiff *= math.sin(2.0 * math.atan(load / (cs * static[i]))) / norm
                most, mostx = mu * share * load, mux * share * load
                kx = ks * load
                # Slips in units of what each direction can take; its length enters the law.
                ex, ey = kx * kappa / mostx, stiff * alpha[i] / most
                rho = math.hypot(ex, ey)
                if rho > 1e-9:
                    part = _law(int(kind), 1.0, 1.0, rho) / rho
                    fx[i], fy[i] = mostx * part * ex, most * part * ey
                else:
                    fx[i], fy[i] = 0.0, 0.0
                bx, by = fx[i] * c - fy[i] * s, fx[i] * s + fy[i] * c
                sx += bx
                sy += by
                mz += x * by - y * bx
                t = torque[k, i]
                drive, hold = max(t, 0.0), max(-t, 0.0) + roll * load * rad
                # The tyre's own reaction is stiff: implicit in the slip.
                gain = rad * rad * kx / speed / (1.0 + rho)
                free = (drive - fx[i] * rad) * dt / (iw + dt * gain)
                most_hold = hold * dt / (iw + dt * gain)
                new = spin[i] + free
                spin[i] = max(abs(new) - most_hold, 0.0) * (1.0 if new >= 0.0 else -1.0)
            sx -= 0.5 * 1.225 * cda * vx * abs(vx)
            ax, ay = sx / m, sy / m
            ddphi = (m * arm * ay + m * 9.81 * arm * phi - (krf + krr) * phi - cr * dphi) / ix
            dphi += dt * ddphi
            phi += dt * dphi
            vx += dt * (ax + r * vy)
            vy += dt * (ay - r * vx)
            r += dt * mz / iz
    return out


def _numbers(car: ForeignCar) -> Array:
    return np.array(
        [
            *(float(car.law), car.mass, car.yaw_inertia, car.wheelbase, car.to_front, car.height),
            *(car.track, car.roll_inertia, *car.roll_stiffness, car.roll_damping),
            *(*car.roll_centre, *car.axle_stiffness, car.saturation_load, car.slip_stiffness),
            *(car.mu, car.mu_along, car.mu_loss, car.relaxation, *car.compliance),
            *(*car.roll_steer, car.radius, car.wheel_inertia, car.rolling, car.drag_area),
            *(max(car.steer_lag, 1e-3), 0.0),
        ]
    )


# --- what they drive


@dataclass(frozen=True)
class Inputs:
    """Row by row: road wheel angle that is asked for [rad], torque of the wheels [N m]."""

    steer: Array
    torque: Array


Part = Callable[[Array, float, np.random.Generator], tuple[Array, Array]]
"""(time [s], speed at which it begins, random) -> steering [rad], acceleration asked for [m/s2]."""


class Driven(Protocol):
    """What a test driver knows of a car; SI units."""

    @property
    def mass(self) -> float:
        """Of the whole car."""

    @property
    def wheelbase(self) -> float:
        """Between the axles."""

    @property
    def rolling(self) -> float:
        """Resistance over load."""

    @property
    def drag_area(self) -> float:
        """Drag coefficient times area."""


def test_inputs(car: Driven, seed: int, seconds: float, period_s: float) -> tuple[Array, Array]:
    """Return a test driver's steering [rad] and push [m/s2], part by part, begun at 12 m/s."""
    rng = np.random.default_rng(seed)
    rows = round(seconds / period_s)
    steer, push = np.zeros(rows), np.zeros(rows)
    first, speed, parts = 0, 12.0, _parts(car)

    def coasted(begun: float, pushes: Array) -> float:
        for push_now in pushes.tolist():
            air = 0.5 * AIR * car.drag_area * begun**2 / car.mass
            begun += period_s * (push_now - air - GRAVITY * car.rolling)
        return begun

    order = list(range(len(parts)))
    while first < rows:
        for k in rng.permutation(order).tolist():
            length, part = parts[k]
            last = min(first + round(length / period_s), rows)
            time_s = period_s * np.arange(last - first)
            target = float(rng.uniform(12.0, 26.0))
            steer[first:last], push[first:last] = part(time_s, speed, rng)
            # Back to another speed, straight on.
            after = min(last + round(4.0 / period_s), rows)
            speed = coasted(speed, push[first:last])
            push[last:after] = (target + 1.0 - speed) / 4.0
            speed, first = coasted(speed, push[last:after]), after
            if first >= rows:
                break
    return steer, push


def driven(
    car: ForeignCar, steer: Array, push: Array, period_s: float, start: float = 12.0
) -> dict[str, Array]:
    """Drive with a steering and a push [m/s2]; torques and their steps as a log has them."""
    shares = np.where(
        push[:, np.newaxis] > 0.0,
        [car.front_drive, car.front_drive, 1.0 - car.front_drive, 1.0 - car.front_drive],
        [car.front_brake, car.front_brake, 1.0 - car.front_brake, 1.0 - car.front_brake],
    )
    torque = 0.5 * shares * (push * car.mass * car.radius)[:, np.newaxis]
    steps = round(period_s / STEP_S)
    late = max(0, round(car.steer_delay / STEP_S))
    fine = np.repeat(steer, steps)
    fine = np.concatenate((np.full(late, steer[0]), fine))[: len(fine)] + car.steer_offset
    pushed = np.repeat(torque, steps, axis=0)
    out = _drive(_numbers(car), fine, pushed, start, 1)[::steps]
    tilt = GRAVITY * np.sin(out[:, 5]) if car.tilts else 0.0
    names = ("vx_mps", "vy_mps", "yaw_rate_radps", "ax_mps2")
    columns = {name: out[:, k].copy() for k, name in enumerate(names)}
    columns["ay_mps2"] = out[:, 4] + tilt
    for k, wheel in enumerate(("fl", "fr", "rl", "rr")):
        columns[f"wheel_spin_radps_{wheel}"] = out[:, 8 + k].copy()
        columns[f"wheel_torque_nm_{wheel}"] = torque[:, k].copy()
    columns["command_steer_rad"] = steer.copy()
    columns["time_s"] = period_s * np.arange(len(steer))
    return columns


def logged(
    car: ForeignCar, kind: str, seed: int, *, seconds: float = 150.0, noise: float = 0.02
) -> dict[str, Array]:
    """Return a log of a test drive at 50 Hz. `kind`: torques or speed, what it has of forces."""
    columns = driven(car, *test_inputs(car, seed, seconds, 0.02), 0.02)
    return measured(columns, kind, seed, noise)


def measured(
    columns: Mapping[str, Array], kind: str, seed: int, noise: float = 0.02
) -> dict[str, Array]:
    """Return what a log has of a drive, with noise. `kind`: as of `logged`."""
    columns = dict(columns)
    if kind == "speed":
        kept = ("time_s", "vx_mps", "yaw_rate_radps", "ay_mps2", "command_steer_rad")
        columns = {name: columns[name] for name in kept}
        columns["command_steering_wheel_rad"] = 15.0 * columns.pop("command_steer_rad")
    rng = np.random.default_rng(9000 + seed)
    for name, values in columns.items():
        if name != "time_s" and not name.startswith(("command", "wheel_torque", "vy")):
            size = noise * float(np.sqrt(np.mean(values**2)))
            columns[name] = values + rng.normal(0.0, size, len(values))
    columns.pop("vy_mps", None)
    return columns


def _parts(car: Driven) -> tuple[tuple[float, Part], ...]:
    """Return what a test drive is made of: length [s] and how."""

    def held(time_s: Array, size: float) -> Array:
        return np.repeat(size, len(time_s))

    def sweep(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        size = _angle(car, speed, float(rng.uniform(2.0, 4.0)))
        phase = 2.0 * np.pi * (0.2 * time_s + 0.5 * (2.5 - 0.2) * time_s**2 / 10.0)
        return size * np.sin(phase), held(time_s, 0.1)

    def steps(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        size = _angle(car, speed, float(rng.uniform(2.0, 5.0)))
        return size * np.array([0.0, 1.0, 0.0, -1.0])[(time_s / 1.6).astype(int) % 4], held(
            time_s, 0.2
        )

    def limit(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        side = float(rng.choice([-1.0, 1.0]))
        ramp = np.minimum(time_s / 5.0, 1.0)
        return side * _angle(car, speed, 11.0) * ramp, held(time_s, 0.2)

    def brakes(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        hard = min(float(rng.uniform(3.0, 7.5)), speed / 2.5)
        return held(time_s, 0.0), np.where((time_s % 1.4) < 0.7, -hard, 0.6 * hard)

    def turning(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        size = _angle(car, speed, float(rng.uniform(1.5, 4.5)))
        push = np.where((time_s % 2.0) < 1.0, 2.0, -2.5)
        return size * np.sin(2.0 * np.pi * 0.15 * time_s), push

    def coast(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        return held(time_s, 0.0), held(time_s, 0.0)

    def wander(time_s: Array, speed: float, rng: np.random.Generator) -> tuple[Array, Array]:
        steer, push = np.zeros(len(time_s)), np.zeros(len(time_s))
        for _ in range(4):
            f, g = rng.uniform(0.05, 1.2), rng.uniform(0.05, 0.5)
            steer += np.sin(2 * np.pi * (f * time_s + rng.random()))
            push += np.sin(2 * np.pi * (g * time_s + rng.random()))
        return 0.4 * _angle(car, speed, 4.0) * steer, 0.8 * push

    return (
        *((8.0, sweep), (8.0, steps), (6.5, limit), (5.6, brakes), (8.0, turning)),
        *((8.0, coast), (10.0, wander)),
    )


def _angle(car: Driven, speed: float, ay: float) -> float:
    """Return about the road wheel angle for a lateral acceleration."""
    v = max(speed, 4.0)
    return float(min(ay * (car.wheelbase / v**2 + 0.003), 0.35))


# --- what a test of them measures


def truth_of(car: ForeignCar, area: float) -> dict[str, float]:
    """Return what tests of the car measure, by the keys of an identification.

    Stiffness: the effective one of an axle, side force over its slip angle in slow ramps of the
    steering, so with load transfer, compliance and roll steer. Friction: the peak of the side force
    of a wheel at its static load. `area`: that the drag coefficient is for [m2].
    """
    front, rear = axle_test(car)
    q, to_rear = car.saturation_load, car.wheelbase - car.to_front
    return {
        "body.mass_kg": car.mass,
        "body.yaw_inertia_kgm2": car.yaw_inertia,
        "body.cg_to_front_axle_m": car.to_front,
        "body.cg_height_m": car.height,
        "axles.cornering_stiffness_front_n_per_rad": front,
        "axles.cornering_stiffness_rear_n_per_rad": rear,
        "understeer_gradient": car.mass / car.wheelbase * (to_rear / front - car.to_front / rear),
        "road.mu": car.mu,
        "tyre.mf96.slip_stiffness_per_load": car.slip_stiffness,
        "tyre.mf96.load_sensitivity": car.mu_loss,
        "tyre.mf96.stiffness_saturation": 1.0 / q**2,
        "tyre.relaxation_length_lateral_m": car.relaxation,
        "tyre.rolling_resistance": car.rolling,
        "aero.drag_coefficient": car.drag_area / area,
        "wheels.radius_m": car.radius,
        "wheels.inertia_front_kgm2": car.wheel_inertia,
        "steering.offset_rad": car.steer_offset,
        "steering.ratio": 15.0,
        "actuator.steering.delay_s": car.steer_delay,
        "actuator.steering.lag_s": car.steer_lag,
        "wheel_torque.delay_s": 0.0,
    }


def axle_test(car: ForeignCar) -> tuple[float, float]:
    """Return side force over slip angle of both axles at 0.1 g [N/rad], steady at 20 m/s."""
    quiet = replace(car, steer_offset=0.0, rolling=0.0, drag_area=0.0)
    rows = 800
    steer = np.full(rows, _angle(car, 20.0, 1.0))
    d = driven(quiet, steer, np.zeros(rows), 0.01, start=20.0)
    vx, vy, r = (float(d[n][-1]) for n in ("vx_mps", "vy_mps", "yaw_rate_radps"))
    to_rear = car.wheelbase - car.to_front
    front_slip = steer[-1] - math.atan((vy + car.to_front * r) / vx)
    rear_slip = -math.atan((vy - to_rear * r) / vx)
    force = car.mass * vx * r
    front = force * to_rear / car.wheelbase / math.cos(steer[-1])
    return front / front_slip, force * car.to_front / car.wheelbase / rear_slip


# --- the cars


def foreign_car(number: int) -> tuple[ForeignCar, str]:
    """Return a car and the kind of its log; six kinds, each another car for every further six."""
    rng = np.random.default_rng(500 + number)

    def near(value: float, by: float = 0.15) -> float:
        return float(value * math.exp(rng.uniform(-by, by)))

    kinds: tuple[ForeignCar, ...] = (
        ForeignCar(name="degressive", law=SINE, saturation_load=1.6, mu_loss=0.0, relaxation=0.12),
        ForeignCar(
            name="brush",
            law=PARABOLA,
            saturation_load=1.9,
            mu_loss=0.15,
            relaxation=0.35,
            compliance=(8e-7, 2e-7),
        ),
        ForeignCar(
            name="tangent", law=TANGENT, saturation_load=2.4, mu_loss=0.08, roll_steer=(-0.05, 0.03)
        ),
        ForeignCar(
            name="tall van",
            law=SINE,
            mass=2300.0,
            yaw_inertia=4800.0,
            wheelbase=3.2,
            to_front=1.5,
            height=0.85,
            axle_stiffness=(150e3, 190e3),
            roll_stiffness=(90e3, 70e3),
            roll_inertia=1400.0,
            roll_damping=9e3,
            saturation_load=1.8,
            relaxation=0.45,
            radius=0.35,
        ),
        ForeignCar(
            name="rear drive",
            law=PARABOLA,
            mass=1450.0,
            yaw_inertia=2100.0,
            front_drive=0.0,
            mu=1.0,
            mu_along=1.0,
            axle_stiffness=(150e3, 200e3),
            mu_loss=0.12,
            relaxation=0.25,
        ),
        ForeignCar(
            name="tilting sensor",
            law=TANGENT,
            mass=1800.0,
            yaw_inertia=3000.0,
            mu=0.8,
            mu_along=0.85,
            saturation_load=2.0,
            tilts=True,
            compliance=(5e-7, 0.0),
        ),
    )
    base = kinds[number % len(kinds)]
    share = base.to_front / base.wheelbase + rng.uniform(-0.03, 0.03)
    car = replace(
        base,
        mass=near(base.mass),
        yaw_inertia=near(base.yaw_inertia),
        to_front=base.wheelbase * share,
        height=near(base.height, 0.1),
        axle_stiffness=(near(base.axle_stiffness[0]), near(base.axle_stiffness[1])),
        radius=near(base.radius, 0.05),
        mu=near(base.mu, 0.08),
        relaxation=near(base.relaxation, 0.2),
        slip_stiffness=near(base.slip_stiffness),
        drag_area=near(base.drag_area),
        steer_lag=near(base.steer_lag, 0.3),
        steer_offset=float(rng.uniform(-0.006, 0.006)),
    )
    return car, "speed" if number % 3 == 2 else "torques"
