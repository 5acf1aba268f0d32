"""ROS messages <-> plain values of the interface.

Commands get the time of receipt on the node's clock as their stamp; messages that go out get the
time of receipt of the data they carry. `stamp` converts such a time to a stamp and `seconds` a
stamp to a time, where the two clocks differ (RosTime).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped
from nav_msgs.msg import Odometry as NavOdometry
from sensor_msgs.msg import Joy
from tf2_msgs.msg import TFMessage

from vdsim_interface.values import (
    Blinker,
    CabinState,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    Odometry,
    RawCommand,
    StateReport,
    VehicleCommand,
    VehicleReport,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_msgs.msg import (
    CabinState as CabinStateMsg,
)
from vdsim_msgs.msg import (
    HighLevelControlCommand,
    RawControlCommand,
    VehicleControlCommand,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)

NANOSECONDS = 1_000_000_000
MOST_OF_A_PAD = 256
"""Axes, and buttons, of a Joy message that are read."""
ToStamp = Callable[[float], Time]
ToSeconds = Callable[[Time], float]


def time_message(seconds: float) -> Time:
    """Seconds of a ROS clock as a message; times that have no representation become zero."""
    if not math.isfinite(seconds) or seconds < 0.0:
        return Time()
    # The whole seconds first: today's time in nanoseconds is beyond the 53 bits of a float, and a
    # stamp that is passed on would change with every conversion.
    whole = int(seconds)
    part = round((seconds - whole) * NANOSECONDS)
    return Time(sec=whole, nanosec=part) if part < NANOSECONDS else Time(sec=whole + 1)


def time_message_ns(nanoseconds: int) -> Time:
    """Nanoseconds of a ROS clock as a message."""
    seconds, part = divmod(nanoseconds, NANOSECONDS)
    return Time(sec=seconds, nanosec=part) if seconds >= 0 else Time()


def seconds_of(stamp: Time) -> float:
    """A message's time in seconds."""
    return float(stamp.sec) + stamp.nanosec / NANOSECONDS


# ---- commands in --------------------------------------------------------------------------------


def raw_command(message: RawControlCommand, now: float) -> RawCommand:
    """Integrator's counts."""
    return RawCommand(now, message.throttle, message.brake, message.front_steer, message.rear_steer)


def vehicle_command(message: VehicleControlCommand, now: float) -> VehicleCommand:
    """Acceleration and wheel angles."""
    return VehicleCommand(
        now,
        message.long_accel_mps2,
        message.front_wheel_angle_rad,
        message.rear_wheel_angle_rad,
    )


def high_level_command(message: HighLevelControlCommand, now: float) -> HighLevelCommand:
    """Speed and curvature."""
    return HighLevelCommand(now, message.velocity_mps, message.curvature)


def relayed_command(
    message: VehicleControlCommand, seconds: ToSeconds = seconds_of
) -> VehicleCommand:
    """A command from the stage before, which keeps the time of receipt of the one behind it."""
    return vehicle_command(message, seconds(message.stamp))


def asks_for_autonomy(message: VehicleStateCommand) -> bool:
    """Whether a VehicleStateCommand requests to engage."""
    return bool(message.autonomous) or message.mode == int(Mode.AUTONOMOUS)


def state_message(message: VehicleStateCommand) -> StateMessage:
    """Lamps, gear and so on, not yet checked."""
    return StateMessage(
        blinker=message.blinker,
        headlight=message.headlight,
        wiper=message.wiper,
        gear=message.gear,
        mode=message.mode,
        hand_brake=message.hand_brake,
        horn=message.horn,
        autonomous=message.autonomous,
    )


def cabin_state(message: CabinStateMsg) -> CabinState:
    """Doors, belts, load."""
    return CabinState(message.doors_closed, message.belts_fastened, message.load_secured)


# ---- commands out (teleoperation, mux, stages) --------------------------------------------------


def raw_command_message(command: RawCommand, stamp: ToStamp = time_message) -> RawControlCommand:
    """Integrator's counts; the message's integers bound them."""
    return RawControlCommand(
        stamp=stamp(command.stamp_s),
        throttle=_bounded(command.throttle, 0, 2**32 - 1),
        brake=_bounded(command.brake, 0, 2**32 - 1),
        front_steer=_bounded(command.front_steer, -(2**31), 2**31 - 1),
        rear_steer=_bounded(command.rear_steer, -(2**31), 2**31 - 1),
    )


def _bounded(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def vehicle_command_message(
    command: VehicleCommand, stamp: ToStamp = time_message
) -> VehicleControlCommand:
    """Acceleration and wheel angles."""
    return VehicleControlCommand(
        stamp=stamp(command.stamp_s),
        long_accel_mps2=command.long_accel_mps2,
        front_wheel_angle_rad=command.front_wheel_angle_rad,
        rear_wheel_angle_rad=command.rear_wheel_angle_rad,
    )


def high_level_command_message(command: HighLevelCommand) -> HighLevelControlCommand:
    """Speed and curvature."""
    return HighLevelControlCommand(
        stamp=time_message(command.stamp_s),
        velocity_mps=command.velocity_mps,
        curvature=command.curvature_1pm,
    )


def state_message_message(content: StateMessage, stamp_s: float) -> VehicleStateCommand:
    """Convert lamps, gear and the other body values."""
    return VehicleStateCommand(
        stamp=time_message(stamp_s),
        blinker=content.blinker,
        headlight=content.headlight,
        wiper=content.wiper,
        gear=content.gear,
        mode=content.mode,
        hand_brake=content.hand_brake,
        horn=content.horn,
        autonomous=content.autonomous,
    )


# ---- reports out --------------------------------------------------------------------------------


def odometry_message(odometry: Odometry, stamp: ToStamp = time_message) -> VehicleOdometry:
    """Speed and wheel angles."""
    return VehicleOdometry(
        stamp=stamp(odometry.stamp_s),
        velocity_mps=odometry.velocity_mps,
        front_wheel_angle_rad=odometry.front_wheel_angle_rad,
        rear_wheel_angle_rad=odometry.rear_wheel_angle_rad,
    )


def joy_values(message: Joy) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Axes and buttons; of a message that no pad sends, the first ones."""
    axes, buttons = message.axes[:MOST_OF_A_PAD], message.buttons[:MOST_OF_A_PAD]
    return tuple(map(float, axes)), tuple(map(int, buttons))


def odometry_value(message: VehicleOdometry, now: float) -> Odometry:
    """Speed and wheel angles, as received from another stage."""
    return Odometry(
        now, message.velocity_mps, message.front_wheel_angle_rad, message.rear_wheel_angle_rad
    )


def state_report_message(
    report: StateReport, stamp_s: float, stamp: ToStamp = time_message
) -> VehicleStateReport:
    """Lamps, gear, mode, fuel."""
    return VehicleStateReport(
        stamp=stamp(stamp_s),
        fuel=report.fuel,
        blinker=int(report.blinker),
        headlight=int(report.headlight),
        wiper=int(report.wiper),
        gear=int(report.gear),
        mode=int(report.mode),
        hand_brake=report.hand_brake,
        horn=report.horn,
    )


def state_report_value(message: VehicleStateReport) -> StateReport | None:
    """Lamps, gear, mode, fuel as received; None for an undefined number."""
    try:
        return StateReport(
            message.fuel,
            Blinker(message.blinker),
            Headlight(message.headlight),
            Wiper(message.wiper),
            Gear(message.gear),
            Mode(message.mode),
            message.hand_brake,
            message.horn,
        )
    except ValueError:
        return None


def quaternion(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Quaternion:
    """Attitude from ZYX angles."""
    cr, sr = math.cos(roll_rad / 2.0), math.sin(roll_rad / 2.0)
    cp, sp = math.cos(pitch_rad / 2.0), math.sin(pitch_rad / 2.0)
    cy, sy = math.cos(yaw_rad / 2.0), math.sin(yaw_rad / 2.0)
    return Quaternion(
        w=cr * cp * cy + sr * sp * sy,
        x=sr * cp * cy - cr * sp * sy,
        y=cr * sp * cy + sr * cp * sy,
        z=cr * cp * sy - sr * sp * cy,
    )


def diagonal(variances: Sequence[float]) -> list[float]:
    """A square covariance, row by row, with `variances` on its diagonal."""
    size = len(variances)
    return [variances[i] if i == j else 0.0 for i in range(size) for j in range(size)]


def nav_odometry_message(
    report: VehicleReport,
    frames: tuple[str, str],
    covariances: tuple[Sequence[float], Sequence[float]],
    stamp: ToStamp = time_message,
) -> NavOdometry:
    """Pose in the world frame (ENU) and twist in the body frame (ISO 8855)."""
    message = NavOdometry()
    message.header.stamp = stamp(report.stamp_s)
    message.header.frame_id, message.child_frame_id = frames
    position = message.pose.pose.position
    position.x, position.y, position.z = report.x_m, report.y_m, report.z_m
    message.pose.pose.orientation = quaternion(report.roll_rad, report.pitch_rad, report.yaw_rad)
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    linear.x, linear.y = report.velocity_mps, report.lateral_velocity_mps
    linear.z = report.vertical_velocity_mps
    angular.x, angular.y = report.roll_rate_radps, report.pitch_rate_radps
    angular.z = report.yaw_rate_radps
    message.pose.covariance, message.twist.covariance = covariances
    return message


def transform_message(odometry: NavOdometry) -> TFMessage:
    """The same pose as a transform from the world to the body."""
    transform = TransformStamped()
    transform.header = odometry.header
    transform.child_frame_id = odometry.child_frame_id
    position = odometry.pose.pose.position
    translation = transform.transform.translation
    translation.x, translation.y, translation.z = position.x, position.y, position.z
    transform.transform.rotation = odometry.pose.pose.orientation
    return TFMessage(transforms=[transform])


def wheels(values: Iterable[float]) -> list[float]:
    """FL, FR, RL, RR as a list; what the packet does not carry is NaN."""
    numbers = [float(value) for value in values]
    return numbers if len(numbers) == 4 else [math.nan] * 4
