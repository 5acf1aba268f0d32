"""What the interface says about itself: reports of events, reasons of changes, its status."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from vdsim_interface.values.enums import Mode


class Severity(IntEnum):
    """How loudly a shell passes a report on."""

    INFO = 0
    WARN = 1
    ERROR = 2


class ReportKind(str, Enum):
    """Everything that the interface can have to say; the value is the name users see."""

    NON_FINITE_COMMAND = "non_finite_command"
    NON_FINITE_REPORT = "non_finite_report"
    UNDEFINED_VALUE = "undefined_value"
    WRONG_LEVEL = "wrong_level"
    MODE_CHANGED = "mode_changed"
    ENGAGE_REFUSED = "engage_refused"
    MANUAL_BLOCK = "manual_block"
    CABIN_UNSECURED = "cabin_unsecured"
    COMMAND_TIMEOUT = "command_timeout"
    LINK_TIMEOUT = "link_timeout"
    LINK_RESTORED = "link_restored"
    RANGE = "range"
    LATERAL_ACCEL = "lateral_accel"
    LOW_PASS = "low_pass"
    HIGH_FREQUENCY = "high_frequency"
    RATE = "rate"
    STEER_LEAD = "steer_lead"
    HAND_BRAKE_SET = "hand_brake_set"
    HAND_BRAKE_MOVING = "hand_brake_moving"
    GEAR_PARK_MOVING = "gear_park_moving"
    GEAR_DIRECTION_MOVING = "gear_direction_moving"
    GEAR_SPEED_UNKNOWN = "gear_speed_unknown"
    GEAR_WAIT = "gear_wait"
    GEAR_AUTOMATIC = "gear_automatic"
    GEAR_NO_DRIVE = "gear_no_drive"
    SHIFT_HOLD = "shift_hold"
    STANDSTILL_HOLD = "standstill_hold"
    WIPER_HEADLIGHT = "wiper_headlight"
    HAZARD_PRIORITY = "hazard_priority"
    LINK_REJECT = "link_reject"
    LINK_ERROR = "link_error"
    PLATFORM_LIMIT = "platform_limit"
    NO_REAR_STEERING = "no_rear_steering"
    TIME_JUMP = "time_jump"


INFO_KINDS = frozenset(
    {
        ReportKind.MODE_CHANGED,
        ReportKind.LINK_RESTORED,
        ReportKind.RATE,
        ReportKind.LOW_PASS,
        ReportKind.GEAR_AUTOMATIC,
        ReportKind.GEAR_WAIT,
        ReportKind.SHIFT_HOLD,
        ReportKind.STANDSTILL_HOLD,
        ReportKind.WIPER_HEADLIGHT,
        ReportKind.MANUAL_BLOCK,
    }
)
ERROR_KINDS = frozenset(
    {
        ReportKind.NON_FINITE_COMMAND,
        ReportKind.NON_FINITE_REPORT,
        ReportKind.COMMAND_TIMEOUT,
        ReportKind.LINK_TIMEOUT,
        ReportKind.UNDEFINED_VALUE,
    }
)


def severity(kind: ReportKind) -> Severity:
    """Say how loud a report of this kind is."""
    if kind in ERROR_KINDS:
        return Severity.ERROR
    return Severity.INFO if kind in INFO_KINDS else Severity.WARN


@dataclass(frozen=True, slots=True)
class Report:
    """Something happened; `text` is one sentence for a person."""

    kind: ReportKind
    text: str

    @property
    def severity(self) -> Severity:
        """How loudly to pass it on."""
        return severity(self.kind)


@dataclass(frozen=True, slots=True)
class Change:
    """One channel was changed on its way to the vehicle, and which rule did it."""

    kind: ReportKind
    channel: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ChangeModeResult:
    """Answer to a request to engage or disengage."""

    success: bool
    reason: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class SafetyStatus:
    """State of the safety stage; ages in s (infinite: never heard)."""

    mode: Mode
    mode_reason: str
    last_disengage_reason: str
    active: tuple[ReportKind, ...]
    counts: tuple[tuple[ReportKind, int], ...]
    command_age_s: float
    report_age_s: float
