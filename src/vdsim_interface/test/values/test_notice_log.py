"""Log lines of notices: what repeats is throttled, and an end is logged where its begin was."""

from __future__ import annotations

from vdsim_interface.values import Notice, notice_kinds
from vdsim_interface.values.notice_log import NoticeLog


class Lines:
    """A logger that keeps what it is given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def info(self, text: str) -> None:
        self.texts.append(text)

    warning = error = info


def test_four_short_losses_are_one_error_and_one_end() -> None:
    lines = Lines()
    log = NoticeLog(lines)
    for n in range(4):
        log.write([Notice(notice_kinds.LINK_TIMEOUT, "no report")], 0.2 * n)
        log.write([Notice(notice_kinds.LINK_RESTORED, "vehicle link restored")], 0.2 * n + 0.1)
    assert lines.texts == ["no report", "vehicle link restored"]
    log.write([Notice(notice_kinds.LINK_TIMEOUT, "no report")], 5.0)
    log.write([Notice(notice_kinds.LINK_RESTORED, "vehicle link restored")], 5.1)
    assert lines.texts[2:] == [
        "no report (and 3 more of this kind)",
        "vehicle link restored (and 3 more of this kind)",
    ]


def test_an_end_without_a_begin_is_logged() -> None:
    lines = Lines()
    NoticeLog(lines).write([Notice(notice_kinds.LINK_RESTORED, "vehicle link up")], 0.0)
    assert lines.texts == ["vehicle link up"]


def test_the_end_of_a_late_report_follows_that_one_and_no_older_loss() -> None:
    lines = Lines()
    log = NoticeLog(lines)
    log.write([Notice(notice_kinds.LINK_TIMEOUT, "no report")], 0.0)
    log.write([Notice(notice_kinds.LINK_TIMEOUT, "no report")], 0.1)
    log.write([Notice(notice_kinds.LATE_REPORT, "late")], 0.2)
    log.write([Notice(notice_kinds.LINK_RESTORED, "restored")], 0.3)
    assert lines.texts == ["no report", "late", "restored"]
