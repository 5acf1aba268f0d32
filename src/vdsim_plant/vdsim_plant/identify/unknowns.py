"""The parameters that a log can tell: where each goes, what must be logged, what shows it.

A fit works on one number per unknown: the logarithm of value over start for what is positive, the
difference over a scale for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.identify.channels import FORCES, SPINS, TORQUES
from vdsim_plant.identify.drive_log import DriveLog
from vdsim_plant.parameters import TyreParameters, VehicleParameters

Array = NDArray[np.float64]
MOTOR_KNOTS = 8  # even ones; those of the start come on top
NEAR_TOP = 0.1  # a bend of the start's curve so little above the fastest speed is the last knot
SAME_KNOT = 0.02  # of the fastest speed: a bend so little below it is the last knot, too
SLOW_SHARE = 0.05  # of the fastest speed: a log that begins below it shows the torque from 0 on
SLOWEST_TOP_MPS = 1.0  # a log that is slower shows no torque over speed
PRIOR = 0.5  # standard deviation of a logarithm: a factor of 1.65 either way
FURTHEST = 1.6  # a fit goes no further from its start
SMALLEST_LAG_S = 1e-3


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """One number to find. `scale`: 0 for a positive number, else the size of a change of 1."""

    key: str
    unit: str
    shown_by: str
    """What the car must do for it."""
    scale: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    enough: float = 0.015
    """The half width of the 95 % interval at which it counts as known: relative, or absolute
    where `scale` is set."""

    def value(self, start: float, x: float) -> float:
        """Return the value at a place of the fit."""
        value = start + self.scale * x if self.scale else start * math.exp(x)
        return min(max(value, self.low), self.high)

    def bounds(self, start: float) -> tuple[float, float]:
        """Return the lowest and the highest place of the fit."""
        if self.scale:
            return (self.low - start) / self.scale, (self.high - start) / self.scale
        below, above = (
            math.log(edge / start) if 0.0 < edge < math.inf and start > 0.0 else without
            for edge, without in ((self.low, -math.inf), (self.high, math.inf))
        )
        return max(below, -FURTHEST), min(above, FURTHEST)

    def slope(self, value: float) -> float:
        """Return d value / dx."""
        return self.scale or value


STEER_OFFSET = "steering.offset_rad"
MU = "road.mu"
_DELAY: dict[str, Any] = {"unit": "s", "scale": 0.06, "low": 0.0, "high": 0.5, "enough": 0.01}
_LAG: dict[str, Any] = {
    **{"unit": "s", "scale": 0.15, "low": SMALLEST_LAG_S, "high": 2.0},
    "enough": 0.02,
}

BODY_UNKNOWNS = (
    Unknown(key="body.mass_kg", unit="kg", shown_by="accelerating and braking, wheel force logged"),
    Unknown(key="body.yaw_inertia_kgm2", unit="kg m2", shown_by="quick steering, 0.5 Hz and more"),
    Unknown(key="body.cg_to_front_axle_m", unit="m", shown_by="bends, slow and fast"),
    Unknown(
        key="body.cg_height_m",
        unit="m",
        shown_by="hard braking and accelerating, wheel speeds logged",
    ),
    Unknown(
        key="axles.cornering_stiffness_front_n_per_rad", unit="N/rad", shown_by="bends at speed"
    ),
    Unknown(
        key="axles.cornering_stiffness_rear_n_per_rad", unit="N/rad", shown_by="bends at speed"
    ),
    Unknown(
        key=MU,
        unit="-",
        shown_by="braking or cornering until the tyres slide",
        low=0.05,
        high=1.2,
    ),
    Unknown(
        key="tyre.mf96.slip_stiffness_per_load",
        unit="-",
        shown_by="hard braking and accelerating, wheel speeds logged",
    ),
    Unknown(key="tyre.rolling_resistance", unit="-", shown_by="coasting, slow"),
    Unknown(key="aero.drag_coefficient", unit="-", shown_by="coasting, fast"),
    Unknown(key="wheels.radius_m", unit="m", shown_by="rolling, wheel speeds logged"),
)
PEDAL_UNKNOWNS = (
    Unknown(key="brakes.max_torque_nm", unit="N m", shown_by="braking"),
    Unknown(
        key="brakes.front_share",
        unit="-",
        shown_by="hard braking, wheel speeds or torques logged",
        scale=0.3,
        low=0.02,
        high=0.98,
        enough=0.03,
    ),
    Unknown(
        key="drivetrain.drive_split_front",
        unit="-",
        shown_by="accelerating, wheel speeds or torques logged",
        scale=0.3,
        low=0.02,
        high=0.98,
        enough=0.03,
    ),
)
STEERING_UNKNOWNS = (
    Unknown(key="steering.ratio", unit="-", shown_by="slow bends, steering wheel logged"),
    Unknown(key=STEER_OFFSET, unit="rad", shown_by="driving straight", scale=0.03, enough=0.002),
)
ACTUATOR_UNKNOWNS = tuple(
    unknown
    for name, shown_by in (
        ("steering", "steps of the steering"),
        ("throttle", "steps of the throttle"),
        ("brake", "steps of the brake"),
    )
    for unknown in (
        Unknown(key=f"actuator.{name}.delay_s", shown_by=shown_by, **_DELAY),
        Unknown(key=f"actuator.{name}.lag_s", shown_by=shown_by, **_LAG),
    )
)

# What no log of a usual drive tells: it is the start's, unless it is given.
GIVEN = tuple(
    Unknown(key=f"tyre.mf96.{name}", unit="-", shown_by="a tyre test bench")
    for name in ("lateral_curvature", "longitudinal_curvature", "load_sensitivity")
)
CANDIDATES = (*BODY_UNKNOWNS, *PEDAL_UNKNOWNS, *STEERING_UNKNOWNS, *ACTUATOR_UNKNOWNS)


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

    def values(self) -> dict[str, float]:
        """Return the start value of every unknown."""
        values = {
            unknown.key: _get(self.vehicle, unknown.key)
            for unknown in (*BODY_UNKNOWNS, *PEDAL_UNKNOWNS, *STEERING_UNKNOWNS)
            if unknown.key.split(".")[0] not in ("tyre", "road") and unknown.key != STEER_OFFSET
        }
        values["tyre.mf96.slip_stiffness_per_load"] = self.tyre.mf96.slip_stiffness_per_load
        for unknown in GIVEN:
            values[unknown.key] = getattr(self.tyre.mf96, _mf96_name(unknown))
        values["tyre.rolling_resistance"] = self.tyre.rolling_resistance
        values[MU] = self.mu
        values[STEER_OFFSET] = 0.0
        for unknown in ACTUATOR_UNKNOWNS:
            values[unknown.key] = 0.03 if unknown.key.endswith("delay_s") else 0.08
        speeds, torques = zip(*self.vehicle.drivetrain.motor_torque_curve, strict=True)
        for k, speed in enumerate(self.motor_knots_radps):
            values[motor_key(k)] = float(np.interp(speed, speeds, torques))
        return {**values, **self.known}


def motor_key(knot: int) -> str:
    """Return the name of the full-throttle torque at a knot."""
    return f"drivetrain.motor_torque_nm[{knot}]"


def unknowns_of(log: DriveLog, start: Start) -> tuple[dict[str, Unknown], dict[str, str]]:
    """Return the unknowns that the channels of a log may tell, and why the others cannot."""
    reasons: dict[str, str] = {}
    pedals = log.has("command_throttle", "command_brake")
    spins, forces = log.has(*SPINS), log.has(*TORQUES) or log.has(*FORCES)
    steered = log.has("command_steer_rad") or log.has("command_steering_wheel_rad")
    by_wheel = log.has("command_steering_wheel_rad") or not (
        log.has("command_steer_rad") or log.has("steer_rad")
    )
    if not forces:
        reasons["body.mass_kg"] = (
            "needs wheel torques or wheel forces; forces, stiffness and inertia scale with it"
        )
    if not spins:
        for key in ("body.cg_height_m", "tyre.mf96.slip_stiffness_per_load", "wheels.radius_m"):
            reasons[key] = "needs wheel speeds"
    if not pedals:
        for unknown in PEDAL_UNKNOWNS:
            reasons[unknown.key] = "needs the commands of the pedals"
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
    changed = replace(
        vehicle,
        body=body,
        wheels=replace(vehicle.wheels, radius_m=values["wheels.radius_m"]),
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
        slip_stiffness_per_load=values["tyre.mf96.slip_stiffness_per_load"],
        **{_mf96_name(unknown): values[unknown.key] for unknown in GIVEN},
    )
    tyre = replace(start.tyre, mf96=mf96, rolling_resistance=values["tyre.rolling_resistance"])
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


def _mf96_name(unknown: Unknown) -> str:
    return unknown.key.rpartition(".")[2]


def _get(vehicle: VehicleParameters, key: str) -> float:
    group, name = key.split(".")
    return float(getattr(getattr(vehicle, group), name))
