"""The MF96 tyre with curvature and load sensitivity: its curves from the book, and what they do.

    F = D sin(C atan(B s - E (B s - atan B s))),   D = mu (1 - q (Fz / Fz0 - 1)) Fz

H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition, equation 4.49; B C D is the stiffness that
the files state. Both slips together by similarity (ibid., 4.2), with the peaks found by search.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cache

import numpy as np

from vdsim_plant.assembly import lateral_transfer
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, VehicleMotion
from vdsim_plant.parameters import (
    GRAVITY_MPS2,
    Mf96Parameters,
    TyreParameters,
    VehicleParameters,
    load_tyre,
    load_vehicle,
)
from vdsim_plant.study.accuracy.claim import Claim, at_most
from vdsim_plant.vehicle import Vehicle

CARS = ("ioniq5_awd", "compact_fwd")
CURVATURES = ((0.6, 0.9), (-0.8, 0.4), (-3.0, -2.0))  # lateral, longitudinal
SENSITIVITIES = (0.0, 0.15, 0.4)
SATURATIONS = (0.4, 0.0, 0.3)
SPEED_MPS = 20.0
STEERS_RAD = (0.02, 0.03)
FRONT_SHARES = (0.4, 0.75)
SENSITIVE = 0.3
SETTLES_S = 6.0


def full_tyre(
    load_sensitivity: float,
    lateral: float = 0.0,
    longitudinal: float = 0.0,
    saturation: float = 0.0,
) -> TyreParameters:
    """Return the MF96 tyre with these; without rolling resistance."""
    tyre = load_tyre("mf96")
    mf96 = dataclasses.replace(
        tyre.mf96,
        load_sensitivity=load_sensitivity,
        lateral_curvature=lateral,
        longitudinal_curvature=longitudinal,
        stiffness_saturation=saturation,
    )
    return dataclasses.replace(tyre, mf96=mf96, rolling_resistance=0.0)


def book_curve(shape: float, curvature: float, b: float) -> float:
    """Return F over D at b = B s."""
    return math.sin(shape * math.atan(b - curvature * (b - math.atan(b))))


@cache
def searched_peak(shape: float, curvature: float) -> float:
    """Return the B s at which the curve is highest: of a grid, then of finer ones."""
    low, high = 0.0, 100.0
    for _ in range(7):
        grid = np.linspace(low, high, 1001)
        top = int(np.argmax([book_curve(shape, curvature, b) for b in grid.tolist()]))
        low, high = float(grid[max(top - 1, 0)]), float(grid[min(top + 1, 1000)])
    return 0.5 * (low + high)


def book_forces(
    car: VehicleParameters, tyre: Mf96Parameters, wheel: int, m: VehicleMotion
) -> tuple[float, float, float]:
    """Return Fx, Fy [N] and D [N] of a wheel at the slips, load and friction of a motion."""
    static = car.static_wheel_loads_n()[wheel]
    axles, load = car.axles, m.tire_fz_n[wheel]
    b_y = _axle_stiffness(car)[wheel // 2] / 2.0 / (tyre.lateral_shape * axles.mu_nominal * static)
    b_x = tyre.slip_stiffness_per_load / (tyre.longitudinal_shape * axles.mu_nominal)
    share = max(1.0 - tyre.load_sensitivity * (load / static - 1.0), 0.1)
    most = m.wheel_mu[wheel] * share * load
    # PAC2002: K over load is that of sin(2 atan(Fz / c)), with c = Fz0 / sqrt(s).
    if tyre.stiffness_saturation > 0.0 and load > 0.0:
        c = static / math.sqrt(tyre.stiffness_saturation)
        at_load, at_static = (math.sin(2.0 * math.atan(x / c)) / x for x in (load, static))
        b_y *= at_load / at_static
    peak_x = searched_peak(tyre.longitudinal_shape, tyre.longitudinal_curvature)
    peak_y = searched_peak(tyre.lateral_shape, tyre.lateral_curvature)
    x = m.slip_ratio[wheel] * b_x / peak_x
    y = -math.tan(m.slip_angle_rad[wheel]) * b_y / peak_y
    rho = math.hypot(x, y)
    if rho == 0.0:
        return 0.0, 0.0, most
    along = book_curve(tyre.longitudinal_shape, tyre.longitudinal_curvature, peak_x * rho)
    across = book_curve(tyre.lateral_shape, tyre.lateral_curvature, peak_y * rho)
    return most * along * x / rho, most * across * y / rho, most


def _axle_stiffness(car: VehicleParameters) -> tuple[float, float]:
    axles = car.axles
    return axles.cornering_stiffness_front_n_per_rad, axles.cornering_stiffness_rear_n_per_rad


def curve_claims(seconds: float = 0.5) -> tuple[Claim, ...]:
    """Drive hard; compare the forces of every wheel with the book's, and with their circle."""
    apart = use = 0.0
    samples = 0
    for car in CARS:
        for sensitivity, saturation, (lateral, longitudinal) in zip(
            SENSITIVITIES, SATURATIONS, CURVATURES, strict=True
        ):
            tyre = full_tyre(sensitivity, lateral, longitudinal, saturation)
            vehicle = Vehicle(car, tyre, Ground(base_mu=0.8))
            weight = GRAVITY_MPS2 * vehicle.parameters.body.mass_kg
            rng = np.random.default_rng(5)
            vehicle.reset(InitialState(vx_mps=25.0))
            for _ in range(round(seconds / 0.025)):
                steer, force = rng.uniform((-0.25, -1.0), (0.25, 0.8)).tolist()
                for _ in range(5):
                    vehicle.step_force(steer, force * weight, 0.005)
                    m = vehicle.motion()
                    for i in range(4):
                        fx, fy, most = book_forces(vehicle.parameters, tyre.mf96, i, m)
                        off = math.hypot(m.tire_fx_n[i] - fx, m.tire_fy_n[i] - fy)
                        apart = max(apart, off / most if most > 0.0 else off)
                        force_n = math.hypot(m.tire_fx_n[i], m.tire_fy_n[i])
                        circle = m.mu_peak[i] * m.tire_fz_n[i]
                        use = max(use, force_n / circle if circle > 0.0 else force_n)
                        samples += 1
    return (
        Claim(
            what="MF96 with curvatures E of -3 to 0.9, load sensitivities and saturations of the "
            f"stiffness up to 0.4, {samples} wheels of hard drives",
            against="the Magic Formula from the book, its peaks searched on a grid",
            measured=f"differs by {at_most(apart)} of the grip",
            bound="1e-07",
            passed=apart <= 1e-7,
        ),
        Claim(
            what="their friction circle",
            against=r"\|F\| <= mu(Fz) Fz",
            measured=f"at most {use:.12f} of it",
            bound="1",
            passed=0.99 < use <= 1.0,
        ),
    )


def understeer_angle(
    car: VehicleParameters, tyre: Mf96Parameters, mu: float, ay_mps2: float
) -> float:
    """Return slip angle in front less that behind [rad] in a steady turn, by the law of both axles.

    Each axle carries its share of m ay with the secant stiffness of both wheels' curves at their
    loads: load transfer x, over the static load, leaves 1 - q x^2 of the axle's grip.
    """
    angles = []
    body, axles = car.body, car.axles
    stiffness = _axle_stiffness(car)
    for axle, arm in enumerate((body.cg_to_rear_axle_m, body.cg_to_front_axle_m)):
        static = car.static_wheel_loads_n()[2 * axle]
        moved = lateral_transfer(car)[axle] * ay_mps2 / static
        grip = 2.0 * mu * static * (1.0 - tyre.load_sensitivity * moved * moved)
        angle = math.asin(body.mass_kg * arm / body.wheelbase_m * ay_mps2 / grip)
        b = math.tan(angle / tyre.lateral_shape)
        per_slip = stiffness[axle] / (2.0 * tyre.lateral_shape * axles.mu_nominal * static)
        angles.append(math.atan(b / per_slip))
    return angles[0] - angles[1]


def balance_claim() -> Claim:
    """Turn steadily with the roll stiffness in front and behind; the balance follows the law."""
    worst, least, most = 0.0, math.inf, -math.inf
    for front_share in FRONT_SHARES:
        car = _with_roll_stiffness(load_vehicle("ioniq5_awd"), front_share)
        for sensitivity in (0.0, SENSITIVE):
            tyre = full_tyre(sensitivity)
            vehicle = Vehicle(car, tyre, Ground(base_mu=0.9))
            for steer in STEERS_RAD:
                m = _steady_turn(vehicle, steer)
                ay = sum(m.tire_body_fy_n) / car.body.mass_kg
                ours = steer - car.body.wheelbase_m * m.yaw_rate_radps / m.vx_mps
                law = understeer_angle(car, tyre.mf96, 0.9, ay)
                worst = max(worst, abs(ours - law))
                least, most = min(least, ours), max(most, ours)
    return Claim(
        what="understeer angle of steady turns at 20 m/s, 40 and 75 % of the roll stiffness in "
        "front, load sensitivity 0 and 0.3",
        against="two axles with the secant stiffness of their wheels at their loads",
        measured=f"{1e3 * least:.1f} to {1e3 * most:.1f} mrad, differs by at most "
        f"{1e3 * worst:.2f} mrad",
        bound="0.5 mrad",
        passed=worst <= 5e-4,
    )


def _steady_turn(vehicle: Vehicle, steer_rad: float) -> VehicleMotion:
    vehicle.reset(InitialState(vx_mps=SPEED_MPS))
    for _ in range(round(SETTLES_S / 0.02)):
        short_mps = SPEED_MPS - vehicle.motion().vx_mps
        vehicle.step_force(steer_rad, 2e4 * short_mps, 0.02)
    return vehicle.motion()


def _with_roll_stiffness(car: VehicleParameters, front_share: float) -> VehicleParameters:
    springs = car.suspension
    whole = springs.roll_stiffness_front_nm_per_rad + springs.roll_stiffness_rear_nm_per_rad
    springs = dataclasses.replace(
        springs,
        roll_stiffness_front_nm_per_rad=front_share * whole,
        roll_stiffness_rear_nm_per_rad=(1.0 - front_share) * whole,
    )
    aero = dataclasses.replace(car.aero, frontal_area_m2=0.0)
    return dataclasses.replace(car, suspension=springs, aero=aero)


def full_tyre_claims() -> tuple[Claim, ...]:
    """Return the claims of this module."""
    return (*curve_claims(), balance_claim())
