"""Names and QoS profiles of every topic and service of the interface, in one place.

Names are relative: the launch file puts the nodes into the namespace `vehicle`. Commands are
reliable with a depth of one, so that only the latest is used; odometry is best effort; reports
reach late subscribers.
"""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

RAW_COMMAND = "raw_command"
VEHICLE_COMMAND = "vehicle_command"
HIGH_LEVEL_COMMAND = "high_level_command"
STATE_COMMAND = "state_command"
CABIN_STATE = "cabin_state"
DRIVER_OVERRIDE = "driver_override"
AUXILIARY_COMMAND = "auxiliary_command"

ODOMETRY = "odometry"
STATE_REPORT = "state_report"
NAV_ODOMETRY = "odom"
IMU = "imu"
CAPABILITIES = "capabilities"
SAFETY_STATUS = "safety_status"
LINK_STATUS = "link_status"
COMMAND_TRACE = "command_trace"
CONTROL_SOURCE = "control_source"
EMERGENCY_STOP = "emergency_stop"

JOY = "joy"
JOY_DEVICE = "joy/device"  # name of the joystick; empty: unplugged
JOY_FEEDBACK = "joy/set_feedback"
LOCK = "lock"  # of the command mux: <lock>/lock

OF_THE_INTERFACE = frozenset(
    {
        *(RAW_COMMAND, VEHICLE_COMMAND, HIGH_LEVEL_COMMAND, STATE_COMMAND, CABIN_STATE),
        *(DRIVER_OVERRIDE, AUXILIARY_COMMAND, ODOMETRY, STATE_REPORT, NAV_ODOMETRY, IMU),
        *(CAPABILITIES, SAFETY_STATUS, LINK_STATUS, COMMAND_TRACE, CONTROL_SOURCE),
        EMERGENCY_STOP,
    }
)
"""Topics that a sensor of a platform cannot have."""

CHANGE_MODE = "change_mode"
GIVE_BACK = "give_back"
SET_FAULT = "set_fault"


def twin_of(service: str) -> tuple[str, str]:
    """Return the topics for requests and answers beside a service of modes."""
    return f"{service}_twin/request", f"{service}_twin/answer"


# Global by convention of the tools that read them.
DIAGNOSTICS = "/diagnostics"
TF = "/tf"

# Between the stages, when each runs as a node of its own: what the arbitration selected.
SELECTED = "stages/selected"

# Between the stages, when each runs as a node of its own.
CONTROLLED_COMMAND = "stages/controlled_command"
FILTERED_COMMAND = "stages/filtered_command"
SAFE_COMMAND = "stages/safe_command"
PLATFORM_REPORT = "stages/platform_report"

COMMAND_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
STATE_COMMAND_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
SENSOR_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
REPORT_QOS = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
RELIABLE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
_TWO_SECONDS = 200
"""Messages of a sender at 100 Hz: a stop among them waits for a process that stands still."""
STOP_QOS = QoSProfile(depth=_TWO_SECONDS, reliability=ReliabilityPolicy.RELIABLE)
"""Where a stop arrives. Volatile: no stop of an earlier drive reaches a process that starts."""
JOY_QOS = QoSProfile(depth=_TWO_SECONDS, reliability=ReliabilityPolicy.BEST_EFFORT)
"""The same for Joy, whose drivers publish reliably or not."""
SENSOR_QOS_BY_NAME = {"sensor": SENSOR_QOS, "reliable": RELIABLE_QOS, "latched": REPORT_QOS}
"""By the names that a platform's sensors use (sensors/declaration.py)."""
