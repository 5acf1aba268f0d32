"""The limit of small substeps is the solution of the equations, written down and solved apart."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from vdsim_plant.assembly import lateral_transfer
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, load_tyre, load_vehicle
from vdsim_plant.study.accuracy import Drive, exact_end
from vdsim_plant.study.accuracy.full_tyre import full_tyre

HELD_S, WHOLE_S = 0.4, 3.0


def _curve(shape: float, curvature: float, b: float) -> float:
    return math.sin(shape * math.atan(b - curvature * (b - math.atan(b))))


def _peak(shape: float, curvature: float) -> float:
    """B s where C atan(...) is pi / 2."""
    top = math.tan(math.pi / (2.0 * shape))
    return float(brentq(lambda b: b - curvature * (b - math.atan(b)) - top, 0.0, 100.0, xtol=1e-13))


def _solution(name: str, tyre: TyreParameters, drive: Drive) -> NDArray[np.float64]:
    """Solve the continuous car: MF96, similarity, quasi-static loads by iteration; open axles."""
    car = load_vehicle(name)
    body, wheels, aero = car.body, car.wheels, car.aero
    assert tyre.relaxation_length_lateral_m == tyre.relaxation_length_longitudinal_m == 0.0
    m, radius, mu = body.mass_kg, wheels.radius_m, drive.mu
    a, b = body.cg_to_front_axle_m, body.cg_to_rear_axle_m
    arms = [(a, 0.5 * body.track_front_m), (a, -0.5 * body.track_front_m)]
    arms += [(-b, 0.5 * body.track_rear_m), (-b, -0.5 * body.track_rear_m)]
    spin_inertia = [wheels.inertia_front_kgm2] * 2 + [wheels.inertia_rear_kgm2] * 2
    static = car.static_wheel_loads_n()
    stiffness = [car.axles.cornering_stiffness_front_n_per_rad / 2.0] * 2
    stiffness += [car.axles.cornering_stiffness_rear_n_per_rad / 2.0] * 2
    shapes = tyre.mf96.longitudinal_shape, tyre.mf96.lateral_shape
    bends = tyre.mf96.longitudinal_curvature, tyre.mf96.lateral_curvature
    tops = [_peak(shape, bend) for shape, bend in zip(shapes, bends, strict=True)]
    lost = tyre.mf96.load_sensitivity
    nominal = car.axles.mu_nominal
    kappa_peak = tops[0] * shapes[0] * nominal / tyre.mf96.slip_stiffness_per_load
    alpha_peak = [
        tops[1] * shapes[1] * nominal * f / c for f, c in zip(static, stiffness, strict=True)
    ]
    moved_front, moved_rear = lateral_transfer(car)
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2
    drag = pressure * aero.drag_coefficient
    lift_front = pressure * aero.lift_coefficient_front
    lift = lift_front + pressure * aero.lift_coefficient_rear

    def slope(state: NDArray[np.float64], steer: float, force: float) -> NDArray[np.float64]:
        _, _, psi, vx, vy, r, *spins = state
        unit = []
        for i, (x, y) in enumerate(arms):
            angle = steer if i < 2 else 0.0
            c, s = math.cos(angle), math.sin(angle)
            at_x, at_y = vx - r * y, vy + r * x
            ahead, aside = at_x * c + at_y * s, at_y * c - at_x * s
            u, v = (radius * spins[i] - ahead) / ahead / kappa_peak, -aside / ahead / alpha_peak[i]
            rho = max(math.hypot(u, v), 1e-12)
            fx = mu * u / rho * _curve(shapes[0], bends[0], tops[0] * rho)
            fy = mu * v / rho * _curve(shapes[1], bends[1], tops[1] * rho)
            unit.append((fx, fx * c - fy * s, fx * s + fy * c))
        ax = ay = 0.0
        for _ in range(40):
            front = m * (GRAVITY_MPS2 * b - body.cg_height_m * ax) / (a + b)
            front -= lift_front * (vx * vx + vy * vy)
            rear = m * GRAVITY_MPS2 - lift * (vx * vx + vy * vy) - front
            loads = [0.5 * front - moved_front * ay, 0.5 * front + moved_front * ay]
            loads += [0.5 * rear - moved_rear * ay, 0.5 * rear + moved_rear * ay]
            grips = [f * (1.0 - lost * (f / f0 - 1.0)) for f, f0 in zip(loads, static, strict=True)]
            ax = sum(f * u[1] for f, u in zip(grips, unit, strict=True)) / m
            ay = sum(f * u[2] for f, u in zip(grips, unit, strict=True)) / m
        moment = sum(
            f * (x * u[2] - y * u[1]) for f, u, (x, y) in zip(grips, unit, arms, strict=True)
        )
        share = car.drivetrain.drive_split_front if force > 0.0 else car.brakes.brake_split_front
        spin_rates = [
            (
                0.5 * force * radius * (share if i < 2 else 1.0 - share)
                - radius * grips[i] * unit[i][0]
                - tyre.rolling_resistance * radius * loads[i]
            )
            / spin_inertia[i]
            for i in range(4)
        ]
        air = drag * math.hypot(vx, vy) / m
        c, s = math.cos(psi), math.sin(psi)
        rates = [vx * c - vy * s, vx * s + vy * c, r]
        rates += [ax - air * vx + r * vy, ay - air * vy - r * vx, moment / body.yaw_inertia_kgm2]
        return np.array(rates + spin_rates)

    state = np.array([0.0, 0.0, 0.0, drive.speed_mps, 0.0, 0.0] + [drive.speed_mps / radius] * 4)
    left = WHOLE_S
    for steer, force_g in drive.inputs:
        held = min(HELD_S, left)
        force = force_g * m * GRAVITY_MPS2
        run = solve_ivp(
            lambda _, s, steer=steer, force=force: slope(s, steer, force),
            (0.0, held), state, method="LSODA", rtol=1e-10, atol=1e-11,
        )  # fmt: skip
        state = run.y[:, -1]
        left = round(left - held, 9)
    return state[:6]


@pytest.mark.parametrize("mu", [0.4, 0.9])
@pytest.mark.parametrize(
    ("name", "tyre"),
    [
        ("ioniq5_awd", load_tyre("mf96")),
        ("compact_fwd", load_tyre("mf96")),
        ("ioniq5_awd", replace(full_tyre(0.2, -0.5, 0.6), rolling_resistance=0.012)),
    ],
    ids=["ioniq5_awd", "compact_fwd", "load_sensitivity_and_curvature"],
)
def test_the_limit_of_small_substeps_is_the_solution(
    name: str, tyre: TyreParameters, mu: float
) -> None:
    inputs = [(0.03, -0.1), (-0.04, 0.1), (0.02, -0.15), (0.05, 0.0)] * 2
    drive = Drive(speed_mps=22.0, mu=mu, inputs=tuple(inputs))
    ours, theirs = exact_end(name, tyre, drive), _solution(name, tyre, drive)
    assert math.hypot(*(ours - theirs)[:2]) < 2e-5
    assert ours[2:] == pytest.approx(theirs[2:], abs=2e-6)
