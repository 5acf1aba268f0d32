"""The kinds of notice other than those of the motion rules (safety/rules.py).

NO_REAR_STEERING and those of the stops are kinds of rules, too; they are here because other rooms
issue them as well.
"""

from vdsim_interface.values.notices import NoticeKind, Severity

_INFO, _WARN, _ERROR = Severity.INFO, Severity.WARN, Severity.ERROR

NON_FINITE_COMMAND = NoticeKind("non_finite_command", _ERROR)
NON_FINITE_REPORT = NoticeKind("non_finite_report", _ERROR)
IMPLAUSIBLE_REPORT = NoticeKind("implausible_report", _ERROR)
UNDEFINED_VALUE = NoticeKind("undefined_value", _ERROR)
WRONG_LEVEL = NoticeKind("wrong_level")
MODE_CHANGED = NoticeKind("mode_changed", _INFO, every_time=True)
ENGAGE_REFUSED = NoticeKind("engage_refused", is_refusal=True, every_time=True)
COMMAND_TIMEOUT = NoticeKind(
    "command_timeout", _ERROR, "no fresh command; the car stops smoothly and holds its steering"
)
LINK_TIMEOUT = NoticeKind(
    "link_timeout",
    _ERROR,
    "the vehicle does not report; the car stops smoothly and holds its steering",
)
EMERGENCY = NoticeKind(
    "emergency", _ERROR, "an emergency stop is latched; give_back releases it at standstill"
)
MANUAL_BLOCK = NoticeKind("manual_block", _INFO, "command blocked, autonomy is off; engage first")
CABIN_UNSECURED = NoticeKind(
    "cabin_unsecured", _WARN, "the cabin is not secured; the car stops smoothly"
)
LINK_AWAITED = NoticeKind(
    "link_awaited", _INFO, "the vehicle has not reported since the start; it may still be starting"
)
LINK_ABSENT = NoticeKind(
    "link_absent", _WARN, "the vehicle has not reported for longer than a start takes"
)
DRIVER_IGNORED = NoticeKind("driver_ignored")
INPUT_LOST = NoticeKind(
    "input_lost", _ERROR, "the source of a required input is lost; the car stops smoothly"
)
LINK_RESTORED = NoticeKind("link_restored", _INFO, every_time=True)
LINK_REJECT = NoticeKind("link_reject")
LINK_ERROR = NoticeKind("link_error")
LOW_PASS = NoticeKind("low_pass", _INFO, "the low-pass filter smooths it")
HAND_BRAKE_MOVING = NoticeKind("hand_brake_moving", is_refusal=True)
GEAR_PARK_MOVING = NoticeKind("gear_park_moving", is_refusal=True)
GEAR_DIRECTION_MOVING = NoticeKind("gear_direction_moving", is_refusal=True)
GEAR_SPEED_UNKNOWN = NoticeKind("gear_speed_unknown", is_refusal=True)
GEAR_WAIT = NoticeKind("gear_wait", _INFO)
GEAR_AUTOMATIC = NoticeKind(
    "gear_automatic", _INFO, "automatic, by the sign of the commanded acceleration"
)
HAND_BRAKE_STOP = NoticeKind(
    "hand_brake_stop", _INFO, "the car is held at rest; the next request to drive ends it"
)
GEAR_STOP = NoticeKind(
    "gear_stop", _INFO, "the car is held at rest; the next request to drive ends it"
)
WIPER_HEADLIGHT = NoticeKind(
    "wiper_headlight", _INFO, "the wipers run, so the headlights must be on"
)
HAZARD_PRIORITY = NoticeKind("hazard_priority", _WARN, "safe stop in progress")
ACCELERATION_LOOP = NoticeKind(
    "acceleration_loop", _INFO, "slope, wind, load and pedal map are compensated"
)
CURVATURE_TRIM = NoticeKind(
    "curvature_trim", _INFO, "the yaw rate shows another curvature than the one asked for"
)
NOT_SLOWING = NoticeKind("not_slowing", _ERROR)
START_REFUSED = NoticeKind("start_refused", is_refusal=True)
GATE_STOP = NoticeKind(
    "gate_stop",
    _INFO,
    "a stop stands, or just ended: no drive in it, no brake weaker than before, a slow release",
)
GATE_EMERGENCY = NoticeKind(
    "gate_emergency", _ERROR, "an emergency stop is latched; give_back releases it at standstill"
)
GATE_STEER = NoticeKind("gate_steer", _WARN, "one packet may not change the wheel angle further")
GATE_BODY = NoticeKind("gate_body", _WARN, "not at this speed")
PLATFORM_LIMIT = NoticeKind("platform_limit", _WARN, "the platform cannot do more")
NO_REAR_STEERING = NoticeKind("no_rear_steering", _WARN, "this platform has no rear steering")
TIME_JUMP = NoticeKind("time_jump")
CLOCK_STEP = NoticeKind("clock_step", _INFO)
TICK_OVERRUN = NoticeKind("tick_overrun")
STALE_COMMAND = NoticeKind("stale_command")
SLOW_VEHICLE = NoticeKind("slow_vehicle")
LATE_REPORT = NoticeKind("late_report", _ERROR)
NEWER_VERSION = NoticeKind("newer_version")
VERSION_ADOPTED = NoticeKind("version_adopted", _INFO, every_time=True)
VERSION_DIFFERS = NoticeKind("version_differs", _WARN)
VERSION_ASKED = NoticeKind(
    "version_asked", _WARN, "the vehicle may answer only a command that it reads"
)
SLOW_REPORTS = NoticeKind("slow_reports", _ERROR)
VEHICLE_NEWS = NoticeKind("vehicle_news", every_time=True)

ALL = tuple(kind for kind in tuple(vars().values()) if isinstance(kind, NoticeKind))
"""Every kind above, in this order."""
