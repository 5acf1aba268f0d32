"""How a report can be wrong: signs, units, values that stand still; each makes what alters reports.

A maker takes the last true report, and returns the alteration from then on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vdsim_interface.values import VehicleReport

from vdsim_kit.lying_platform import Alter

NO_SENSORS = {"wheel_spin_radps": (math.nan,) * 4, "wheel_radius_m": math.nan}


def steadily(change: Callable[[VehicleReport], dict[str, Any]]) -> Callable[[VehicleReport], Alter]:
    """A lie that depends on the report alone."""
    return lambda last: lambda report: report._replace(**change(report))


def flipped(*names: str) -> Callable[[VehicleReport], Alter]:
    """Signs turned round."""
    return steadily(lambda report: {name: -getattr(report, name) for name in names})


def scaled(factor: float, *names: str) -> Callable[[VehicleReport], Alter]:
    """A wrong unit."""
    return steadily(lambda report: {name: factor * getattr(report, name) for name in names})


def held(*names: str) -> Callable[[VehicleReport], Alter]:
    """Values that stand still."""
    return lambda last: lambda report: report._replace(**{n: getattr(last, n) for n in names})


def steered_wrong(report: VehicleReport) -> VehicleReport:
    """The reported wheel angle has the wrong sign, as odometry and as applied."""
    angle = -report.front_wheel_angle_rad
    applied = report.applied._replace(front_wheel_angle_rad=angle)
    return report._replace(front_wheel_angle_rad=angle, applied=applied)


def angle_scaled(factor: float) -> Callable[[VehicleReport], Alter]:
    """The reported wheel angle in another unit."""

    def alter(report: VehicleReport) -> VehicleReport:
        angle = factor * report.front_wheel_angle_rad
        applied = report.applied._replace(front_wheel_angle_rad=angle)
        return report._replace(front_wheel_angle_rad=angle, applied=applied)

    return lambda last: alter


def twisted(command: Any) -> Any:
    """The car receives the wheel angle with the wrong sign."""
    vehicle = command.vehicle
    turned = vehicle._replace(front_wheel_angle_rad=-vehicle.front_wheel_angle_rad)
    return command._replace(vehicle=turned)


def pedals(throttle: float, brake: float) -> Callable[[VehicleReport], Alter]:
    """Reported pedals that are not those in effect."""

    def alter(report: VehicleReport) -> VehicleReport:
        applied = report.applied._replace(throttle=throttle, brake=brake)
        return report._replace(applied=applied)

    return lambda last: alter


def pedals_scaled(factor: float) -> Callable[[VehicleReport], Alter]:
    """Reported pedals in per cent."""

    def alter(report: VehicleReport) -> VehicleReport:
        a = report.applied
        applied = a._replace(throttle=factor * a.throttle, brake=factor * a.brake)
        return report._replace(applied=applied)

    return lambda last: alter


def wheels(factor: float) -> Callable[[VehicleReport], Alter]:
    """Wheel speeds in another unit, or zero."""

    def alter(report: VehicleReport) -> VehicleReport:
        spins = tuple(factor * spin for spin in report.sensors.wheel_spin_radps)
        return report._replace(sensors=report.sensors._replace(wheel_spin_radps=spins))

    return lambda last: alter


def frozen(last: VehicleReport) -> Alter:
    """The content stands still, stamps and packets go on."""

    def alter(report: VehicleReport) -> VehicleReport:
        return last._replace(
            stamp_s=report.stamp_s,
            vehicle_time_s=report.vehicle_time_s,
            sequence=report.sequence,
        )

    return alter


def ramp_to_zero(last: VehicleReport) -> Alter:
    """The speed falls as in a hard stop, and nothing else does: too slow for a jump."""

    def alter(report: VehicleReport) -> VehicleReport:
        fallen = last.velocity_mps - 7.0 * (report.vehicle_time_s - last.vehicle_time_s)
        return bare(report)._replace(velocity_mps=max(fallen, 0.0))

    return alter


def once(value: float) -> Callable[[VehicleReport], Alter]:
    """A single wrong speed."""

    def make(last: VehicleReport) -> Alter:
        used: list[float] = []

        def alter(report: VehicleReport) -> VehicleReport:
            if used and report.vehicle_time_s > used[0] + 0.008:
                return report
            used.append(report.vehicle_time_s)
            return report._replace(velocity_mps=value)

        return alter

    return make


def bare(report: VehicleReport) -> VehicleReport:
    """A vehicle that reports neither its position nor its wheels."""
    sensors = report.sensors._replace(**NO_SENSORS)
    return report._replace(x_m=0.0, y_m=0.0, sensors=sensors)


def always(make: Callable[[VehicleReport], Alter]) -> Alter:
    """A lie that does not depend on when it begins."""
    return lambda report: make(report)(report)


def then(first: Alter, make: Callable[[VehicleReport], Alter]) -> Callable[[VehicleReport], Alter]:
    """Two alterations, one after the other."""
    return lambda last: lambda report: make(last)(first(report))
