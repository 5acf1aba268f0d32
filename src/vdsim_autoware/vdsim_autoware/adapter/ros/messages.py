"""Messages of Autoware <-> values of the adapter."""

from __future__ import annotations

from autoware_adapi_v1_msgs.msg import (
    DoorStatus,
    DoorStatusArray,
    Gear,
    HazardLights,
    TurnIndicators,
    VehicleStatus,
)
from autoware_control_msgs.msg import Control as ControlMsg
from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    GearReport,
    HazardLightsReport,
    SteeringReport,
    TurnIndicatorsReport,
    VelocityReport,
)
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry as NavOdometry
from vdsim_interface.values import CabinState, StateReport

from vdsim_autoware.adapter import Control
from vdsim_autoware.adapter.enums import (
    API_GEARS_OUT,
    GEARS_OUT,
    HAZARDS_OUT,
    TURNS_OUT,
    ControlMode,
    DoorNumber,
)


def control_value(message: ControlMsg, now: float) -> Control:
    """The commanded motion; `now`: the time of receipt [s]."""
    longitudinal = message.longitudinal
    return Control(
        received_s=now,
        steering_rad=message.lateral.steering_tire_angle,
        velocity_mps=longitudinal.velocity,
        acceleration_mps2=longitudinal.acceleration,
        is_defined_acceleration=longitudinal.is_defined_acceleration,
    )


def velocity_message(motion: NavOdometry, to_axle_m: float, frame: str) -> VelocityReport:
    """Motion of the rear axle, `to_axle_m` behind the point that `motion` is of."""
    twist = motion.twist.twist
    message = VelocityReport(
        longitudinal_velocity=twist.linear.x,
        lateral_velocity=twist.linear.y - to_axle_m * twist.angular.z,
        heading_rate=twist.angular.z,
    )
    message.header.stamp = motion.header.stamp
    message.header.frame_id = frame
    return message


def steering_message(angle_rad: float, stamp: Time) -> SteeringReport:
    """The measured angle of the front wheels."""
    return SteeringReport(stamp=stamp, steering_tire_angle=angle_rad)


def api_status_message(report: StateReport, angle_rad: float, stamp: Time) -> VehicleStatus:
    """Gear, lamps and wheel angle [rad] as Autoware's AD API has them."""
    return VehicleStatus(
        stamp=stamp,
        gear=Gear(status=int(API_GEARS_OUT[report.gear])),
        turn_indicators=TurnIndicators(status=int(TURNS_OUT[report.blinker])),
        hazard_lights=HazardLights(status=int(HAZARDS_OUT[report.blinker])),
        steering_tire_angle=angle_rad,
    )


def gear_message(report: StateReport, stamp: Time) -> GearReport:
    """The engaged gear."""
    return GearReport(stamp=stamp, report=int(GEARS_OUT[report.gear]))


def turn_message(report: StateReport, stamp: Time) -> TurnIndicatorsReport:
    """The turn indicators."""
    return TurnIndicatorsReport(stamp=stamp, report=int(TURNS_OUT[report.blinker]))


def hazard_message(report: StateReport, stamp: Time) -> HazardLightsReport:
    """The hazard lights."""
    return HazardLightsReport(stamp=stamp, report=int(HAZARDS_OUT[report.blinker]))


def mode_message(mode: ControlMode, stamp: Time) -> ControlModeReport:
    """Who drives."""
    return ControlModeReport(stamp=stamp, mode=int(mode))


def door_message(cabin: CabinState, stamp: Time) -> DoorStatusArray:
    """All doors together as one: the cabin does not tell them apart."""
    status = DoorNumber.CLOSED if cabin.doors_closed else DoorNumber.OPENED
    return DoorStatusArray(stamp=stamp, doors=[DoorStatus(status=int(status))])
