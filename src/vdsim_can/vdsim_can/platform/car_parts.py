"""What a platform can do with the car of a file."""

from __future__ import annotations

from vdsim_interface.platforms.spec import Capabilities, Reported
from vdsim_interface.values import Source

from vdsim_can.car import CarFile
from vdsim_can.platform.vehicle_reports import WHEELS, body_fields

NOT_KEPT = frozenset({"fuel_percent"})


def reported_body(car: CarFile) -> frozenset[str]:
    """Return the fields of BodyState that signals of the car carry."""
    return body_fields(frozenset(row.field for row in car.reports))


def capabilities_of(car: CarFile) -> Capabilities:
    """Return what the signals of a car carry."""
    commands = frozenset(row.field for row in car.commands)
    reports = frozenset(row.field for row in car.reports)
    signals = {
        "lateral_velocity": "lateral_velocity_mps",
        "yaw_rate": "yaw_rate_radps",
        "acceleration": "accel_x_mps2",
        "vehicle_time": "vehicle_time_s",
    }
    carried = {name for name, field in signals.items() if field in reports}
    if reports.issuperset(WHEELS):
        carried.add("wheel_speeds")
    reported = {
        "position": Reported(Source.MODELLED),
        "heading": Reported(Source.MODELLED),
    }
    if {"pitch_rad", "roll_rad"} <= reports:
        reported["attitude"] = Reported()
    if {"throttle", "brake"} <= reports:
        reported["pedals"] = Reported()
    slope = "pitch" if "pitch_rad" in reports else ""
    if "specific_force_x_mps2" in reports:
        slope = "specific_force"
    return Capabilities(
        commands=body_fields(commands) - NOT_KEPT,
        reports=body_fields(reports),
        driver_activity=bool(car.overrides),
        rear_steering="rear_wheel_angle_rad" in commands,
        slope_from=slope,
        pedals_overlap={"throttle", "brake"} <= commands,
        signals=frozenset(carried),
        reported=reported,
    )
