"""What the command mux has to say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from vdsim_interface.values.notices import Severity


class MuxReportKind(str, Enum):
    """Everything that the mux reports."""

    TOOK_OVER = "took_over"
    SAFE_STOP = "safe_stop"
    HOLDING = "holding"
    RELEASED = "released"
    LOCK = "lock"
    COMMAND_REJECTED = "command_rejected"
    STATE_COMMAND_IGNORED = "state_command_ignored"
    RIVAL = "rival"
    RIVAL_GONE = "rival_gone"


_SEVERITIES = {
    MuxReportKind.SAFE_STOP: Severity.ERROR,
    MuxReportKind.LOCK: Severity.WARN,
    MuxReportKind.COMMAND_REJECTED: Severity.WARN,
    MuxReportKind.STATE_COMMAND_IGNORED: Severity.WARN,
    MuxReportKind.RIVAL: Severity.ERROR,
}


@dataclass(frozen=True)
class MuxReport:
    """Something happened; `text` is one sentence for a person."""

    kind: MuxReportKind
    text: str

    @property
    def severity(self) -> Severity:
        """How loudly a shell passes it on."""
        return _SEVERITIES.get(self.kind, Severity.INFO)
