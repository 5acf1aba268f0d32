"""MORAI tables of sensors. The GPS sends text instead: nmea.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vdsim_protocol.wire import Wire


@dataclass(frozen=True, slots=True)
class ImuData:
    """Attitude and motion of the IMU, in its axes: x forward, y left, z up.

    The acceleration is that of an accelerometer: at rest z reads about +9.81 m/s^2.
    """

    orientation_w: Annotated[float, Wire(25, "d", "1", "quaternion, w", moved=((2, 33),))]
    orientation_x: Annotated[float, Wire(33, "d", "1", "quaternion, x", moved=((2, 41),))]
    orientation_y: Annotated[float, Wire(41, "d", "1", "quaternion, y", moved=((2, 49),))]
    orientation_z: Annotated[float, Wire(49, "d", "1", "quaternion, z", moved=((2, 57),))]
    angular_velocity_x_radps: Annotated[
        float, Wire(57, "d", "rad/s", "roll rate", moved=((2, 65),))
    ]
    angular_velocity_y_radps: Annotated[
        float, Wire(65, "d", "rad/s", "pitch rate", moved=((2, 73),))
    ]
    angular_velocity_z_radps: Annotated[float, Wire(73, "d", "rad/s", "yaw rate", moved=((2, 81),))]
    accel_x_mps2: Annotated[float, Wire(81, "d", "m/s^2", "x component", moved=((2, 89),))]
    accel_y_mps2: Annotated[float, Wire(89, "d", "m/s^2", "y component", moved=((2, 97),))]
    accel_z_mps2: Annotated[float, Wire(97, "d", "m/s^2", "z component", moved=((2, 105),))]
    sec: Annotated[int, Wire(25, "i", "s", "time stamp, seconds", since=2)] = 0
    nsec: Annotated[int, Wire(29, "i", "ns", "time stamp, nanoseconds", since=2)] = 0
