"""Cars on tyres from property files, their bodies on springs (level l3), as foreign cars.

The plant's own equations, but not those that are fitted: PAC2002 with its loads, combined slip and
peaks, bodies that heave, pitch and roll, wheels with heights of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.ground import Ground
from vdsim_plant.motion import InitialState, WheelTorques
from vdsim_plant.parameters import VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.vehicle import Vehicle

Array = NDArray[np.float64]
PART_S = 0.005
KINDS = (
    ("compact_fwd", "road_195_65r15"),
    ("ioniq5_awd", "road_235_55r19"),
    ("sport_rwd", "road_235_55r19"),
)


@dataclass(frozen=True)
class TirCar:
    """A car, its tyre, and the steering between the command and the wheels."""

    vehicle: VehicleParameters
    tyre: str
    steer_delay: float
    steer_lag: float
    steer_offset: float

    @property
    def name(self) -> str:
        """What it is drawn about."""
        return f"{self.vehicle.name} on {self.tyre}"

    @property
    def mass(self) -> float:
        """Of the whole car [kg]."""
        return self.vehicle.body.mass_kg

    @property
    def wheelbase(self) -> float:
        """Between the axles [m]."""
        return self.vehicle.body.wheelbase_m

    @property
    def rolling(self) -> float:
        """Resistance over load."""
        return load_tyre(self.tyre).rolling_resistance

    @property
    def drag_area(self) -> float:
        """Drag coefficient times area [m2]."""
        return self.vehicle.aero.drag_coefficient * self.vehicle.aero.frontal_area_m2


def tir_car(number: int) -> TirCar:
    """Return a car drawn about a preset."""
    rng = np.random.default_rng(4200 + number)
    preset, tyre = KINDS[number % len(KINDS)]
    car = load_vehicle(preset)

    def near(value: float, by: float = 0.12) -> float:
        return float(value * math.exp(rng.uniform(-by, by)))

    body = car.body
    front = body.cg_to_front_axle_m + float(rng.uniform(-0.06, 0.06))
    inertia = near(1.0)
    varied = replace(
        car,
        body=replace(
            body,
            mass_kg=near(body.mass_kg),
            yaw_inertia_kgm2=body.yaw_inertia_kgm2 * inertia,
            roll_inertia_kgm2=body.roll_inertia_kgm2 * inertia,
            pitch_inertia_kgm2=body.pitch_inertia_kgm2 * inertia,
            cg_to_front_axle_m=front,
            cg_to_rear_axle_m=body.wheelbase_m - front,
            cg_height_m=near(body.cg_height_m, 0.06),
        ),
        aero=replace(car.aero, drag_coefficient=near(car.aero.drag_coefficient)),
        # A locked differential is known to whoever has the car, and no log of the start's shows it.
        drivetrain=replace(car.drivetrain, differential_front="open", differential_rear="open"),
    )
    lag = near(0.06, 0.3)
    return TirCar(varied, tyre, 0.03, lag, float(rng.uniform(-0.005, 0.005)))


def vehicle_of(car: TirCar) -> Vehicle:
    """Return the car that drives."""
    return Vehicle(car.vehicle, car.tyre, Ground(base_mu=1.0), level="l3")


def driven(
    car: TirCar, steer: Array, push: Array, period_s: float, start: float = 12.0
) -> dict[str, Array]:
    """Drive by angles [rad] and accelerations asked for [m/s2]; every channel without noise."""
    vehicle, parameters = vehicle_of(car), car.vehicle
    front = np.where(
        push > 0.0, parameters.drivetrain.drive_split_front, parameters.brakes.front_share
    )
    shares = 0.5 * np.stack((front, front, 1.0 - front, 1.0 - front), axis=1)
    torque = shares * (push * car.mass * parameters.wheels.radius_m)[:, np.newaxis]
    parts = round(period_s / PART_S)
    late = round(car.steer_delay / PART_S)
    asked = np.concatenate((np.full(late, steer[0]), np.repeat(steer, parts)))[: len(steer) * parts]
    share = 1.0 - math.exp(-PART_S / car.steer_lag)
    vehicle.reset(InitialState(vx_mps=start))
    angle = float(asked[0])
    rows = []
    for row in range(len(steer)):
        motion = vehicle.motion()
        seen = (motion.vx_mps, motion.vy_mps, motion.yaw_rate_radps, motion.ax_mps2)
        rows.append((*seen, motion.ay_mps2, *motion.wheel_spin_radps))
        wheels = torque[row].tolist()
        drive, brake = ([max(sign * t, 0.0) for t in wheels] for sign in (1.0, -1.0))
        four = WheelTorques(tuple(drive), tuple(brake))
        for part in range(parts):
            # The mean over the part of an angle that nears what is asked.
            gap = float(asked[row * parts + part]) - angle
            mean = angle + gap * (1.0 - share * car.steer_lag / PART_S)
            vehicle.step_force(mean + car.steer_offset, 0.0, PART_S, four)
            angle += share * gap
    names = ("vx_mps", "vy_mps", "yaw_rate_radps", "ax_mps2", "ay_mps2")
    table = np.array(rows)
    columns = {name: table[:, k].copy() for k, name in enumerate(names)}
    for k, wheel in enumerate(("fl", "fr", "rl", "rr")):
        columns[f"wheel_spin_radps_{wheel}"] = table[:, 5 + k].copy()
        columns[f"wheel_torque_nm_{wheel}"] = torque[:, k].copy()
    columns["command_steer_rad"] = steer.copy()
    columns["time_s"] = period_s * np.arange(len(steer))
    return columns


def truth_of(car: TirCar) -> dict[str, float]:
    """Return what tests of the car measure: axles in a bend of 0.1 g at 20 m/s, peaks at rest."""
    body = car.vehicle.body
    a, b = body.cg_to_front_axle_m, body.cg_to_rear_axle_m
    vehicle = vehicle_of(car)
    vehicle.reset(InitialState(vx_mps=20.0))
    angle = 0.981 * ((a + b) / 400.0 + 0.003)
    for _ in range(800):
        vehicle.step_force(angle, 20e3 * (20.0 - vehicle.motion().vx_mps), 0.01)
    motion = vehicle.motion()
    force = body.mass_kg * motion.ay_mps2 / (a + b)
    front = (
        force * b / (angle - math.atan((motion.vy_mps + a * motion.yaw_rate_radps) / motion.vx_mps))
    )
    rear = force * a / -math.atan((motion.vy_mps - b * motion.yaw_rate_radps) / motion.vx_mps)
    still = vehicle_of(car)
    return {
        "body.mass_kg": body.mass_kg,
        "body.yaw_inertia_kgm2": body.yaw_inertia_kgm2,
        "body.cg_to_front_axle_m": a,
        "body.cg_height_m": body.cg_height_m,
        "axles.cornering_stiffness_front_n_per_rad": front,
        "axles.cornering_stiffness_rear_n_per_rad": rear,
        "understeer_gradient": body.mass_kg / (a + b) * (b / front - a / rear),
        "road.mu": float(np.mean(still.motion().mu_peak)),
        "aero.drag_coefficient": car.vehicle.aero.drag_coefficient,
        "wheels.radius_m": car.vehicle.wheels.radius_m,
        "wheels.inertia_front_kgm2": car.vehicle.wheels.inertia_front_kgm2,
        "steering.offset_rad": car.steer_offset,
        "actuator.steering.delay_s": car.steer_delay,
        "actuator.steering.lag_s": car.steer_lag,
        "wheel_torque.delay_s": 0.0,
    }
