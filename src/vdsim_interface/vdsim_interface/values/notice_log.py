"""Notices of the cores -> log lines; a kind that repeats is throttled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vdsim_interface.values import Notice, NoticeKind, Severity, notice_kinds

_LINK_LOST = (notice_kinds.LINK_TIMEOUT, notice_kinds.LATE_REPORT)
_QUIET_S = {Severity.INFO: 5.0, Severity.WARN: 2.0, Severity.ERROR: 1.0}


class NoticeLog:
    """Writes notices to a node's logger."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._logged_s: dict[NoticeKind, float] = {}
        self._suppressed: dict[NoticeKind, int] = {}
        self._is_loss_hidden = False  # so is its end: four ends of one error are no news

    def write(self, notices: Iterable[Notice], now: float) -> None:
        """Log each notice, unless one of its kind was logged just before."""
        for notice in notices:
            quiet_s = 0.0 if notice.kind.every_time else _QUIET_S[notice.severity]
            since_s = now - self._logged_s.get(notice.kind, -1e9)
            is_hidden = 0.0 <= since_s < quiet_s
            if notice.kind in _LINK_LOST:
                self._is_loss_hidden = is_hidden
            if is_hidden or (notice.kind == notice_kinds.LINK_RESTORED and self._is_loss_hidden):
                self._suppressed[notice.kind] = self._suppressed.get(notice.kind, 0) + 1
                continue
            more = self._suppressed.pop(notice.kind, 0)
            suffix = f" (and {more} more of this kind)" if more else ""
            self._logged_s[notice.kind] = now
            self._write(notice.severity, f"{notice.text}{suffix}")

    def _write(self, severity: Severity, text: str) -> None:
        # One line of code for each severity: rclpy identifies a logging call by its source line.
        if severity is Severity.ERROR:
            self._logger.error(text)
        elif severity is Severity.WARN:
            self._logger.warning(text)
        else:
            self._logger.info(text)
