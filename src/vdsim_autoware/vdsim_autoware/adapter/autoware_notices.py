"""The kinds of notice that the adapter of Autoware issues."""

from vdsim_interface.values import NoticeKind, Severity

COMMAND_CLAMPED = NoticeKind("command_clamped", Severity.WARN)
UNUSABLE_NUMBER = NoticeKind("unusable_number", Severity.ERROR)
GEAR_IGNORED = NoticeKind("gear_ignored", Severity.WARN, is_refusal=True)
GEAR_WAITS = NoticeKind("gear_waits", Severity.INFO, every_time=True)
MODE_REFUSED = NoticeKind("mode_refused", Severity.WARN, is_refusal=True, every_time=True)
MODE_SELECTED = NoticeKind("mode_selected", Severity.INFO, every_time=True)
STOPPED = NoticeKind("stopped", Severity.WARN, every_time=True)
