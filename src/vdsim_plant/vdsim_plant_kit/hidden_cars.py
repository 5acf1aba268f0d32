"""Logs of cars whose parameters are known to the test alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.actuator import ActuatorParameters, ChannelParameters
from vdsim_plant.parameters import TyreParameters, VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.study.identify.candidates import (
    STEER_OFFSET,
)
from vdsim_plant.study.identify.channels import FORCES, MEASURED_NAMES
from vdsim_plant.study.identify.drives import DRIVES, Drive
from vdsim_plant.study.identify.judgement import UNDERSTEER
from vdsim_plant.study.identify.next_drives import driven
from vdsim_plant.study.identify.unknowns import (
    Start,
)
from vdsim_plant.vehicle_characteristics import understeer_gradient

Array = NDArray[np.float64]
MU = 0.85
TICK_S = 0.001


def hidden_car(seed: int, preset: str = "ioniq5_awd", spread: float = 0.2) -> VehicleParameters:
    """Return a car whose parameters are up to `spread` away from a preset's."""
    rng = np.random.default_rng(seed)
    car = load_vehicle(preset)

    def near(value: float) -> float:
        return float(value * np.exp(rng.uniform(-spread, spread)))

    body = car.body
    front = body.wheelbase_m * min(
        max(body.cg_to_front_axle_m / body.wheelbase_m + rng.uniform(-0.06, 0.06), 0.35), 0.6
    )
    inertia, low, high = near(1.0), near(1.0), near(1.0)
    return replace(
        car,
        body=replace(
            body,
            mass_kg=near(body.mass_kg),
            roll_inertia_kgm2=body.roll_inertia_kgm2 * inertia,
            pitch_inertia_kgm2=body.pitch_inertia_kgm2 * inertia,
            yaw_inertia_kgm2=body.yaw_inertia_kgm2 * inertia,
            cg_to_front_axle_m=front,
            cg_to_rear_axle_m=body.wheelbase_m - front,
            cg_height_m=near(body.cg_height_m),
        ),
        wheels=replace(car.wheels, radius_m=near(car.wheels.radius_m)),
        axles=replace(
            car.axles,
            cornering_stiffness_front_n_per_rad=near(car.axles.cornering_stiffness_front_n_per_rad),
            # No car that is sold oversteers.
            cornering_stiffness_rear_n_per_rad=near(
                1.25 * car.axles.cornering_stiffness_rear_n_per_rad
            ),
            mu_nominal=MU,
        ),
        aero=replace(car.aero, drag_coefficient=near(car.aero.drag_coefficient)),
        brakes=replace(
            car.brakes,
            max_torque_nm=near(1.6 * car.brakes.max_torque_nm),
            front_share=float(rng.uniform(0.58, 0.72)),
        ),
        drivetrain=replace(
            car.drivetrain,
            motor_torque_curve=tuple(
                (w, t * low * (high / low) ** (w / 1000.0))
                for w, t in car.drivetrain.motor_torque_curve
            ),
        ),
    )


def hidden_tyre(seed: int, spread: float = 0.2) -> TyreParameters:
    """Return a tyre near the standard one."""
    rng = np.random.default_rng(1000 + seed)
    tyre = load_tyre("mf96")
    stiffness = tyre.mf96.slip_stiffness_per_load * np.exp(rng.uniform(-spread, spread))
    return replace(
        tyre,
        rolling_resistance=float(0.012 * np.exp(rng.uniform(-spread, spread))),
        mf96=replace(tyre.mf96, slip_stiffness_per_load=float(stiffness)),
    )


def hidden_actuators(seed: int) -> ActuatorParameters:
    """Return delays of whole ticks and lags."""
    rng = np.random.default_rng(2000 + seed)

    def channel() -> ChannelParameters:
        delay = float(rng.integers(10, 60)) * TICK_S
        return ChannelParameters(delay_s=delay, lag_s=float(rng.uniform(0.03, 0.15)))

    return ActuatorParameters(steering=channel(), throttle=channel(), brake=channel())


def noisy_log(
    vehicle: VehicleParameters,
    tyre: TyreParameters,
    actuators: ActuatorParameters,
    *,
    duration_s: float,
    seed: int,
    noise: float = 0.02,
    steer_offset_rad: float = 0.0,
    drives: tuple[Drive, ...] = DRIVES,
    mu: float = MU,
    level: str = "l2",
) -> dict[str, Array]:
    """Return the columns of a drive; what is measured has noise of `noise` times its rms.

    Left out: the wheels' forces, the speed across and the steering wheel, which few cars log.
    """
    columns = driven(
        vehicle,
        tyre,
        actuators,
        mu=mu,
        steer_offset_rad=steer_offset_rad,
        drives=drives,
        duration_s=duration_s,
        level=level,
    )
    rng = np.random.default_rng(3000 + seed)
    for name in ("vy_mps", "command_steering_wheel_rad", "steering_wheel_rad", *FORCES):
        columns.pop(name)
    for name in (name for name in MEASURED_NAMES if name in columns):
        scale = noise * float(np.sqrt(np.mean(columns[name] ** 2)))
        columns[name] += rng.normal(0.0, scale, len(columns[name]))
    return columns


def truth(seed: int, start: Start, steer_offset_rad: float = 0.0) -> dict[str, float]:
    """Return the true value of every unknown of a fit with that start."""
    values = Start(
        vehicle=hidden_car(seed),
        tyre=hidden_tyre(seed),
        mu=MU,
        motor_knots_radps=start.motor_knots_radps,
    ).values()
    values[STEER_OFFSET] = steer_offset_rad
    actuators = hidden_actuators(seed)
    for name in ("steering", "throttle", "brake"):
        channel = getattr(actuators, name)
        # The layer's position of a tick is that at its end: half a tick ahead.
        values[f"actuator.{name}.delay_s"] = channel.delay_s - 0.5 * TICK_S
        values[f"actuator.{name}.lag_s"] = channel.lag_s
    axles = hidden_car(seed).axles
    values[UNDERSTEER] = understeer_gradient(
        hidden_car(seed),
        axles.cornering_stiffness_front_n_per_rad,
        axles.cornering_stiffness_rear_n_per_rad,
    )
    return values
