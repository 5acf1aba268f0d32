"""Covariances of nav_msgs/Odometry, by what the vehicle reports."""

from __future__ import annotations

from collections.abc import Sequence

from vdsim_interface.platforms.sources import reported_source
from vdsim_interface.platforms.spec import PlatformSpec
from vdsim_interface.ros.messages.conversions import diagonal
from vdsim_interface.ros.output_parameters import OutputParameters
from vdsim_interface.sensors.standard import UNKNOWN_VARIANCE
from vdsim_interface.values import Source

Axes = tuple[str, str, str]
_POSITION: Axes = ("position", "position", "height")
_ATTITUDE: Axes = ("attitude", "attitude", "heading")
_VELOCITY: Axes = ("", "lateral_velocity", "vertical_velocity")
"""The speed has no name of REPORTED: every vehicle reports it."""
_RATES: Axes = ("roll_rate", "pitch_rate", "yaw_rate")


def odometry_covariances(
    spec: PlatformSpec, version: int, output: OutputParameters
) -> tuple[Sequence[float], Sequence[float]]:
    """Those of pose and twist, with a version of the wire.

    An axis that the vehicle does not report is 0, with a variance that no filter follows.
    """

    def variances(axes: Axes, stdev: float) -> list[float]:
        known = [not name or _is_known(spec, name, version) for name in axes]
        return [stdev**2 if each else UNKNOWN_VARIANCE for each in known]

    pose = variances(_POSITION, output.position_stdev_m)
    pose += variances(_ATTITUDE, output.attitude_stdev_rad)
    twist = variances(_VELOCITY, output.velocity_stdev_mps)
    twist += variances(_RATES, output.rate_stdev_radps)
    return diagonal(pose), diagonal(twist)


def _is_known(spec: PlatformSpec, name: str, version: int) -> bool:
    return reported_source(spec, name, version) is not Source.ABSENT
