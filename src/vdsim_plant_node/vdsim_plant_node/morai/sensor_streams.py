"""What the simulator's GPS and IMU send, without errors of measurement."""

from __future__ import annotations

import datetime
import math

from vdsim_plant.motion import VehicleMotion

from vdsim_plant_node.morai.map_projection import MapOrigin
from vdsim_protocol import morai

GRAVITY_MPS2 = 9.80665
SCENE_BEGINS = datetime.datetime(2021, 1, 1, tzinfo=datetime.timezone.utc)
"""The UTC time at time 0 of the scene: the emulator reads no clock."""
SATELLITES, HDOP = 9, 0.8


def gps(motion: VehicleMotion, origin: MapOrigin, time_s: float) -> tuple[bytes, bytes]:
    """RMC and GGA, a datagram each."""
    latitude, longitude = origin.position_deg(motion.x_m, motion.y_m)
    now = SCENE_BEGINS + datetime.timedelta(seconds=time_s)
    of_day = now - now.replace(hour=0, minute=0, second=0, microsecond=0)
    rmc = morai.Rmc(
        time_s=of_day.total_seconds(),
        latitude_deg=latitude,
        longitude_deg=longitude,
        speed_mps=math.hypot(motion.vx_mps, motion.vy_mps),
        course_deg=90.0 - math.degrees(motion.yaw_rad + _drift_rad(motion)),
        date=now.strftime("%d%m%y"),
    )
    gga = morai.Gga(
        time_s=of_day.total_seconds(),
        latitude_deg=latitude,
        longitude_deg=longitude,
        altitude_m=motion.z_m,
        satellites=SATELLITES,
        hdop=HDOP,
    )
    return morai.encode_nmea(rmc), morai.encode_nmea(gga)


def imu(motion: VehicleMotion, time_s: float) -> morai.ImuData:
    """Attitude, angular velocity, and the specific force that an accelerometer measures."""
    w, x, y, z = quaternion(motion.roll_rad, motion.pitch_rad, motion.yaw_rad)
    force = _into_body((motion.ax_mps2, motion.ay_mps2, GRAVITY_MPS2), motion)
    nanoseconds = round(time_s * 1e9)
    return morai.ImuData(
        orientation_w=w,
        orientation_x=x,
        orientation_y=y,
        orientation_z=z,
        angular_velocity_x_radps=motion.roll_rate_radps,
        angular_velocity_y_radps=motion.pitch_rate_radps,
        angular_velocity_z_radps=motion.yaw_rate_radps,
        accel_x_mps2=force[0],
        accel_y_mps2=force[1],
        accel_z_mps2=force[2],
        sec=nanoseconds // 1_000_000_000,
        nsec=nanoseconds % 1_000_000_000,
    )


def quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """w, x, y, z of a turn by yaw, then pitch, then roll, each about the turned axis."""
    cr, sr = math.cos(roll / 2.0), math.sin(roll / 2.0)
    cp, sp = math.cos(pitch / 2.0), math.sin(pitch / 2.0)
    cy, sy = math.cos(yaw / 2.0), math.sin(yaw / 2.0)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def _drift_rad(motion: VehicleMotion) -> float:
    """The direction of the velocity, from the body's axis; 0 at rest."""
    if math.hypot(motion.vx_mps, motion.vy_mps) < 0.05:
        return 0.0
    return math.atan2(motion.vy_mps, motion.vx_mps)


def _into_body(
    level: tuple[float, float, float], motion: VehicleMotion
) -> tuple[float, float, float]:
    """Turn a vector of the level frame, x along the car, by pitch and roll into the body's axes."""
    x, y, z = level
    sp, cp = math.sin(motion.pitch_rad), math.cos(motion.pitch_rad)
    sr, cr = math.sin(motion.roll_rad), math.cos(motion.roll_rad)
    x, z = cp * x - sp * z, sp * x + cp * z
    return x, cr * y + sr * z, -sr * y + cr * z
