"""STATE -> the content of autohyu_msgs/VehicleState and VehicleCAN (contract, section 5).

Field names are the messages' own. World ENU, body ISO 8855, wheels FL, FR, RL, RR; SI units. What
a protocol version does not carry is NaN.
"""

import math
from dataclasses import dataclass

from vdsim_interface.extras.autohyu.parameters import FRACTION, PERCENT, AutohyuParameters
from vdsim_interface.extras.autohyu.reference_point import PointMotion, point_behind
from vdsim_interface.extras.autohyu.rules import Cause, Decision
from vdsim_interface.extras.autohyu.steering import SteeringGear
from vdsim_interface.sensors.geodesy import Geodetic, geodetic_of
from vdsim_protocol import vds1

MANUAL, AUTONOMOUS, FAIL = 0, 1, 2
"""Values of `operation_mode`."""
STEERING_READY, STEERING_STANDBY, STEERING_ACTIVE, STEERING_ERROR = 2, 3, 5, 6
"""Values of `steering_state` (MDPS_READY, MDPS_STANDBY, MDPS_ACTIVATE, MDPS_ERROR). While
`lateral_autonomous_mode` is 1, AutoHYU's longitudinal control brakes at any but STEERING_ACTIVE."""
GEAR_DRIVE = 5
"""Value of `gear_select`: the contract's commands have no gear, the bridge drives forward."""
PEDAL_UNITS = {PERCENT: 100.0, FRACTION: 1.0}
WHEEL_NAMES = ("wheel_velocity_fl", "wheel_velocity_fr", "wheel_velocity_rl", "wheel_velocity_rr")


@dataclass(frozen=True, slots=True)
class BusState:
    """The mode fields of VehicleCAN, which the vehicle does not report."""

    operation_mode: int
    steering_state: int
    lateral_autonomous_mode: int
    longitudinal_autonomous_mode: int


@dataclass(frozen=True, slots=True)
class VehicleState:
    """Content of both messages; `stamp_s` is the time of receipt of the STATE packet."""

    stamp_s: float
    gnss: Geodetic
    state: dict[str, float]
    can: dict[str, float]


def bus_state(decision: Decision, *, commanded: bool, state_stale: bool) -> BusState:
    """Return FAIL while a fail-safe rule applies, MANUAL before the first torque.

    The steering is active while it follows `gripped_steer`, on standby while the bridge holds it,
    and in error while the vehicle does not report it.
    """
    if not commanded and not state_stale:
        return BusState(MANUAL, STEERING_READY, 0, 0)
    if state_stale:
        return BusState(FAIL, STEERING_ERROR, 0, 0)
    if decision.cause is not Cause.DRIVEN:
        return BusState(FAIL, STEERING_STANDBY, 0, 0)
    return BusState(AUTONOMOUS, STEERING_ACTIVE, 1, 1)


def vehicle_state(
    state: vds1.State,
    *,
    stamp_s: float,
    steering_rate_radps: float,
    parameters: AutohyuParameters,
    decision: Decision,
    bus: BusState,
) -> VehicleState:
    """Map one STATE packet. `steering_rate_radps`: of the tyre angle."""
    gear = SteeringGear(parameters.steering_ratio, parameters.steering_cubic)
    pedal = PEDAL_UNITS[parameters.pedal_unit]
    applied_rad = state.steering_tire_angle_applied_rad
    applied_deg = math.degrees(applied_rad)
    reference = parameters.reference
    point = point_behind(state, reference.behind_cg_m)
    gnss_m = (
        _first_finite(state.m_gnss_x_m, state.x_world_m) + point.offset_m[0],
        _first_finite(state.m_gnss_y_m, state.y_world_m) + point.offset_m[1],
        point.position_m[2],
    )
    throttle = _first_finite(state.throttle_applied, decision.throttle)
    brake = _first_finite(state.brake_applied, decision.brake)
    can = {
        "lateral_accel": state.ay_body_mps2,
        "longitudinal_accel": state.ax_body_mps2,
        "yaw_rate": state.yaw_rate_radps,
        "steering_wheel_angle": math.radians(gear.wheel_deg(applied_deg)),
        "steering_tire_angle": applied_rad,
        "steering_speed": steering_rate_radps * gear.slope(applied_deg),
        "steering_torque": state.rack_torque_nm,
        "steering_state": bus.steering_state,
        **_wheel_velocities(state),
        **_motor_torques(state, brake, parameters.motor_ratio),
        "accel_position": pedal * throttle,
        "brake_pressure": pedal * brake,
        "brake_active": int(brake > 0.0),
        "gear_select": GEAR_DRIVE,
        "operation_mode": bus.operation_mode,
        "lateral_autonomous_mode": bus.lateral_autonomous_mode,
        "longitudinal_autonomous_mode": bus.longitudinal_autonomous_mode,
    }
    origin = reference.ref_lat_deg, reference.ref_lon_deg, reference.ref_alt_m
    gnss = geodetic_of(*gnss_m, origin)
    return VehicleState(stamp_s, gnss, _motion(state, point), can)


def _motion(state: vds1.State, point: PointMotion) -> dict[str, float]:
    x_m, y_m, z_m = point.position_m
    vx_mps, vy_mps, vz_mps = point.velocity_mps
    return {
        "x": x_m,
        "y": y_m,
        "z": z_m,
        "vx": vx_mps,
        "vy": vy_mps,
        "vz": vz_mps,
        "ax": state.ax_body_mps2,
        "ay": state.ay_body_mps2,
        "az": 0.0,  # STATE has no vertical acceleration
        "roll": state.roll_rad,
        "pitch": state.pitch_rad,
        "yaw": state.yaw_rad,
        "roll_vel": state.roll_rate_radps,
        "pitch_vel": state.pitch_rate_radps,
        "yaw_vel": state.yaw_rate_radps,
    }


def _wheel_velocities(state: vds1.State) -> dict[str, float]:
    fl, fr, rl, rr = (spin * state.wheel_radius_nominal_m for spin in state.wheel_spin_radps)
    return {
        **dict(zip(WHEEL_NAMES, (fl, fr, rl, rr), strict=True)),
        "wheel_velocity_f_avg": (fl + fr) / 2.0,
        "wheel_velocity_r_avg": (rl + rr) / 2.0,
        "wheel_velocity_avg": (fl + fr + rl + rr) / 4.0,
    }


def _motor_torques(state: vds1.State, brake: float, ratio: float) -> dict[str, float]:
    """Torque from the tyre forces, rotated into the wheel frame; 0 while the brake is used.

    `ratio`: turns of the motor per turn of the wheel, or 1 for the torque at the wheels. A real bus
    carries the motors' torque; the wheels' inertia is missing here.
    """
    delta, radius = state.steering_tire_angle_applied_rad, state.wheel_radius_nominal_m
    cos, sin = math.cos(delta), math.sin(delta)
    forces = list(zip(state.tire_fx_n, state.tire_fy_n, strict=True))
    front = sum(cos * fx + sin * fy for fx, fy in forces[:2]) * radius / ratio
    rear = sum(fx for fx, _ in forces[2:]) * radius / ratio
    if brake > 0.0:
        front = rear = 0.0
    return {
        "motor_torque_f": front,
        "motor_torque_r": rear,
        "motor_torque_total": front + rear,
    }


def _first_finite(*values: float) -> float:
    return next((value for value in values if math.isfinite(value)), math.nan)
