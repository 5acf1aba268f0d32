"""The sensors that every platform may have: GNSS, wheel speeds, charge.

They come from `VehicleReport.sensors` and `.body`, in the words of the standard messages.
"""

import math
from collections.abc import Sequence

from vdsim_interface.sensors.declaration import Fields, Sensor
from vdsim_interface.sensors.geodesy import Geodetic, geodetic_of
from vdsim_interface.values import VehicleReport

STATUS_FIX = 0
SERVICE_GPS = 1
DIAGONAL_KNOWN = 2
FARTHEST_M = 1e7
"""A position farther from the origin than the other side of the earth is none."""
UNKNOWN_VARIANCE = 1e6
"""Of a channel that is not measured beside others that are."""
_UNKNOWN_BATTERY = dict.fromkeys(
    ("voltage", "temperature", "current", "charge", "capacity", "design_capacity"), math.nan
)


def standard_sensors(origin: Geodetic, gnss_stdev_m: float) -> tuple[Sensor, ...]:
    """Return them. `origin`: of the world frame, for latitude and longitude."""
    variance = gnss_stdev_m**2

    def gnss(report: VehicleReport) -> Fields | None:
        """A fix (WGS 84); the height is NaN where the vehicle measures none."""
        sensors = report.sensors
        x_m, y_m, z_m = sensors.gnss_x_m, sensors.gnss_y_m, sensors.gnss_z_m
        if math.isnan(x_m) and math.isnan(y_m):
            return None
        if not max(abs(x_m), abs(y_m)) < FARTHEST_M:
            return {"latitude": math.nan, "longitude": math.nan}  # counted, not published
        has_height = abs(z_m) < FARTHEST_M
        latitude, longitude, height = geodetic_of(x_m, y_m, z_m if has_height else 0.0, origin)
        return {
            "status": {"status": STATUS_FIX, "service": SERVICE_GPS},
            "latitude": latitude,
            "longitude": longitude,
            "altitude": height if has_height else math.nan,
            "position_covariance": _diagonal(
                (variance, variance, variance if has_height else UNKNOWN_VARIANCE)
            ),
            "position_covariance_type": DIAGONAL_KNOWN,
        }

    return (
        Sensor("gnss", "sensor_msgs/msg/NavSatFix", gnss, may_be_nan=frozenset({"altitude"})),
        Sensor(
            "wheel_speeds",
            "vdsim_msgs/msg/WheelSpeeds",
            wheel_speeds,
            may_be_nan=frozenset({*_WHEELS, "radius_m"}),
        ),
        Sensor(
            "battery",
            "sensor_msgs/msg/BatteryState",
            battery,
            rate_hz=1.0,
            may_be_nan=frozenset(_UNKNOWN_BATTERY),
        ),
    )


_WHEELS = ("front_left_radps", "front_right_radps", "rear_left_radps", "rear_right_radps")


def wheel_speeds(report: VehicleReport) -> Fields | None:
    """Return the spin of each wheel [rad/s]."""
    spins = report.sensors.wheel_spin_radps
    if all(math.isnan(spin) for spin in spins):
        return None
    return {**dict(zip(_WHEELS, spins, strict=True)), "radius_m": report.sensors.wheel_radius_m}


def battery(report: VehicleReport) -> Fields | None:
    """Return the charge, where the vehicle reports it: a modelled one is no measurement."""
    if "fuel_percent" in report.body.modelled:
        return None
    return {**_UNKNOWN_BATTERY, "percentage": 0.01 * report.body.fuel_percent, "present": True}


def _diagonal(variances: Sequence[float]) -> list[float]:
    return [variances[i] if i == j else 0.0 for i in range(3) for j in range(3)]
