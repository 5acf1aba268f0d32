"""Names of the planning simulator's topics: relative, as Autoware's own has them.

Launch files remap them; REMAPPINGS are those of Autoware's launch file.
"""

from rclpy.qos import DurabilityPolicy, QoSProfile

TF_QOS = QoSProfile(depth=100)
TF_STATIC_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)

INITIAL_POSE = "input/initialpose"
INITIAL_POSE_2D = "input/initialpose2d"
INITIAL_TWIST = "input/initialtwist"
CONTROL = "input/ackermann_control_command"
MANUAL_CONTROL = "input/manual_ackermann_control_command"
ACTUATION = "input/actuation_command"
GEAR = "input/gear_command"
MANUAL_GEAR = "input/manual_gear_command"
TURN = "input/turn_indicators_command"
HAZARD = "input/hazard_lights_command"
TRAJECTORY = "input/trajectory"
TRAJECTORY_BEFORE_0_47 = "input/trajectory_before_0_47"
"""Autoware renamed the trajectory in its release 0.47 (2025-08-11); the latest of both counts."""
ENGAGE = "input/engage"
MODE_REQUEST = "input/control_mode_request"

TWIST = "output/twist"
ODOMETRY = "output/odometry"
ACCELERATION = "output/acceleration"
POSE = "output/pose"
IMU = "output/imu"
STEERING = "output/steering"
GEAR_REPORT = "output/gear_report"
TURN_REPORT = "output/turn_indicators_report"
HAZARD_REPORT = "output/hazard_lights_report"
MODE_REPORT = "output/control_mode_report"
ACTUATION_STATUS = "output/actuation_status"
TF, TF_STATIC = "/tf", "/tf_static"
COMMAND_TRACE = "command_trace"

REMAPPINGS = {
    INITIAL_POSE: "/initialpose3d",
    INITIAL_POSE_2D: "/initialpose",
    CONTROL: "/control/command/control_cmd",
    ACTUATION: "/control/command/actuation_cmd",
    MANUAL_CONTROL: "/vehicle/command/manual_control_cmd",
    GEAR: "/control/command/gear_cmd",
    MANUAL_GEAR: "/vehicle/command/manual_gear_command",
    TURN: "/control/command/turn_indicators_cmd",
    HAZARD: "/control/command/hazard_lights_cmd",
    TRAJECTORY: "/planning/trajectory",
    TRAJECTORY_BEFORE_0_47: "/planning/scenario_planning/trajectory",
    ENGAGE: "/vehicle/engage",
    MODE_REQUEST: "/control/control_mode_request",
    TWIST: "/vehicle/status/velocity_status",
    IMU: "/sensing/imu/imu_data",
    STEERING: "/vehicle/status/steering_status",
    GEAR_REPORT: "/vehicle/status/gear_status",
    TURN_REPORT: "/vehicle/status/turn_indicators_status",
    HAZARD_REPORT: "/vehicle/status/hazard_lights_status",
    MODE_REPORT: "/vehicle/status/control_mode",
    ACTUATION_STATUS: "/vehicle/status/actuation_status",
}
_DEBUG = "/simulation/debug"
_POSE = "/localization/pose_estimator/pose_with_covariance"
MOTION_REMAPPINGS = {
    "full_motion": {
        ODOMETRY: "/localization/kinematic_state",
        ACCELERATION: "/localization/acceleration",
        POSE: f"{_DEBUG}{_POSE}",
    },
    "pose_only": {
        ODOMETRY: f"{_DEBUG}/localization/kinematic_state",
        ACCELERATION: f"{_DEBUG}/localization/acceleration",
        POSE: _POSE,
    },
}
"""By `motion_publish_mode`: who estimates the motion, the simulator or Autoware's filter."""
