"""Ego Vehicle Status, of any generation -> VehicleReport.

The simulator sends km/h, degrees that are not normalised, and metres in ENU. Velocity and
acceleration are interpreted as components along the body's axes.
"""

import math
from collections import deque

from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.values import (
    Applied,
    BodyState,
    DriverActivity,
    Gear,
    Sensors,
    VehicleReport,
)
from vdsim_protocol import morai

KPH_TO_MPS = 1.0 / 3.6
TIME_SINCE = 3
"""First generation with a time stamp and angular velocities."""
HEADING_WINDOW_S = 0.1
GEAR_OF: dict[int, Gear] = {
    morai.Gear.MANUAL: Gear.NEUTRAL,
    morai.Gear.PARKING: Gear.PARK,
    morai.Gear.REVERSE: Gear.REVERSE,
    morai.Gear.NEUTRAL: Gear.NEUTRAL,
    morai.Gear.DRIVE: Gear.DRIVE,
    morai.Gear.LOW: Gear.LOW,
}
"""The simulator's gears; the direction of MANUAL is unknown."""


def normalised_rad(degrees: float) -> float:
    """Return an angle in (-pi, pi] [rad]."""
    angle = math.remainder(math.radians(degrees), 2.0 * math.pi)
    return math.pi if angle == -math.pi else angle


def gear_of(status: morai.EgoVehicleStatus) -> Gear:
    """Return the reported gear; an undefined number counts as neutral."""
    return GEAR_OF.get(int(status.gear), Gear.NEUTRAL)


class YawRate:
    """Yaw rate from headings, for generations that do not report it."""

    def __init__(self) -> None:
        self._headings: deque[tuple[float, float]] = deque()

    def add(self, heading_rad: float, now: float) -> float:
        """Add a heading; returns the mean rate over the last 0.1 s [rad/s]."""
        headings = self._headings
        if headings and not 0.0 < now - headings[-1][0] < 1.0:
            headings.clear()
        headings.append((now, heading_rad))
        while len(headings) > 2 and now - headings[1][0] >= HEADING_WINDOW_S:
            headings.popleft()
        first_s, first_rad = headings[0]
        if now <= first_s:
            return 0.0
        return math.remainder(heading_rad - first_rad, 2.0 * math.pi) / (now - first_s)


def report_of(
    packet: morai.Packet,
    parameters: MoraiParameters,
    *,
    body: BodyState,
    driver: DriverActivity,
    yaw_rate_radps: float,
    sequence: int,
    now: float,
) -> VehicleReport:
    """Translate one status that was received at `now`; `details` is the packet."""
    status: morai.EgoVehicleStatus = packet.body
    timed = packet.generation >= TIME_SINCE
    steer_rad = parameters.reported_sign * math.radians(status.steer_deg)
    return VehicleReport(
        stamp_s=now,
        vehicle_time_s=status.sec + 1e-9 * status.nsec if timed else now,
        velocity_mps=status.signed_velocity_kph * KPH_TO_MPS,
        front_wheel_angle_rad=steer_rad,
        body=body,
        applied=_applied(status, steer_rad),
        rear_wheel_angle_rad=_rear_rad(status, parameters.reported_sign),
        lateral_velocity_mps=status.velocity_y_kph * KPH_TO_MPS,
        vertical_velocity_mps=status.velocity_z_kph * KPH_TO_MPS,
        x_m=status.pos_x_m,
        y_m=status.pos_y_m,
        z_m=status.pos_z_m,
        roll_rad=normalised_rad(status.roll_deg),
        pitch_rad=normalised_rad(status.pitch_deg),
        yaw_rad=normalised_rad(status.heading_deg),
        roll_rate_radps=math.radians(status.angular_velocity_x_degps) if timed else 0.0,
        pitch_rate_radps=math.radians(status.angular_velocity_y_degps) if timed else 0.0,
        yaw_rate_radps=math.radians(status.angular_velocity_z_degps) if timed else yaw_rate_radps,
        accel_x_mps2=status.accel_x_mps2,
        accel_y_mps2=status.accel_y_mps2,
        sensors=_sensors(status),
        driver=driver,
        sequence=sequence,
        wire_version=packet.generation,
        details=packet,
    )


def _rear_rad(status: morai.EgoVehicleStatus, sign: float) -> float:
    """Return the rear wheel angle [rad]; 0 for the generations that have none."""
    angle_deg = status.rear_steer_deg
    return sign * math.radians(angle_deg) if math.isfinite(angle_deg) else 0.0


def _applied(status: morai.EgoVehicleStatus, steer_rad: float) -> Applied:
    return Applied(
        front_wheel_angle_rad=steer_rad,
        long_accel_mps2=status.accel_x_mps2,
        throttle=status.accel,
        brake=status.brake,
    )


def _sensors(status: morai.EgoVehicleStatus) -> Sensors:
    return Sensors(
        accel_x_mps2=status.accel_x_mps2,
        accel_y_mps2=status.accel_y_mps2,
        accel_z_mps2=status.accel_z_mps2,
        gnss_x_m=status.pos_x_m,
        gnss_y_m=status.pos_y_m,
        gnss_z_m=status.pos_z_m,
    )
