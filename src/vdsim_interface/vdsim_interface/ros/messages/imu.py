"""VehicleReport -> sensor_msgs/Imu, with covariances by what the vehicle measures (REP 145)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sensor_msgs.msg import Imu

from vdsim_interface.platforms.sources import reported_source
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.ros.messages.conversions import ToStamp, diagonal, quaternion, time_message
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.sensors.standard import UNKNOWN_VARIANCE
from vdsim_interface.values import Source, VehicleReport

GRAVITY_MPS2 = 9.80665
Covariances = tuple[Sequence[float], Sequence[float], Sequence[float]]


def imu_covariances(spec: PlatformSpec, version: int, output: OutputParameters) -> Covariances:
    """Those of orientation, angular velocity and acceleration, with a version of the wire.

    A vector of which nothing is known begins with -1. An axis that is not known, beside others
    that are, has a variance that no filter follows.
    """
    rows = (
        (("attitude", "attitude", "heading"), output.attitude_stdev_rad),
        (("roll_rate", "pitch_rate", "yaw_rate"), output.rate_stdev_radps),
        (("acceleration", "acceleration", "vertical_acceleration"), output.accel_stdev_mps2),
    )
    orientation, rates, acceleration = (
        _covariance(
            [reported_source(spec, name, version) is not Source.ABSENT for name in names], stdev
        )
        for names, stdev in rows
    )
    return orientation, rates, acceleration


def _covariance(known: Sequence[bool], stdev: float) -> list[float]:
    if not any(known):
        return [-1.0] + [0.0] * 8
    return diagonal([stdev**2 if each else UNKNOWN_VARIANCE for each in known])


def imu_message(
    report: VehicleReport, frame: str, covariances: Covariances, stamp: ToStamp = time_message
) -> Imu:
    """Attitude, rates and specific force in the body frame.

    The sensor's readings where the vehicle has a sensor model, else the truth. The vertical channel
    carries gravity, as a real accelerometer at rest does.
    """
    sensors = report.sensors
    message = Imu()
    message.header.stamp = stamp(report.stamp_s)
    message.header.frame_id = frame
    message.orientation = quaternion(report.roll_rad, report.pitch_rad, report.yaw_rad)
    rates, accel = message.angular_velocity, message.linear_acceleration
    rates.x = report.roll_rate_radps
    rates.y = report.pitch_rate_radps
    rates.z = _first_finite(sensors.yaw_rate_radps, report.yaw_rate_radps)
    accel.x = _first_finite(sensors.accel_x_mps2, report.accel_x_mps2)
    accel.y = _first_finite(sensors.accel_y_mps2, report.accel_y_mps2)
    gravity_mps2 = GRAVITY_MPS2 * math.cos(report.roll_rad) * math.cos(report.pitch_rad)
    accel.z = gravity_mps2 + _first_finite(sensors.accel_z_mps2)
    message.orientation_covariance = covariances[0]
    message.angular_velocity_covariance = _rate_covariance(report, covariances[1])
    message.linear_acceleration_covariance = covariances[2]
    return message


def _rate_covariance(report: VehicleReport, known: Sequence[float]) -> Sequence[float]:
    """Both tilt rates exactly 0 are what a vehicle sends that does not compute them."""
    if report.roll_rate_radps != 0.0 or report.pitch_rate_radps != 0.0 or known[0] < 0.0:
        return known
    return diagonal([UNKNOWN_VARIANCE, UNKNOWN_VARIANCE, known[8]])


def _first_finite(*values: float) -> float:
    return next((value for value in values if math.isfinite(value)), 0.0)
