"""The ChangeMode service of a safety side."""

from __future__ import annotations

from typing import Protocol

from vdsim_protocol.request_check import refusal

from vdsim_interface.values import ChangeModeResult, Mode, Notice, notice_kinds
from vdsim_msgs.srv import ChangeMode


class ModeAuthority(Protocol):
    """What decides about the mode: a safety side, in this process or in the guard."""

    @property
    def mode(self) -> Mode:
        """Who drives."""

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Engage or disengage."""


def answer_change_mode(
    side: ModeAuthority, request: ChangeMode.Request, response: ChangeMode.Response, now: float
) -> tuple[Notice, ...]:
    """Fill in the response; return the notices to log. Disengaging needs no valid `check`."""
    if request.request not in (request.REQUEST_ENGAGE, request.REQUEST_DISENGAGE):
        response.success, response.mode = False, int(side.mode)
        response.reason = f"request={request.request}: must be 0 (disengage) or 1 (engage)"
        return ()
    why = refusal(request)
    if why and request.request == request.REQUEST_ENGAGE:
        response.success, response.mode, response.reason = False, int(side.mode), why
        return (Notice(notice_kinds.ENGAGE_REFUSED, f"engage refused: {why}"),)
    result, notices = side.on_change_mode(request.request == request.REQUEST_ENGAGE, now)
    response.success, response.reason = result.success, result.reason
    response.mode = int(result.mode)
    return notices
