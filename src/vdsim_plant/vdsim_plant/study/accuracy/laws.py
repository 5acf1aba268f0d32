"""Laws of mechanics that every car must obey, each with the worst of many drives.

Every figure is taken from what the car reports, by sums that are written here once more.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, VehicleMotion
from vdsim_plant.parameters import GRAVITY_MPS2, TyreParameters, VehicleParameters, load_vehicle
from vdsim_plant.study.accuracy.claim import Claim, at_most
from vdsim_plant.tyre_calibration import calibrate
from vdsim_plant.vehicle import Vehicle

CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd")
TYRES = ("mf96", "road_235_55r19", "road_195_65r15")
FRICTIONS = (0.05, 0.3, 0.9, 1.2)
ROUNDING_N = 1e-9
"""What sums of forces of some 10 kN may leave [N]."""
SPRING_M = 8e-3
"""How far a standing tyre gives before it slides [m]; its energy is half of mu m g times this."""


def _hard_drives(seconds: float) -> Iterator[Vehicle]:
    """Drive each car on each tyre and friction at random; yield it after every substep."""
    for car in CARS:
        for tyre in TYRES:
            for mu in FRICTIONS:
                vehicle = Vehicle(car, tyre, Ground(base_mu=mu))
                weight = GRAVITY_MPS2 * vehicle.parameters.body.mass_kg
                rng = np.random.default_rng(7)
                speeds = rng.uniform((-20.0, -5.0, -1.5), (40.0, 5.0, 1.5)).tolist()
                vehicle.reset(InitialState(0.0, 0.0, 0.0, *speeds))
                held, substep_s = 50, vehicle.substep_s
                for _ in range(round(seconds / (held * substep_s))):
                    steer, force = rng.uniform((-0.4, -2.0), (0.4, 1.5)).tolist()
                    for _ in range(held):
                        vehicle.step_force(steer, force * weight, substep_s)
                        yield vehicle


def circle_and_balances(seconds: float = 0.3) -> tuple[Claim, ...]:
    """|F| <= mu Fz at every wheel; Newton along, across and upwards, in every substep."""
    use = balance = weight = 0.0
    samples = 0
    before: tuple[Vehicle, float, float] | None = None
    for vehicle in _hard_drives(seconds):
        m, mass = vehicle.motion(), vehicle.parameters.body.mass_kg
        for fx, fy, fz, mu in zip(m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, m.wheel_mu, strict=True):
            use = max(use, math.hypot(fx, fy) / (mu * fz) if fz > 0.0 else 0.0)
            samples += 1
        if before is not None and before[0] is vehicle:
            speed = before[1:]
            balance = max(balance, _imbalance_n(vehicle.parameters, m, speed))
            lift = _lift_per_speed_squared(vehicle.parameters) * math.hypot(*speed) ** 2
            weight = max(weight, abs(sum(m.tire_fz_n) + lift - mass * GRAVITY_MPS2))
        before = vehicle, m.vx_mps, m.vy_mps
    many = f"{samples // 1000} thousand wheels of {len(CARS)} cars on {len(TYRES)} tyres"
    return (
        Claim(
            what=f"friction circle, {many}, mu 0.05 to 1.2, reverse and spins too",
            against=r"\|F\| <= mu Fz",
            measured=f"at most {use:.15f} mu Fz",
            bound="1",
            passed=0.99 < use <= 1.0,
        ),
        Claim(
            what="sum of the contact forces and the drag, in every substep of these drives",
            against="Newton: m a, along and across",
            measured=f"within {at_most(balance, ' N')}",
            bound=f"{ROUNDING_N:.0e} N",
            passed=balance <= ROUNDING_N,
        ),
        Claim(
            what="sum of the wheel loads",
            against="weight less lift",
            measured=f"within {at_most(weight, ' N')}",
            bound=f"{ROUNDING_N:.0e} N",
            passed=weight <= ROUNDING_N,
        ),
    )


def _imbalance_n(
    parameters: VehicleParameters, m: VehicleMotion, before: tuple[float, float]
) -> float:
    """Sum of all forces less mass times acceleration, body frame [N]."""
    aero, mass = parameters.aero, parameters.body.mass_kg
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2 * aero.drag_coefficient
    air = pressure * math.hypot(*before)
    along = sum(m.tire_body_fx_n) - air * before[0] - mass * m.ax_mps2
    across = sum(m.tire_body_fy_n) - air * before[1] - mass * m.ay_mps2
    return math.hypot(along, across)


def _lift_per_speed_squared(parameters: VehicleParameters) -> float:
    aero = parameters.aero
    pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2
    return pressure * (aero.lift_coefficient_front + aero.lift_coefficient_rear)


def standstill(minutes: float = 10.0) -> Claim:
    """A car that stands on a slope with its brake stays where it is."""
    moved = 0.0
    for slope in (0.0, 0.08, 0.3):
        for mu in (0.4, 0.9):
            vehicle = Vehicle(ground=Ground(base_mu=mu, slope_x=slope))
            weight = GRAVITY_MPS2 * vehicle.parameters.body.mass_kg
            vehicle.reset(InitialState())
            vehicle.step_force(0.0, -weight, 5.0)
            start = vehicle.motion()
            vehicle.step_force(0.0, -weight, 60.0 * minutes)
            end = vehicle.motion()
            moved = max(moved, math.hypot(end.x_m - start.x_m, end.y_m - start.y_m))
    return Claim(
        what=f"a car held by its brake for {minutes:g} minutes, slopes of 0, 8 and 30 %, mu 0.4 "
        "and 0.9",
        against="a tyre at rest is a spring: it does not creep",
        measured=f"moves by {at_most(moved, ' m')}",
        bound="1e-12 m",
        passed=moved <= 1e-12,
    )


def energy(drives: int = 3) -> Claim:
    """Without drive, on the level, body and wheels only lose energy."""
    worst = 0.0
    for car in CARS:
        for mu in (0.1, 0.9):
            vehicle = Vehicle(car, ground=Ground(base_mu=mu))
            weight = GRAVITY_MPS2 * vehicle.parameters.body.mass_kg
            spring_j = 0.5 * weight * mu * SPRING_M
            rng = np.random.default_rng(5)
            for _ in range(drives):
                vx, vy, rate, steer, brake = rng.uniform(
                    (-12.0, -4.0, -2.0, -0.3, 0.0), (12.0, 4.0, 2.0, 0.3, 0.6)
                ).tolist()
                vehicle.reset(InitialState(vx_mps=vx, vy_mps=vy, yaw_rate_radps=rate))
                least = _kinetic_j(vehicle)
                for _ in range(1000):
                    vehicle.step_force(steer, -brake * weight, vehicle.substep_s)
                    now = _kinetic_j(vehicle)
                    worst = max(worst, (now - least) / spring_j)
                    least = min(least, now)
    return Claim(
        what="kinetic energy of body and wheels while a car slides, spins, brakes and stops",
        against="without drive it falls; near rest the spring of the tyres may give back its own",
        measured=f"rises by at most {100.0 * worst:.0f} % of the tyres' spring",
        bound="100 %",
        passed=worst <= 1.0,
    )


def _kinetic_j(vehicle: Vehicle) -> float:
    m, body, wheels = vehicle.motion(), vehicle.parameters.body, vehicle.parameters.wheels
    inertias = [wheels.inertia_front_kgm2] * 2 + [wheels.inertia_rear_kgm2] * 2
    spun = sum(i * w * w for i, w in zip(inertias, m.wheel_spin_radps, strict=True))
    moved = body.mass_kg * (m.vx_mps**2 + m.vy_mps**2)
    return 0.5 * (moved + body.yaw_inertia_kgm2 * m.yaw_rate_radps**2 + spun)


def locked_stop() -> Claim:
    """The distance of a stop with locked wheels, without drag: v^2 / (2 mu g s) + rolling on."""
    worst = 0.0
    for car in CARS:
        for mu in (0.3, 0.9):
            vehicle = Vehicle(_without_air(car), _without_rolling("mf96", car), Ground(base_mu=mu))
            tyre = calibrate(vehicle.parameters, vehicle.tyre)
            shape = tyre.shape_x
            # A locked wheel has a slip ratio of -1: what of the peak the curve leaves there.
            rho = 1.0 / tyre.kappa_peak[0]
            left = math.sin(shape * math.atan(math.tan(math.pi / (2.0 * shape)) * rho))
            weight = GRAVITY_MPS2 * vehicle.parameters.body.mass_kg
            vehicle.reset(InitialState(vx_mps=30.0))
            while max(map(abs, vehicle.motion().wheel_spin_radps)) > 0.0:
                vehicle.step_force(0.0, -4.0 * weight, vehicle.substep_s)
            m = vehicle.motion()
            begin, speed = m.x_m, m.vx_mps
            vehicle.step_force(0.0, -4.0 * weight, 1.0)
            end = vehicle.motion()
            law = (speed**2 - end.vx_mps**2) / (2.0 * mu * GRAVITY_MPS2 * left)
            worst = max(worst, abs((end.x_m - begin) / law - 1.0))
    return Claim(
        what="the way of a second with locked wheels from about 30 m/s",
        against="(v0^2 - v1^2) / (2 mu g s), s: what the Magic Formula leaves at a slip of -1",
        measured=f"differs by at most {100.0 * worst:.4f} %",
        bound="0.01 %",
        passed=worst <= 1e-4,
    )


def coast_down() -> Claim:
    """Coasting: the closed solution of v' = -(A + B v^2), with the wheels' inertia."""
    worst = 0.0
    for car in CARS:
        vehicle = Vehicle(car)
        parameters = vehicle.parameters
        wheels, aero, mass = parameters.wheels, parameters.aero, parameters.body.mass_kg
        spun = 2.0 * (wheels.inertia_front_kgm2 + wheels.inertia_rear_kgm2) / wheels.radius_m**2
        pressure = 0.5 * aero.air_density_kgpm3 * aero.frontal_area_m2
        rolling = vehicle.tyre.rolling_resistance
        lift = pressure * (aero.lift_coefficient_front + aero.lift_coefficient_rear)
        a = rolling * mass * GRAVITY_MPS2 / (mass + spun)
        b = (pressure * aero.drag_coefficient - rolling * lift) / (mass + spun)
        begin_mps, seconds = 35.0, 30.0
        vehicle.reset(InitialState(vx_mps=begin_mps))
        vehicle.step_force(0.0, 0.0, seconds)
        root = math.sqrt(b / a)
        law = math.tan(math.atan(begin_mps * root) - math.sqrt(a * b) * seconds) / root
        worst = max(worst, abs(vehicle.motion().vx_mps / law - 1.0))
    return Claim(
        what="speed after coasting from 35 m/s for 30 s",
        against="the closed solution of (m + I / r^2) v' = -f m g - c v^2",
        measured=f"differs by at most {100.0 * worst:.4f} %",
        bound="0.05 %",
        passed=worst <= 5e-4,
    )


def invariance() -> tuple[Claim, ...]:
    """The mirrored drive is the mirrored way, to the bit; so is a turned or moved one, nearly."""
    straight = _way(InitialState(vx_mps=20.0), 1.0)
    mirrored = _way(InitialState(vx_mps=20.0), -1.0)
    same = all(
        a.x_m == b.x_m and a.y_m == -b.y_m and a.yaw_rad == -b.yaw_rad
        for a, b in zip(straight, mirrored, strict=True)
    )
    angle, far = 0.7, 1e5
    turned = _way(InitialState(far, -far, angle, 20.0), 1.0)
    apart = 0.0
    c, s = math.cos(angle), math.sin(angle)
    for a, b in zip(straight, turned, strict=True):
        x, y = far + c * a.x_m - s * a.y_m, -far + s * a.x_m + c * a.y_m
        apart = max(apart, math.hypot(b.x_m - x, b.y_m - y))
    return (
        Claim(
            what="a drive with the steering mirrored",
            against="the mirrored way",
            measured="the same bits" if same else "other bits",
            bound="the same bits",
            passed=same,
        ),
        Claim(
            what="a drive of 10 s that starts turned by 0.7 rad and 140 km away",
            against="the same way, turned and moved",
            measured=f"apart by {at_most(apart, ' m')}",
            bound="1e-08 m",
            passed=apart <= 1e-8,
        ),
    )


def _way(start: InitialState, side: float) -> list[VehicleMotion]:
    vehicle = Vehicle()
    vehicle.reset(start)
    seen = []
    for k in range(200):
        vehicle.step_force(side * 0.05 * math.sin(0.1 * k), 2000.0 * math.cos(0.07 * k), 0.05)
        seen.append(vehicle.motion())
    return seen


def _without_air(car: str) -> VehicleParameters:
    parameters = load_vehicle(car)
    return dataclasses.replace(
        parameters, aero=dataclasses.replace(parameters.aero, frontal_area_m2=0.0)
    )


def _without_rolling(tyre: str, car: str) -> TyreParameters:
    return dataclasses.replace(Vehicle(car, tyre).tyre, rolling_resistance=0.0)
