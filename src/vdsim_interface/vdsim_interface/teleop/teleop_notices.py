"""The kinds of notice that gamepad and keyboard issue."""

from vdsim_interface.values import NoticeKind, Severity

DEVICE_FOUND = NoticeKind("device_found", Severity.INFO)
DEVICE_LOST = NoticeKind("device_lost", Severity.ERROR)
DEVICE_UNKNOWN = NoticeKind("device_unknown", Severity.WARN)
DEVICE_TOO_SMALL = NoticeKind("device_too_small", Severity.WARN)
JOY_SILENT = NoticeKind("joy_silent", Severity.ERROR)
JOY_NOT_FINITE = NoticeKind("joy_not_finite", Severity.WARN)
DRIVING = NoticeKind("driving", Severity.INFO)
STOPPING = NoticeKind("stopping", Severity.INFO)
RELEASED = NoticeKind("released", Severity.INFO)
LEVEL_CHANGED = NoticeKind("level_changed", Severity.INFO)
LEVEL_REFUSED = NoticeKind("level_refused", Severity.WARN)
REQUEST_SENT = NoticeKind("request_sent", Severity.INFO)
REQUEST_IGNORED = NoticeKind("request_ignored", Severity.WARN)
REQUEST_UNMET = NoticeKind("request_unmet", Severity.WARN)
MODE_ANSWER = NoticeKind("mode_answer", Severity.INFO)
MODE_REFUSED = NoticeKind("mode_refused", Severity.WARN)
