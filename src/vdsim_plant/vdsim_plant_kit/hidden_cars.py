"""Logs of cars whose parameters are known to the test alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters, ChannelParameters
from vdsim_plant.ground import Ground
from vdsim_plant.identify.channels import FORCES, SPINS, TORQUES
from vdsim_plant.identify.drives import DRIVES, Drive, Program
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import TyreParameters, VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.vehicle import Vehicle

Array = NDArray[np.float64]
PERIOD_S = 0.01
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
            cornering_stiffness_front_n_per_rad=near(
                car.axles.cornering_stiffness_front_n_per_rad
            ),
            # No car that is sold oversteers.
            cornering_stiffness_rear_n_per_rad=near(
                1.25 * car.axles.cornering_stiffness_rear_n_per_rad
            ),
            mu_nominal=0.85,
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


def drive_log(
    vehicle: VehicleParameters,
    tyre: TyreParameters,
    actuators: ActuatorParameters,
    *,
    mu: float = 0.85,
    steer_offset_rad: float = 0.0,
    drives: tuple[Drive, ...] = DRIVES,
    duration_s: float = 600.0,
    noise: float = 0.02,
    seed: int = 0,
) -> dict[str, Array]:
    """Return the columns of a drive at 100 Hz: `drives` again and again for the whole time.

    Each measured channel has white noise of `noise` times its root mean square.
    """
    car = Vehicle(vehicle, tyre, Ground(base_mu=mu), substep_s=TICK_S)
    car.reset(InitialState(vx_mps=5.0))
    layer = ActuatorLayer(actuators)
    rows: list[list[float]] = []
    program = Program(drives)
    for tick in range(round(duration_s / PERIOD_S)):
        time_s = tick * PERIOD_S
        speed = car._car.item(at.VX)
        controls = program.controls(time_s, speed)
        if controls is None:
            program = Program(drives)
            began = time_s
            controls = program.controls(0.0, speed) or (0.0, 0.0, 0.0)
            program._began_s = began
        steer, throttle, brake = controls
        asked = PedalInput(steer_rad=steer, throttle=throttle, brake=brake, gear=1, handbrake=False)
        position = layer._steering._position
        rows.append([time_s, steer, throttle, brake, position, *_numbers(car)])
        for _ in range(round(PERIOD_S / TICK_S)):
            got = layer.realize_pedals(asked, TICK_S)
            car.step_pedals(replace(got, steer_rad=got.steer_rad + steer_offset_rad), TICK_S)
    return _columns(np.array(rows), noise, seed)


def _numbers(car: Vehicle) -> list[float]:
    c = car._car
    spin = c[at.SPIN : at.SPIN + 4]
    torque = c[at.DRIVE : at.DRIVE + 4] - c[at.BRAKE : at.BRAKE + 4]
    return [
        *(c[[at.VX, at.YAW_RATE, at.AX, at.AY]]),
        *spin,
        *torque,
        *c[at.BODY_FX : at.BODY_FX + 4],
    ]


def _columns(table: Array, noise: float, seed: int) -> dict[str, Array]:
    names = ["time_s", "command_steer_rad", "command_throttle", "command_brake", "steer_rad"]
    names += ["vx_mps", "yaw_rate_radps", "ax_mps2", "ay_mps2", *SPINS, *TORQUES, *FORCES]
    rng = np.random.default_rng(3000 + seed)
    columns = dict(zip(names, table.T.copy(), strict=True))
    for name in names[4:]:
        scale = noise * float(np.sqrt(np.mean(columns[name] ** 2)))
        columns[name] += rng.normal(0.0, scale, len(table))
    return columns
