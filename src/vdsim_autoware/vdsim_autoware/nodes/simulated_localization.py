"""ROS node simulated_localization: the simulated car's true pose as Autoware's localization.

In place of a localization stack, as a planning simulator has it: poses out at the rear axle, and an
initial pose in, which puts the car there.
"""

from __future__ import annotations

import sys
import time

from geometry_msgs.msg import (
    AccelWithCovarianceStamped,
    PoseWithCovarianceStamped,
    TransformStamped,
)
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import Imu
from tf2_msgs.msg import TFMessage
from vdsim_interface.extras.ros.fixed_parameters import seal
from vdsim_interface.ros import topics
from vdsim_interface.ros.node_main import run
from vdsim_interface.ros.parameters import declare
from vdsim_interface.ros.process.checked_node import CheckedNode

from vdsim_autoware.adapter.localization import (
    LocalizationParameters,
    Planar,
    moved,
    start_pose,
    yaw_of,
)
from vdsim_autoware.adapter.ros import topics as names
from vdsim_autoware.adapter.ros.pace import Pace
from vdsim_msgs.srv import ResetPlant


class SimulatedLocalization(CheckedNode, Node):
    """Odometry and IMU of the interface in, Autoware's localization topics out."""

    def __init__(self) -> None:
        super().__init__("simulated_localization")
        self._settings = declare(self, LocalizationParameters())
        seal(self)
        create, qos = self.create_publisher, names.MOTION_QOS
        self._state = create(Odometry, names.KINEMATIC_STATE, qos)
        self._acceleration = create(AccelWithCovarianceStamped, names.ACCELERATION, qos)
        self._imu = create(Imu, names.IMU, qos)
        self._tf = create(TFMessage, topics.TF, topics.RELIABLE_QOS)
        self._reset = self.create_client(ResetPlant, names.RESET)
        self._yaw_rate_radps = 0.0
        self._paces = {name: Pace(self._settings.rate_hz) for name in ("state", "imu")}
        self.create_subscription(Odometry, topics.NAV_ODOMETRY, self._on_odom, topics.COMMAND_QOS)
        self.create_subscription(Imu, topics.IMU, self._on_imu, topics.SENSOR_QOS)
        for name in (names.INITIAL_POSE_3D, names.INITIAL_POSE):
            self.create_subscription(PoseWithCovarianceStamped, name, self._on_initial_pose, 1)

    def _on_odom(self, message: Odometry) -> None:
        self._yaw_rate_radps = message.twist.twist.angular.z
        if not self._paces["state"].is_due(time.monotonic()):
            return
        behind_m = self._settings.base_to_rear_axle_m
        pose, twist = message.pose.pose, message.twist.twist
        turn = pose.orientation
        yaw_rad = yaw_of(turn.x, turn.y, turn.z, turn.w)
        axle = moved(Planar(pose.position.x, pose.position.y, yaw_rad), -behind_m)
        pose.position.x, pose.position.y = axle.x_m, axle.y_m
        twist.linear.y -= behind_m * twist.angular.z
        message.header.frame_id = self._settings.map_frame
        message.child_frame_id = self._settings.base_frame
        self._state.publish(message)
        transform = TransformStamped(header=message.header, child_frame_id=message.child_frame_id)
        translation = transform.transform.translation
        translation.x, translation.y, translation.z = axle.x_m, axle.y_m, pose.position.z
        transform.transform.rotation = turn
        self._tf.publish(TFMessage(transforms=[transform]))

    def _on_imu(self, message: Imu) -> None:
        if not self._paces["imu"].is_due(time.monotonic()):
            return
        message.header.frame_id = self._settings.base_frame
        self._imu.publish(message)
        result = AccelWithCovarianceStamped(header=message.header)
        linear = result.accel.accel.linear
        # The axle moves on a circle about the centre of gravity while the car turns.
        centripetal_mps2 = self._settings.base_to_rear_axle_m * self._yaw_rate_radps**2
        linear.x = message.linear_acceleration.x + centripetal_mps2
        linear.y = message.linear_acceleration.y
        self._acceleration.publish(result)

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        """Put the car there, at rest; the height is that of the ground."""
        position, turn = message.pose.pose.position, message.pose.pose.orientation
        axle = start_pose(position.x, position.y, (turn.x, turn.y, turn.z, turn.w))
        if axle is None:
            self.get_logger().warning("initial pose ignored: it has numbers that are no pose")
            return
        if not self._reset.service_is_ready():
            self.get_logger().warning(f"initial pose ignored: no service {names.RESET}")
            return
        centre = moved(axle, self._settings.base_to_rear_axle_m)
        request = ResetPlant.Request(use_initial=True, x_m=centre.x_m, y_m=centre.y_m)
        request.yaw_rad = centre.yaw_rad
        self._reset.call_async(request).add_done_callback(self._on_reset)

    def _on_reset(self, done: Future) -> None:
        answer = done.result()
        if not answer.success:
            self.get_logger().warning(f"initial pose refused: {answer.reason}")


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    return run("simulated_localization", lambda: [SimulatedLocalization()], arguments)


if __name__ == "__main__":
    sys.exit(main())
