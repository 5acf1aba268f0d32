"""Linear theory of the car: the two equations of the single track, against small motions of ours.

    m (v' + U r) = Cf (d - (v + a r) / U) - Cr (v - b r) / U
    Iz r'        = a Cf (d - (v + a r) / U) + b Cr (v - b r) / U

U speed, v side speed, r yaw rate, d wheel angle, C cornering stiffness of an axle [N/rad]. Iz
includes what it takes to speed up the outer wheels and to slow down the inner ones.
"""

from __future__ import annotations

import cmath
import dataclasses
import math

import numpy as np

from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState
from vdsim_plant.parameters import VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.study.accuracy.claim import Claim
from vdsim_plant.vehicle import Vehicle

CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd")
SPEEDS_MPS = (10.0, 20.0, 30.0)
FREQUENCIES_HZ = (0.5, 1.0, 3.0)
SMALL_RAD = 1e-3
HOLD_S = 2e-3
SETTLES_S = 2.0
DRIVER_S = 0.01
DRIVER_N_PER_MPS = 20e3


def gains(car: VehicleParameters, speed_mps: float, hz: float) -> tuple[complex, complex]:
    """Return yaw rate [1/s] and lateral acceleration [m/s2/rad] per wheel angle, as phasors."""
    body, axles = car.body, car.axles
    m, inertia, u = body.mass_kg, body.yaw_inertia_kgm2 + _of_wheels_kgm2(car), speed_mps
    a, b = body.cg_to_front_axle_m, body.cg_to_rear_axle_m
    cf, cr = axles.cornering_stiffness_front_n_per_rad, axles.cornering_stiffness_rear_n_per_rad
    s = 2j * math.pi * hz
    matrix = np.array(
        [
            [m * s + (cf + cr) / u, m * u + (a * cf - b * cr) / u],
            [(a * cf - b * cr) / u, inertia * s + (a * a * cf + b * b * cr) / u],
        ]
    )
    v, r = np.linalg.solve(matrix, np.array([cf, a * cf]))
    return complex(r), complex(s * v + u * r)


def _of_wheels_kgm2(car: VehicleParameters) -> float:
    """Return the wheels' spin inertia as felt by the yawing body."""
    wheels, body = car.wheels, car.body
    front = wheels.inertia_front_kgm2 * body.track_front_m**2
    rear = wheels.inertia_rear_kgm2 * body.track_rear_m**2
    return 0.5 * (front + rear) / wheels.radius_m**2


def driven_gains(vehicle: Vehicle, speed_mps: float, hz: float) -> tuple[complex, complex]:
    """Return the same for our car, from a sine of the wheel angle once it has settled."""
    vehicle.reset(InitialState(vx_mps=speed_mps))
    periods = max(3, math.ceil(hz * 2.0))
    count = round(periods / hz / HOLD_S)
    settle = round(math.ceil(SETTLES_S * hz) / hz / HOLD_S)
    steer = yaw = side = 0j
    for k in range(settle + count):
        at_s = k * HOLD_S
        angle = SMALL_RAD * math.sin(2.0 * math.pi * hz * at_s)
        vehicle.step_force(angle, 0.0, vehicle.substep_s)
        first = vehicle.motion()
        vehicle.step_force(angle, 0.0, HOLD_S - vehicle.substep_s)
        if k >= settle:
            # The means over the hold belong to its middle.
            last = vehicle.motion()
            middle = cmath.exp(-2j * math.pi * hz * (at_s + 0.5 * HOLD_S))
            steer += angle * middle
            yaw += 0.5 * (first.yaw_rate_radps + last.yaw_rate_radps) * middle
            side += 0.5 * (first.ay_mps2 + last.ay_mps2) * middle
    return yaw / steer, side / steer


def _with_open_axles(name: str) -> VehicleParameters:
    """Return a shipped car; a locked axle resists turning, which the theory does not know."""
    shipped = load_vehicle(name)
    open_axles = dataclasses.replace(shipped.drivetrain, differential_rear="open")
    return dataclasses.replace(shipped, drivetrain=open_axles)


def _below_theory_at_held_speed(name: str, speed_mps: float) -> float:
    """Return by which share a car with drag and rolling resistance turns less than the theory."""
    car = _with_open_axles(name)
    vehicle = Vehicle(car, load_tyre("mf96"), Ground(base_mu=car.axles.mu_nominal))
    vehicle.reset(InitialState(vx_mps=speed_mps))
    for _ in range(round(8.0 / DRIVER_S)):
        lacking = speed_mps - vehicle.motion().vx_mps
        vehicle.step_force(SMALL_RAD, DRIVER_N_PER_MPS * lacking, DRIVER_S)
    m = vehicle.motion()
    law = gains(car, m.vx_mps, 0.0)[0].real
    return 1.0 - m.yaw_rate_radps / SMALL_RAD / law


def with_drag() -> Claim:
    """What drag, lift and rolling resistance make of the steady gain."""
    most = [max(_below_theory_at_held_speed(name, u) for name in CARS) for u in SPEEDS_MPS]
    shown = ", ".join(
        f"{100.0 * share:.1f} % at {u:g} m/s" for share, u in zip(most, SPEEDS_MPS, strict=True)
    )
    return Claim(
        what="the steady yaw rate of these cars at a held speed, with drag, lift and rolling "
        "resistance",
        against="the same theory, which has none of them",
        measured=f"lower by up to {shown}",
        bound="5 %",
        passed=all(0.0 <= share <= 0.05 for share in most),
    )


def linear_theory() -> tuple[Claim, ...]:
    """Steady gain and frequency response, without drag and rolling resistance."""
    tyre = dataclasses.replace(load_tyre("mf96"), rolling_resistance=0.0)
    steady = size = phase_deg = 0.0
    for name in CARS:
        shipped = _with_open_axles(name)
        no_air = dataclasses.replace(shipped.aero, frontal_area_m2=0.0)
        car = dataclasses.replace(shipped, aero=no_air)
        vehicle = Vehicle(car, tyre, Ground(base_mu=car.axles.mu_nominal))
        for speed in SPEEDS_MPS:
            vehicle.reset(InitialState(vx_mps=speed))
            vehicle.step_force(SMALL_RAD, 0.0, 8.0)
            m = vehicle.motion()
            law = gains(car, m.vx_mps, 0.0)[0].real
            steady = max(steady, abs(m.yaw_rate_radps / SMALL_RAD / law - 1.0))
            for hz in FREQUENCIES_HZ:
                for ours, theirs in zip(
                    driven_gains(vehicle, speed, hz), gains(car, speed, hz), strict=True
                ):
                    ratio = ours / theirs
                    size = max(size, abs(abs(ratio) - 1.0))
                    phase_deg = max(phase_deg, abs(math.degrees(cmath.phase(ratio))))
    speeds = ", ".join(f"{speed:g}" for speed in SPEEDS_MPS)
    places = f"{', '.join(CARS)} with open differentials at {speeds} m/s"
    return (
        Claim(
            what=f"steady yaw rate per wheel angle, {places}, without drag and rolling resistance",
            against="linear theory of the single track",
            measured=f"differs by at most {100.0 * steady:.3f} %",
            bound="0.1 %",
            passed=steady <= 1e-3,
        ),
        Claim(
            what="the same with lateral acceleration, sines of 0.5, 1 and 3 Hz",
            against="linear theory of the single track",
            measured=f"size within {100.0 * size:.2f} %, phase within {phase_deg:.2f} degrees",
            bound="0.5 %, 0.5 degrees",
            passed=size <= 0.005 and phase_deg <= 0.5,
        ),
        with_drag(),
    )
