"""Which parameters a log can tell by its channels, and the car that their values make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.study.identify.candidates import (
    ACTUATOR_UNKNOWNS,
    BODY_UNKNOWNS,
    CANDIDATES,
    GIVEN,
    LOAD_LAG,
    MU,
    PEDAL_UNKNOWNS,
    ROLL_ASIDE,
    ROLL_SHARE,
    SCALE,
    STEER_OFFSET,
    STEERING_UNKNOWNS,
    TILT,
    TORQUE_DELAY,
    WHEEL_INERTIA,
    Unknown,
)
from vdsim_plant.study.identify.channels import BANK, FORCES, SPINS, TORQUES
from vdsim_plant.study.identify.drive_log import DriveLog

Array = NDArray[np.float64]
MOTOR_KNOTS = 8  # even ones; those of the start come on top
NEAR_TOP = 0.1  # a bend of the start's curve so little above the fastest speed is the last knot
SAME_KNOT = 0.02  # of the fastest speed: a bend so little below it is the last knot, too
SLOW_SHARE = 0.05  # of the fastest speed: a log that begins below it shows the torque from 0 on
SLOWEST_TOP_MPS = 1.0  # a log that is slower shows no torque over speed
_TYRE_SHAPE = tuple(u.key for u in (*BODY_UNKNOWNS, *GIVEN) if u.key.startswith("tyre.mf96."))
_NO_PART = (STEER_OFFSET, SCALE, ROLL_SHARE)  # of the car's files by that name


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where a fit begins: the files of a similar car."""

    vehicle: VehicleParameters
    tyre: TyreParameters
    mu: float
    motor_knots_radps: tuple[float, ...] = ()
    """Motor speeds at which the full-throttle torque is found [rad/s]."""
    known: Mapping[str, float] = field(default_factory=dict)
    """Values that are given and not to be found."""
    held_torque: bool = False
    """Whether a row's wheel torque is in force until the next one; else straight between both."""
    measured_steering: bool = False
    """Whether a measured angle steers, which is hardly late, and no command."""

    def values(self) -> dict[str, float]:
        """Return the start value of every unknown."""
        values = {
            unknown.key: _get(self.vehicle, unknown.key)
            for unknown in (*BODY_UNKNOWNS, *PEDAL_UNKNOWNS, *STEERING_UNKNOWNS)
            if unknown.key.split(".")[0] not in ("tyre", "road") and unknown.key not in _NO_PART
        }
        for key in _TYRE_SHAPE:
            values[key] = getattr(self.tyre.mf96, key.rpartition(".")[2])
        for name in ("rolling_resistance", "relaxation_length_lateral_m"):
            values[f"tyre.{name}"] = getattr(self.tyre, name)
        values[MU] = self.mu
        values[STEER_OFFSET] = 0.0
        values[SCALE] = 1.0
        values[TORQUE_DELAY] = 0.0
        values[TILT] = 0.0
        values[LOAD_LAG] = 0.0
        values[ROLL_ASIDE] = 0.0
        suspension = self.vehicle.suspension
        front = suspension.roll_stiffness_front_nm_per_rad
        values[ROLL_SHARE] = front / (front + suspension.roll_stiffness_rear_nm_per_rad)
        for unknown in ACTUATOR_UNKNOWNS:
            values[unknown.key] = 0.03 if unknown.key.endswith("delay_s") else 0.08
        if self.measured_steering:
            values["actuator.steering.delay_s"], values["actuator.steering.lag_s"] = 0.0, 0.03
        speeds, torques = zip(*self.vehicle.drivetrain.motor_torque_curve, strict=True)
        for k, speed in enumerate(self.motor_knots_radps):
            values[motor_key(k)] = float(np.interp(speed, speeds, torques))
        return {**values, **self.known}


_PUSHED = (
    "body.mass_kg",
    "body.cg_height_m",
    "tyre.mf96.slip_stiffness_per_load",
    "tyre.mf96.longitudinal_shape",
    "tyre.rolling_resistance",
    "aero.drag_coefficient",
    WHEEL_INERTIA,
)
"""What no log shows that has a speed and no forces."""


def motor_key(knot: int) -> str:
    """Return the name of the full-throttle torque at a knot."""
    return f"drivetrain.motor_torque_nm[{knot}]"


def unknowns_of(log: DriveLog, start: Start) -> tuple[dict[str, Unknown], dict[str, str]]:
    """Return the unknowns that the channels of a log may tell, and why the others cannot."""
    reasons: dict[str, str] = {}
    pedals = log.has("command_throttle", "command_brake")
    spins, forces = log.has(*SPINS), log.has(*TORQUES) or log.has(*FORCES)
    by_speed = log.by_speed
    steered = log.has("command_steer_rad") or log.has("command_steering_wheel_rad") or by_speed
    by_wheel = log.has("command_steering_wheel_rad") or not (
        log.has("command_steer_rad") or log.has("steer_rad")
    )
    if not forces:
        reasons["body.mass_kg"] = (
            "needs wheel torques or wheel forces; forces, stiffness and inertia scale with it"
        )
    if not spins:
        for key in (
            *("body.cg_height_m", "tyre.mf96.slip_stiffness_per_load"),
            "tyre.mf96.longitudinal_shape",
            *("wheels.radius_m", WHEEL_INERTIA),
        ):
            reasons[key] = "needs wheel speeds"
    if not pedals:
        for unknown in PEDAL_UNKNOWNS:
            reasons[unknown.key] = "needs the commands of the pedals"
    if pedals or by_speed:
        reasons[TORQUE_DELAY] = "no wheel torque drives this log"
    if not log.has("ay_mps2", "yaw_rate_radps"):
        reasons[TILT] = "needs ay_mps2 and yaw_rate_radps"
    elif log.has(BANK.name):
        reasons[TILT] = "the channel shows the bank of the road"
    if by_speed:
        for key in _PUSHED:
            reasons[key] = "needs the commands of the pedals, or wheel torques"
    if by_wheel or not by_speed:
        reasons[SCALE] = "the steering's ratio says it" if by_wheel else "the command is exact"
    if not (spins or log.has(*TORQUES)):
        for key in ("brakes.front_share", "drivetrain.drive_split_front"):
            reasons[key] = "needs wheel speeds or wheel torques"
    if not 0.0 < start.vehicle.drivetrain.drive_split_front < 1.0:
        reasons["drivetrain.drive_split_front"] = "one axle is driven"
    if not by_wheel:
        reasons["steering.ratio"] = "needs the angle of the steering wheel"
    for unknown in ACTUATOR_UNKNOWNS:
        if not (steered if ".steering." in unknown.key else pedals):
            reasons[unknown.key] = "needs its command"
    found = {u.key: u for u in CANDIDATES if u.key not in reasons}
    if pedals:
        for k, speed in enumerate(start.motor_knots_radps):
            found[motor_key(k)] = Unknown(
                key=motor_key(k),
                unit="N m",
                shown_by=f"throttle at {_road_speed(start.vehicle, speed):.0f} m/s",
            )
    return found, reasons


def car_of(start: Start, values: Mapping[str, float]) -> tuple[VehicleParameters, TyreParameters]:
    """Return the car with these values; its stiffness holds on the road's own friction."""
    vehicle, body = start.vehicle, start.vehicle.body
    front = values["body.cg_to_front_axle_m"]
    front = min(max(front, 0.05 * body.wheelbase_m), 0.95 * body.wheelbase_m)
    # Inertias about the other axes do not act; together they keep what a body can have.
    inertia = values["body.yaw_inertia_kgm2"] / body.yaw_inertia_kgm2
    body = replace(
        body,
        mass_kg=values["body.mass_kg"],
        roll_inertia_kgm2=body.roll_inertia_kgm2 * inertia,
        pitch_inertia_kgm2=body.pitch_inertia_kgm2 * inertia,
        yaw_inertia_kgm2=body.yaw_inertia_kgm2 * inertia,
        cg_to_front_axle_m=front,
        cg_to_rear_axle_m=start.vehicle.body.wheelbase_m - front,
        cg_height_m=max(values["body.cg_height_m"], _lowest_height(vehicle)),
    )
    stiffness: dict[str, Any] = {
        f"cornering_stiffness_{axle}_n_per_rad": values[
            f"axles.cornering_stiffness_{axle}_n_per_rad"
        ]
        for axle in ("front", "rear")
    }
    suspension = vehicle.suspension
    roll = suspension.roll_stiffness_front_nm_per_rad + suspension.roll_stiffness_rear_nm_per_rad
    share = values[ROLL_SHARE]
    changed = replace(
        vehicle,
        body=body,
        suspension=replace(
            suspension,
            roll_stiffness_front_nm_per_rad=roll * share,
            roll_stiffness_rear_nm_per_rad=roll * (1.0 - share),
        ),
        wheels=replace(
            vehicle.wheels,
            radius_m=values["wheels.radius_m"],
            inertia_front_kgm2=values[WHEEL_INERTIA],
            inertia_rear_kgm2=vehicle.wheels.inertia_rear_kgm2
            * (values[WHEEL_INERTIA] / vehicle.wheels.inertia_front_kgm2),
        ),
        axles=replace(vehicle.axles, mu_nominal=values[MU], **stiffness),
        aero=replace(vehicle.aero, drag_coefficient=values["aero.drag_coefficient"]),
        brakes=replace(
            vehicle.brakes,
            max_torque_nm=values["brakes.max_torque_nm"],
            front_share=values["brakes.front_share"],
        ),
        steering=replace(vehicle.steering, ratio=values["steering.ratio"]),
        drivetrain=replace(
            vehicle.drivetrain,
            drive_split_front=values["drivetrain.drive_split_front"],
            motor_torque_curve=motor_curve(start, values),
        ),
    )
    mf96 = replace(
        start.tyre.mf96,
        **{key.rpartition(".")[2]: values[key] for key in _TYRE_SHAPE},
    )
    tyre = replace(
        start.tyre,
        mf96=mf96,
        rolling_resistance=values["tyre.rolling_resistance"],
        relaxation_length_lateral_m=values["tyre.relaxation_length_lateral_m"],
    )
    return changed, tyre


def motor_curve(start: Start, values: Mapping[str, float]) -> tuple[tuple[float, float], ...]:
    """Return the torque curve: the knots, and beyond them the start's in proportion."""
    old = start.vehicle.drivetrain.motor_torque_curve
    if not start.motor_knots_radps:
        return old
    knots = start.motor_knots_radps
    found = [values[motor_key(k)] for k in range(len(knots))]
    speeds, torques = zip(*old, strict=True)

    def ratio(k: int) -> float:
        of_start = float(np.interp(knots[k], speeds, torques))
        return found[k] / of_start if of_start > 0.0 else 1.0

    slower = [(w, t * ratio(0)) for w, t in old if w < knots[0] * 0.999]
    faster = [(w, t * ratio(-1)) for w, t in old if w > knots[-1] * 1.001]
    return (*slower, *zip(knots, found, strict=True), *faster)


def motor_knots(log: DriveLog, vehicle: VehicleParameters) -> tuple[float, ...]:
    """Return motor speeds [rad/s] from the slowest to the fastest at which the log has throttle.

    They are those of the start, where curves bend, and between them as many as make them dense.
    The first is 0 for a log that has throttle nearly at standstill. The last is the point of the
    start's curve just above the fastest, if there is one.
    """
    if not log.has("command_throttle"):
        return ()
    with_throttle = log.columns["command_throttle"] > 0.05
    driven = log.columns["vx_mps"][with_throttle]
    if len(driven) == 0 or np.quantile(driven, 0.995) < SLOWEST_TOP_MPS:
        return ()
    turned = np.abs(_motor_radps(log, vehicle)[with_throttle])
    slowest, top = (float(w) for w in np.quantile(turned, (0.005, 0.995)))
    curve = vehicle.drivetrain.motor_torque_curve
    top = min(top, 0.98 * curve[-1][0])
    bends = [w for w, _ in curve[:-1] if w > 0.0]
    near = [w for w in bends if -SAME_KNOT * top < w - top < NEAR_TOP * top]
    top = min(near, default=top)
    first = 0.0 if slowest < SLOW_SHARE * top else slowest
    knots = [first]
    for edge in [*(w for w in bends if (1.0 + SAME_KNOT) * first < w < top), top]:
        parts = max(1, round((edge - knots[-1]) / (top / (MOTOR_KNOTS - 1))))
        knots += np.linspace(knots[-1], edge, parts + 1)[1:].tolist()
    return tuple(knots)


def _motor_radps(log: DriveLog, vehicle: VehicleParameters) -> Array:
    """Return the motor's speed: of the wheels, or of the start's where they are not logged."""
    gear = vehicle.drivetrain.gear_ratio
    if log.has(*SPINS):
        turned: Array = gear * np.median([log.columns[name] for name in SPINS], axis=0)
        return turned
    rolling: Array = gear * log.columns["vx_mps"] / vehicle.wheels.radius_m
    return rolling


def _road_speed(vehicle: VehicleParameters, motor_radps: float) -> float:
    return motor_radps / vehicle.drivetrain.gear_ratio * vehicle.wheels.radius_m


def _lowest_height(vehicle: VehicleParameters) -> float:
    suspension = vehicle.suspension
    return max(suspension.roll_centre_front_m, suspension.roll_centre_rear_m, 0.0)


def _get(vehicle: VehicleParameters, key: str) -> float:
    group, name = key.split(".")
    return float(getattr(getattr(vehicle, group), name))
