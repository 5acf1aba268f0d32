"""Frames and rates of what the interface publishes about the vehicle, and its uncertainty."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, flag, real, text


@dataclass(frozen=True)
class OutputParameters(Parameters):
    """Frames, rates and standard deviations of the published messages."""

    PREFIX: ClassVar[str] = "output"
    AT_START: ClassVar[bool] = True

    frame_prefix: str = text("", "put before every frame, such as car_1/ where several cars drive")
    world_frame: str = text("odom", "frame of positions (ENU)")
    body_frame: str = text("base_link", "frame of the vehicle's body (ISO 8855)")
    imu_frame: str = text("base_link", "frame of the IMU")
    publish_tf: bool = flag(True, "publish the transform from the world to the body")
    session_file: str = text(
        "auto",
        "keeps who drove and the counts of interventions over a crash; auto: in ROS_HOME; off",
    )
    state_report_hz: float = real(
        10.0,
        "rate of state_report and safety_status, in addition to on-change [Hz]",
        above=0,
        at_most=100,
    )
    diagnostics_hz: float = real(
        1.0,
        "rate of diagnostics, link_status and the tracking monitor [Hz]",
        above=0,
        at_most=10,
    )
    position_stdev_m: float = real(
        0.01, "standard deviation of the position [m]", at_least=1e-6, at_most=1000
    )
    attitude_stdev_rad: float = real(
        0.002, "standard deviation of roll, pitch and yaw [rad]", at_least=1e-6, at_most=10
    )
    velocity_stdev_mps: float = real(
        0.02, "standard deviation of the velocity [m/s]", at_least=1e-6, at_most=100
    )
    rate_stdev_radps: float = real(
        0.005, "standard deviation of angular rates [rad/s]", at_least=1e-6, at_most=10
    )
    gnss_stdev_m: float = real(
        0.02, "standard deviation of sensors/gnss [m]", at_least=1e-6, at_most=1000
    )
    origin_latitude_deg: float = real(
        0.0,
        "latitude of the world frame's origin, for sensors/gnss [deg]",
        at_least=-90,
        at_most=90,
    )
    origin_longitude_deg: float = real(
        0.0,
        "longitude of the world frame's origin, for sensors/gnss [deg]",
        at_least=-180,
        at_most=180,
    )
    origin_altitude_m: float = real(
        0.0,
        "height of the world frame's origin above the ellipsoid, for sensors/gnss [m]",
        at_least=-1000,
        at_most=10000,
    )
    accel_stdev_mps2: float = real(
        0.05, "standard deviation of accelerations [m/s2]", at_least=1e-6, at_most=100
    )

    @property
    def frames(self) -> tuple[str, str]:
        """The frames of world and body, with the prefix."""
        return self.frame_prefix + self.world_frame, self.frame_prefix + self.body_frame

    @property
    def origin(self) -> tuple[float, float, float]:
        """The origin of the world frame: latitude, longitude [deg], height [m]."""
        return self.origin_latitude_deg, self.origin_longitude_deg, self.origin_altitude_m

    @property
    def imu_frame_id(self) -> str:
        """The frame of the IMU, with the prefix."""
        return self.frame_prefix + self.imu_frame

    def is_due(self, age_s: float, tick_s: float) -> bool:
        """Whether a report that was published `age_s` ago is due, at the tick nearest its rate."""
        return not 0.0 <= age_s < 1.0 / self.state_report_hz - 0.5 * tick_s
