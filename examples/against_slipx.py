"""The plant beside slipx, a double-track model written by others: the same car, the same steering.

Both drive a step of the steering without drive force, and a circle at constant speed. Aligned:
mass, yaw inertia, geometry, cornering stiffness, peak friction, the shape of the magic formula, the
relaxation length, no drag, no rolling resistance. The servo of slipx is made fast, its motor
strong, its loss of friction with load 0. What differs by design: slipx has no wheel dynamics, and
its tyre curve is scaled to the static load. SI units, ISO 8855.
Run with: python against_slipx.py, in an environment with slipx==0.2.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import slipx

from vdsim_plant import VDSimPlant

STEP_S = 1e-3
SLIPX_STEP_S = 1e-4
RELAXATION_M = 0.01
"""Of the tyres of both: slipx cannot be without, and is not stable with less at its step."""
MU = 0.9
CAR = {
    "aero.drag_coefficient": 0.0,
    "tyre.rolling_resistance": 0.0,
    "tyre.relaxation_length_lateral_m": RELAXATION_M,
    "tyre.relaxation_length_longitudinal_m": RELAXATION_M,
}
STEPS = {"linear": (20.0, 0.02), "hard": (20.0, 0.05)}
"""Name: speed [m/s], wheel angle [rad]; lateral acceleration about 2.5 and 6 m/s^2."""
STEP_LASTS_S = 3.0
CIRCLES = ((10.0, 0.03), (15.0, 0.03), (20.0, 0.02))
"""Speed [m/s] that is held, wheel angle [rad]."""
CIRCLE_LASTS_S = 15.0


@dataclass(frozen=True)
class Motion:
    """Where a car is at the end of a drive, and the largest yaw rate on the way."""

    x_m: float
    y_m: float
    vx_mps: float
    sideslip_rad: float
    yaw_rate_radps: float
    peak_yaw_rate_radps: float


Speed = float | None  # to hold; None: coast


def plant_drive(speed_mps: float, steer_rad: float, lasts_s: float, hold: Speed) -> Motion:
    """Drive the plant; a speed is held by a force in proportion to what is missing."""
    plant = VDSimPlant(base_mu=MU, control_dt=STEP_S).varied(CAR)
    mass_kg = plant.vehicle.parameters.body.mass_kg
    obs, peak = plant.reset([0.0, 0.0, 0.0, speed_mps, 0.0, 0.0]), 0.0
    for _ in range(round(lasts_s / STEP_S)):
        wanted_mps2 = 0.0 if hold is None else held(obs["vx"], hold)
        obs = plant.step([steer_rad, mass_kg * wanted_mps2])
        peak = max(peak, abs(obs["r"]))
    return Motion(obs["X"], obs["Y"], obs["vx"], obs["beta"], obs["r"], peak)


def held(vx_mps: float, wanted_mps: float) -> float:
    """Acceleration [m/s^2] that keeps a speed."""
    return 20.0 * (wanted_mps - vx_mps)


def slipx_drive(speed_mps: float, steer_rad: float, lasts_s: float, hold: Speed) -> Motion:
    """Drive slipx's model of the same car."""
    model = slipx.VehicleModel.create(slipx.Tier.L2_DoubleTrack, slipx_car())
    state, peak = slipx.VehicleState(), 0.0
    state.vel_body.x = speed_mps
    state.steer = steer_rad  # its servo has arrived, as the plant's input has
    for _ in range(round(lasts_s / SLIPX_STEP_S)):
        wanted_mps2 = 0.0 if hold is None else held(state.vx, hold)
        asked = slipx.DriveInput(steer_cmd=steer_rad, accel_cmd=wanted_mps2)
        model.step(state, asked, SLIPX_STEP_S)
        peak = max(peak, abs(state.yaw_rate))
    return Motion(state.pos.x, state.pos.y, state.vx, state.sideslip(), state.yaw_rate, peak)


def slipx_car() -> slipx.VehicleParams:
    """Return the plant's car in slipx's parameters."""
    vehicle = VDSimPlant().vehicle
    car, tyre = vehicle.parameters, vehicle.tyre
    params = slipx.load_reference_car().params_for_tier(slipx.Tier.L2_DoubleTrack)
    body = car.body
    params.mass, params.izz = body.mass_kg, body.yaw_inertia_kgm2
    params.ixx, params.iyy = body.roll_inertia_kgm2, body.pitch_inertia_kgm2
    params.lf, params.lr = body.cg_to_front_axle_m, body.cg_to_rear_axle_m
    params.track_front, params.track_rear = body.track_front_m, body.track_rear_m
    params.h_cog, params.wheel_radius = body.cg_height_m, car.wheels.radius_m
    params.c_alpha_f = car.axles.cornering_stiffness_front_n_per_rad
    params.c_alpha_r = car.axles.cornering_stiffness_rear_n_per_rad
    weight_n = body.mass_kg * 9.81
    params.c_kappa = tyre.mf96.slip_stiffness_per_load * weight_n / 4.0
    params.mu_clip, params.drag_coeff, params.roll_resist = MU, 0.0, 0.0
    params.layout = slipx.DriveLayout.AllWheelDrive
    params.differential = slipx.Differential.Open
    for coefficients in (params.tyre_front, params.tyre_rear):
        coefficients.mu_y0 = coefficients.mu_x0 = MU
        coefficients.shape_c, coefficients.curvature_e = tyre.mf96.lateral_shape, 0.0
        coefficients.k_mu, coefficients.relax_length = 1e-6, RELAXATION_M
    strong(params)
    return params


def strong(params: slipx.VehicleParams) -> None:
    """Take the limits of a model car's servo, motor and battery away."""
    params.accel_max = params.decel_max = 20.0
    params.v_max, params.steer_max = 100.0, 0.6
    params.torque_stall, params.omega_free, params.torque_per_amp = 2e4, 1e4, 10.0
    params.current_max = params.regen_current_max = 1e4
    params.pack_capacity_ah, params.pack_internal_resistance = 1e6, 1e-6
    params.steer_rate_max, params.steer_bandwidth, params.steer_damping = 100.0, 200.0, 1.0


Both = tuple[Motion, Motion]


def steps() -> dict[str, Both]:
    """Step the steering in both models: the plant's motion, slipx's."""
    return {
        name: both(lambda drive, v=v, steer=steer: drive(v, steer, STEP_LASTS_S, None))
        for name, (v, steer) in STEPS.items()
    }


def circles() -> dict[tuple[float, float], Both]:
    """Drive circles at constant speed in both models."""
    return {
        (v, steer): both(lambda drive, v=v, steer=steer: drive(v, steer, CIRCLE_LASTS_S, v))
        for v, steer in CIRCLES
    }


def both(drive: Callable[..., Motion]) -> Both:
    """Do the same with both models."""
    return drive(plant_drive), drive(slipx_drive)


def main() -> None:
    """Print what both models do."""
    for name, (ours, theirs) in steps().items():
        apart_m = math.hypot(ours.x_m - theirs.x_m, ours.y_m - theirs.y_m)
        print(f"{name} step: {apart_m:.3f} m apart after {STEP_LASTS_S:g} s")
        _rows(ours, theirs)
    for (speed_mps, steer_rad), (ours, theirs) in circles().items():
        print(f"circle at {speed_mps:g} m/s, {steer_rad:g} rad")
        _rows(ours, theirs)


def _rows(ours: Motion, theirs: Motion) -> None:
    for key in ("vx_mps", "sideslip_rad", "yaw_rate_radps", "peak_yaw_rate_radps"):
        mine, other = getattr(ours, key), getattr(theirs, key)
        print(f"  {key:20} plant {mine:9.5f}   slipx {other:9.5f}   {mine / other - 1.0:+.2%}")


if __name__ == "__main__":
    main()
