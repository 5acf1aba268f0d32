"""Names and QoS profiles of Autoware's vehicle interface: absolute, as its pages have them.

A namespace does not move them; a remapping does.
"""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

CONTROL = "/control/command/control_cmd"
GEAR = "/control/command/gear_cmd"
TURN = "/control/command/turn_indicators_cmd"
HAZARD = "/control/command/hazard_lights_cmd"
ACTUATION = "/control/command/actuation_cmd"
EMERGENCY = "/control/command/emergency_cmd"
MANUAL_CONTROL = "/vehicle/command/manual_control_cmd"
MANUAL_GEAR = "/vehicle/command/manual_gear_command"
ENGAGE = "/vehicle/engage"
CONTROL_MODE_REQUEST = "/control/control_mode_request"

VELOCITY_STATUS = "/vehicle/status/velocity_status"
STEERING_STATUS = "/vehicle/status/steering_status"
GEAR_STATUS = "/vehicle/status/gear_status"
TURN_STATUS = "/vehicle/status/turn_indicators_status"
HAZARD_STATUS = "/vehicle/status/hazard_lights_status"
CONTROL_MODE = "/vehicle/status/control_mode"
API_STATUS = "/api/vehicle/status"
ACTUATION_STATUS = "/vehicle/status/actuation_status"
DOOR_STATUS = "/vehicle/doors/status"

OF_THE_STACK = (CONTROL, GEAR, TURN, HAZARD, ENGAGE, VELOCITY_STATUS, GEAR_STATUS, CONTROL_MODE)
"""Topics of which the line `graph` of /diagnostics looks at the ends."""

KINEMATIC_STATE = "/localization/kinematic_state"
ACCELERATION = "/localization/acceleration"
IMU = "/sensing/imu/imu_data"
INITIAL_POSE_3D = "/initialpose3d"
INITIAL_POSE = "/initialpose"
RESET = "/plant/reset"  # of the simulated car

# A volatile subscription is matched by volatile and by latched publishers: the pages allow both.
COMMAND_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
API_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
MOTION_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
STATE_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
