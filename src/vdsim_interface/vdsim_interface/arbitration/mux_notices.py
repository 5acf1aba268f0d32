"""The kinds of notice that the command mux issues."""

from vdsim_interface.values import NoticeKind, Severity

TOOK_OVER = NoticeKind("took_over", Severity.INFO)
SAFE_STOP = NoticeKind("safe_stop", Severity.ERROR)
HOLDING = NoticeKind("holding", Severity.INFO)
RELEASED = NoticeKind("released", Severity.INFO)
LOCK = NoticeKind("lock", Severity.WARN)
COMMAND_REJECTED = NoticeKind("command_rejected", Severity.WARN)
STATE_COMMAND_IGNORED = NoticeKind("state_command_ignored", Severity.WARN)
EMERGENCY_STOP = NoticeKind("emergency_stop", Severity.ERROR)
EMERGENCY_RESET = NoticeKind("emergency_reset", Severity.WARN)
WAITS = NoticeKind("waits_for_give_back", Severity.WARN)
GIVEN_BACK = NoticeKind("given_back", Severity.INFO)
GIVE_BACK_REFUSED = NoticeKind("give_back_refused", Severity.WARN)
RIVAL = NoticeKind("rival", Severity.ERROR, every_time=True)
RIVAL_GONE = NoticeKind("rival_gone", Severity.INFO, every_time=True)

UNNAMED = "a node without a name"
"""Stands for the name of a publisher whose node is not known, or not yet."""
