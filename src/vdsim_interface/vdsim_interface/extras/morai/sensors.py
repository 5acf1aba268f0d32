"""Sensors of platform `morai`: the whole Ego Vehicle Status in SI units, and its tyres."""

import math

from vdsim_interface.sensors.declaration import ANY_FIELD, WORLD_FRAME, Fields, Sensor
from vdsim_interface.values import VehicleReport, Wheels
from vdsim_protocol import morai

KPH_TO_MPS = 1.0 / 3.6
REAR_ANGLE_SINCE = 5
TYRES_SINCE = 4
_UNKNOWN = (math.nan,) * 4
_INT32_MAX, _SECOND_NS = 2**31 - 1, 1_000_000_000


def status_of(report: VehicleReport) -> morai.EgoVehicleStatus | None:
    """Return the status that a report came from."""
    packet = report.details
    if not isinstance(packet, morai.Packet):
        return None
    status = packet.body
    return status if isinstance(status, morai.EgoVehicleStatus) else None


def whole_status(report: VehicleReport) -> Fields | None:
    """Return the fields of MoraiEgoVehicleStatus."""
    s = status_of(report)
    if s is None:
        return None
    velocity = s.velocity_x_kph, s.velocity_y_kph, s.velocity_z_kph
    rates = s.angular_velocity_x_degps, s.angular_velocity_y_degps, s.angular_velocity_z_degps
    has_rear = report.wire_version >= REAR_ANGLE_SINCE
    return {
        "generation": report.wire_version,
        "ctrl_mode": s.ctrl_mode,
        "gear": s.gear,
        "time": _time(s.sec, s.nsec),
        "map_data_id": s.map_data_id,
        "link_id": s.link_id,
        "signed_velocity_mps": s.signed_velocity_kph * KPH_TO_MPS,
        "velocity_mps": [value * KPH_TO_MPS for value in velocity],
        "acceleration_mps2": (s.accel_x_mps2, s.accel_y_mps2, s.accel_z_mps2),
        "angular_velocity_radps": [math.radians(value) for value in rates],
        "position_m": (s.pos_x_m, s.pos_y_m, s.pos_z_m),
        "roll_rad": report.roll_rad,
        "pitch_rad": report.pitch_rad,
        "heading_rad": report.yaw_rad,
        "accel": s.accel,
        "brake": s.brake,
        "front_wheel_angle_rad": report.front_wheel_angle_rad,
        "rear_wheel_angle_rad": report.rear_wheel_angle_rad if has_rear else math.nan,
        "size_m": (s.size_x_m, s.size_y_m, s.size_z_m),
        "front_overhang_m": s.overhang_m,
        "wheelbase_m": s.wheelbase_m,
        "rear_overhang_m": s.rear_overhang_m,
        "tyre_lateral_force_n": s.tire_lateral_force_n,
        "tyre_slip_angle_rad": _radians(s.side_slip_angle_deg),
        "tyre_cornering_stiffness_nprad": _per_radian(s.tire_cornering_stiffness_npdeg),
        "lane_left_m": s.lane_left_m,
        "lane_right_m": s.lane_right_m,
        "cross_track_error_m": s.cross_track_error_m,
    }


def tyres(report: VehicleReport) -> Fields | None:
    """Return lateral force, slip angle and stiffness, from generation 4."""
    status = status_of(report)
    if status is None or report.wire_version < TYRES_SINCE:
        return None
    return {
        "longitudinal_force_n": _UNKNOWN,
        "lateral_force_n": status.tire_lateral_force_n,
        "vertical_force_n": _UNKNOWN,
        "slip_ratio": _UNKNOWN,
        "slip_angle_rad": _radians(status.side_slip_angle_deg),
        "cornering_stiffness_nprad": _per_radian(status.tire_cornering_stiffness_npdeg),
        "compression_m": _UNKNOWN,
    }


def _radians(degrees: Wheels) -> list[float]:
    return [math.radians(value) for value in degrees]


def _per_radian(per_degree: Wheels) -> list[float]:
    return [math.degrees(value) for value in per_degree]


def _time(sec: int, nsec: int) -> Fields:
    """Return the simulator's time; zero for one that a message cannot hold."""
    if not (0 <= sec <= _INT32_MAX and 0 <= nsec < _SECOND_NS):
        return {"sec": 0, "nanosec": 0}
    return {"sec": sec, "nanosec": nsec}


SENSORS = (
    Sensor(
        name="ego_vehicle_status",
        message="vdsim_msgs/msg/MoraiEgoVehicleStatus",
        read=whole_status,
        frame=WORLD_FRAME,
        topic="ego_vehicle_status",
        may_be_nan=ANY_FIELD,
    ),
    Sensor(
        name="tyres",
        message="vdsim_msgs/msg/TyreStates",
        read=tyres,
        may_be_nan=ANY_FIELD,
        since=TYRES_SINCE,
    ),
)
