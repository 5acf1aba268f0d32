"""What driving by hand has to say: events for the log, each with one sentence for a person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from vdsim_interface.values.notices import Severity


class TeleopReportKind(str, Enum):
    """Everything that the teleop cores report."""

    DEVICE_FOUND = "device_found"
    DEVICE_LOST = "device_lost"
    DEVICE_UNKNOWN = "device_unknown"
    DEVICE_TOO_SMALL = "device_too_small"
    JOY_SILENT = "joy_silent"
    JOY_NOT_FINITE = "joy_not_finite"
    DRIVING = "driving"
    STOPPING = "stopping"
    RELEASED = "released"
    LEVEL_CHANGED = "level_changed"
    LEVEL_REFUSED = "level_refused"
    REQUEST_SENT = "request_sent"
    REQUEST_IGNORED = "request_ignored"
    REQUEST_UNMET = "request_unmet"
    MODE_ANSWER = "mode_answer"
    MODE_REFUSED = "mode_refused"


_ERRORS = frozenset({TeleopReportKind.DEVICE_LOST, TeleopReportKind.JOY_SILENT})
_WARNINGS = frozenset(
    {
        TeleopReportKind.DEVICE_UNKNOWN,
        TeleopReportKind.DEVICE_TOO_SMALL,
        TeleopReportKind.JOY_NOT_FINITE,
        TeleopReportKind.LEVEL_REFUSED,
        TeleopReportKind.REQUEST_IGNORED,
        TeleopReportKind.REQUEST_UNMET,
        TeleopReportKind.MODE_REFUSED,
    }
)


@dataclass(frozen=True)
class TeleopReport:
    """Something happened; `text` is one sentence for a person."""

    kind: TeleopReportKind
    text: str

    @property
    def severity(self) -> Severity:
        """How loudly a shell passes it on."""
        if self.kind in _ERRORS:
            return Severity.ERROR
        return Severity.WARN if self.kind in _WARNINGS else Severity.INFO
