"""Reports of the cores -> log lines; a kind that repeats is throttled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vdsim_interface.arbitration.reports import MuxReportKind
from vdsim_interface.values import Report, ReportKind, Severity

_QUIET_S = {Severity.INFO: 5.0, Severity.WARN: 2.0, Severity.ERROR: 1.0}
# One line each time: they mark a change, and are rare.
_ALWAYS: frozenset[ReportKind | MuxReportKind] = frozenset(
    {
        ReportKind.MODE_CHANGED,
        ReportKind.ENGAGE_REFUSED,
        ReportKind.LINK_RESTORED,
        MuxReportKind.RIVAL,
        MuxReportKind.RIVAL_GONE,
    }
)


class ReportLog:
    """Writes reports to a node's logger."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._told_s: dict[ReportKind, float] = {}
        self._swallowed: dict[ReportKind, int] = {}

    def write(self, reports: Iterable[Report], now: float) -> None:
        """Log what has not just been said."""
        for report in reports:
            quiet_s = 0.0 if report.kind in _ALWAYS else _QUIET_S[report.severity]
            since_s = now - self._told_s.get(report.kind, -1e9)
            if 0.0 <= since_s < quiet_s:
                self._swallowed[report.kind] = self._swallowed.get(report.kind, 0) + 1
                continue
            more = self._swallowed.pop(report.kind, 0)
            suffix = f" (and {more} more of this kind)" if more else ""
            self._told_s[report.kind] = now
            self._write(report.severity, f"{report.text}{suffix}")

    def _write(self, severity: Severity, text: str) -> None:
        # One line of code for each severity: rclpy keys a logging call by where it stands.
        if severity is Severity.ERROR:
            self._logger.error(text)
        elif severity is Severity.WARN:
            self._logger.warning(text)
        else:
            self._logger.info(text)
