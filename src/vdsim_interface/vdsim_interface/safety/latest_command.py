"""The latest command of the stack: how old it is, and what arrived instead of it."""

import math

from vdsim_interface.values import (
    ControlLevel,
    NoticeKind,
    RawCommand,
    VehicleCommand,
    notice_kinds,
)

NEVER_S = -math.inf
"""Time of receipt of what was never received [s]."""
REJECTED_WORDS = {
    notice_kinds.WRONG_LEVEL: " (commands of another level come)",
    notice_kinds.NON_FINITE_COMMAND: " (those that come are not finite)",
    notice_kinds.STALE_COMMAND: " (those that come are too old)",
}


class LatestCommand:
    """Holds the latest accepted command and the reason of the latest rejection.

    `command`: None before the first. `timeout_s`: the age up to which it is fresh.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.command: VehicleCommand | RawCommand | None = None
        self._rejected = notice_kinds.WRONG_LEVEL, NEVER_S

    def age_s(self, now: float) -> float:
        """Return the age of the command [s], infinite before the first."""
        return math.inf if self.command is None else now - self.command.stamp_s

    def reject(self, kind: NoticeKind, now: float) -> None:
        """Remember that a command was rejected, and why."""
        self._rejected = kind, now

    def rejected(self, now: float) -> str:
        """Name what arrives instead of commands that could pass; empty when nothing does."""
        kind, at_s = self._rejected
        return REJECTED_WORDS[kind] if 0.0 <= now - at_s <= self.timeout_s else ""

    def missing(self, level: ControlLevel, now: float) -> str:
        """Describe that no command arrives; empty while the latest one is fresh."""
        age_s = self.age_s(now)
        if math.isinf(age_s):
            return f"no command of level {level.value} has come{self.rejected(now)}"
        if age_s > self.timeout_s:
            return f"commands of level {level.value} do not come any more{self.rejected(now)}"
        return ""
