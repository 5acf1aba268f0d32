"""Publishes Autoware's status topics: motion as it is reported, the rest at 10 Hz and on change."""

from __future__ import annotations

from autoware_adapi_v1_msgs.msg import DoorStatusArray, VehicleStatus
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
from rclpy.node import Node
from vdsim_interface.values import CabinState, StateReport

from vdsim_autoware.adapter import AutowareParameters
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.adapter.ros import messages
from vdsim_autoware.adapter.ros import topics as names
from vdsim_autoware.adapter.ros.pace import Pace


class AutowareStatus:
    """The publishers of the statuses; the caller passes fresh reports only."""

    def __init__(self, node: Node, settings: AutowareParameters) -> None:
        self._settings = settings
        create, motion, state = node.create_publisher, names.MOTION_QOS, names.STATE_QOS
        self._velocity = create(VelocityReport, names.VELOCITY_STATUS, motion)
        self._steering = create(SteeringReport, names.STEERING_STATUS, motion)
        self._gear = create(GearReport, names.GEAR_STATUS, state)
        self._turn = create(TurnIndicatorsReport, names.TURN_STATUS, state)
        self._hazard = create(HazardLightsReport, names.HAZARD_STATUS, state)
        self._mode = create(ControlModeReport, names.CONTROL_MODE, state)
        self._doors = create(DoorStatusArray, names.DOOR_STATUS, state)
        self._api = None
        if settings.adapi_status:
            self._api = create(VehicleStatus, names.API_STATUS, names.API_QOS)
        self._angle_rad = 0.0
        self._velocity_pace = Pace(settings.motion_rate_hz)
        self._steering_pace = Pace(settings.motion_rate_hz)
        self._published: tuple[StateReport, ControlMode] | None = None

    def velocity(self, motion: NavOdometry, now: float) -> None:
        """Publish velocity_status when it is due."""
        if self._velocity_pace.is_due(now):
            to_axle_m, frame = self._settings.base_to_rear_axle_m, self._settings.base_frame
            self._velocity.publish(messages.velocity_message(motion, to_axle_m, frame))

    def steering(self, angle_rad: float, stamp: Time, now: float) -> None:
        """Publish steering_status when it is due."""
        self._angle_rad = angle_rad
        if self._steering_pace.is_due(now):
            self._steering.publish(messages.steering_message(angle_rad, stamp))

    def state(
        self, report: StateReport, mode: ControlMode, stamp: Time, *, on_change: bool
    ) -> None:
        """Publish gear, lamps and mode; `on_change`: only if one of them differs."""
        if on_change and self._published == (report, mode):
            return
        self._published = (report, mode)
        self._gear.publish(messages.gear_message(report, stamp))
        self._turn.publish(messages.turn_message(report, stamp))
        self._hazard.publish(messages.hazard_message(report, stamp))
        self._mode.publish(messages.mode_message(mode, stamp))
        if self._api is not None:
            self._api.publish(messages.api_status_message(report, self._angle_rad, stamp))

    def doors(self, cabin: CabinState, stamp: Time) -> None:
        """Publish the doors."""
        self._doors.publish(messages.door_message(cabin, stamp))
