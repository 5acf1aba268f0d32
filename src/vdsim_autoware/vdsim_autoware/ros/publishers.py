"""Publishes the motion and the statuses of the planning simulator."""

from __future__ import annotations

import math

from autoware_vehicle_msgs.msg import (
    ControlModeReport,
    GearReport,
    HazardLightsReport,
    SteeringReport,
    TurnIndicatorsReport,
    VelocityReport,
)
from builtin_interfaces.msg import Time
from geometry_msgs.msg import (
    AccelWithCovarianceStamped,
    PoseWithCovarianceStamped,
    Quaternion,
    TransformStamped,
)
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import Imu
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from vdsim_interface.ros import topics as interface_topics
from vdsim_interface.values import StateReport

from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.adapter.ros import messages
from vdsim_autoware.adapter.ros.actuation import ActuationStatus
from vdsim_autoware.adapter.ros.topics import MOTION_QOS, STATE_QOS
from vdsim_autoware.model.dynamics import Pedals
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.ros import topics
from vdsim_autoware.simulator import Motion

POSITION_COVARIANCE, ANGLE_COVARIANCE = 0.0225, 0.000625
"""Of the pose, as Autoware's scan matching states them."""
MOTION_COVARIANCE = 0.001


def quaternion(pitch_rad: float, yaw_rad: float) -> Quaternion:
    """Return an orientation without roll."""
    sp, cp = math.sin(0.5 * pitch_rad), math.cos(0.5 * pitch_rad)
    sy, cy = math.sin(0.5 * yaw_rad), math.cos(0.5 * yaw_rad)
    return Quaternion(x=-sp * sy, y=sp * cy, z=cp * sy, w=cp * cy)


def diagonal(*values: float) -> list[float]:
    """Return a covariance with these variances."""
    size = len(values)
    return [values[i] if i == j else 0.0 for i in range(size) for j in range(size)]


_POSE = diagonal(*(POSITION_COVARIANCE,) * 3, *(ANGLE_COVARIANCE,) * 3)
_ACCEL = diagonal(*(MOTION_COVARIANCE,) * 6)
_IMU = diagonal(*(MOTION_COVARIANCE,) * 3)


class Publishers:
    """All topics that go out."""

    def __init__(self, node: Node, parameters: SimulatorParameters, *, pedals: bool) -> None:
        self._parameters = p = parameters
        create = node.create_publisher
        self._odometry = create(Odometry, topics.ODOMETRY, MOTION_QOS)
        self._pose = create(PoseWithCovarianceStamped, topics.POSE, MOTION_QOS)
        self._velocity = create(VelocityReport, topics.TWIST, MOTION_QOS)
        self._accel = create(AccelWithCovarianceStamped, topics.ACCELERATION, MOTION_QOS)
        self._imu = create(Imu, topics.IMU, MOTION_QOS)
        self._steering = create(SteeringReport, topics.STEERING, MOTION_QOS)
        self._gear = create(GearReport, topics.GEAR_REPORT, STATE_QOS)
        self._turn = create(TurnIndicatorsReport, topics.TURN_REPORT, STATE_QOS)
        self._hazard = create(HazardLightsReport, topics.HAZARD_REPORT, STATE_QOS)
        self._mode = create(ControlModeReport, topics.MODE_REPORT, STATE_QOS)
        self._tf = create(TFMessage, topics.TF, interface_topics.RELIABLE_QOS)
        self.use_deviations(p)
        if pedals:
            self.actuation = ActuationStatus(node, topics.ACTUATION_STATUS)

    def use_deviations(self, parameters: SimulatorParameters) -> None:
        """Use the covariances of x and y in kinematic_state."""
        x, y = parameters.x_stddev, parameters.y_stddev
        self._covariance = diagonal(x, y, 0.0, 0.0, 0.0, 0.0)

    def mode(self, mode: ControlMode, stamp: Time) -> None:
        """Publish who drives."""
        self._mode.publish(messages.mode_message(mode, stamp))

    def state(self, report: StateReport, stamp: Time) -> None:
        """Publish gear and lamps."""
        self._gear.publish(messages.gear_message(report, stamp))
        self._turn.publish(messages.turn_message(report, stamp))
        self._hazard.publish(messages.hazard_message(report, stamp))

    def motion(self, motion: Motion, stamp: Time) -> None:
        """Publish pose, speed and acceleration of the rear axle."""
        in_map = Header(stamp=stamp, frame_id=self._parameters.origin_frame_id)
        of_car = Header(stamp=stamp, frame_id=self._parameters.simulated_frame_id)
        odometry = Odometry(header=in_map, child_frame_id=of_car.frame_id)
        pose = odometry.pose.pose
        pose.position.x, pose.position.y = motion.x_m, motion.y_m
        pose.position.z = motion.z_m
        pose.orientation = turn = quaternion(motion.pitch_rad, motion.yaw_rad)
        twist = odometry.twist.twist
        twist.linear.x, twist.linear.y = motion.vx_mps, motion.vy_mps
        twist.angular.z = motion.yaw_rate_radps
        odometry.pose.covariance = self._covariance
        self._odometry.publish(odometry)
        estimate = PoseWithCovarianceStamped(header=in_map)
        estimate.pose.pose, estimate.pose.covariance = pose, _POSE
        self._pose.publish(estimate)
        self._publish_speed(motion, of_car)
        self._publish_acceleration(motion, of_car, turn)
        if self._parameters.enable_pub_steer:
            self._steering.publish(messages.steering_message(motion.wheel_angle_rad, stamp))
        transform = TransformStamped(header=in_map, child_frame_id=of_car.frame_id)
        translation = transform.transform.translation
        translation.x, translation.y = motion.x_m, motion.y_m
        translation.z = motion.z_m
        transform.transform.rotation = turn
        self._tf.publish(TFMessage(transforms=[transform]))

    def _publish_speed(self, motion: Motion, header: Header) -> None:
        velocity = VelocityReport(
            header=header,
            longitudinal_velocity=motion.vx_mps,
            lateral_velocity=motion.vy_mps,
            heading_rate=motion.yaw_rate_radps,
        )
        self._velocity.publish(velocity)

    def _publish_acceleration(self, motion: Motion, header: Header, turn: Quaternion) -> None:
        accel = AccelWithCovarianceStamped(header=header)
        linear = accel.accel.accel.linear
        linear.x, linear.y = motion.ax_mps2, motion.ay_mps2
        accel.accel.covariance = _ACCEL
        self._accel.publish(accel)
        imu = Imu(header=header, orientation=turn)
        imu.linear_acceleration.x, imu.linear_acceleration.y = linear.x, linear.y
        imu.angular_velocity.z = motion.yaw_rate_radps
        imu.orientation_covariance = _IMU
        imu.angular_velocity_covariance = _IMU
        imu.linear_acceleration_covariance = _IMU
        self._imu.publish(imu)

    def pedals(self, pedals: Pedals, stamp: Time) -> None:
        """Publish actuation_status."""
        frame = self._parameters.simulated_frame_id
        self.actuation.send(pedals.accel, pedals.brake, pedals.steer, stamp, frame)
