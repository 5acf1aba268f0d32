"""The guard's view of the shell: whether one is there, and which of its frames count.

    connection ──▶ ShellSession ──▶ frames that count
                        │
                        └──▶ silent: the commands are stale, autonomy ends

Every frame passes the checks of FrameReader. A frame that is older than the command time-out,
because either process did not run, is stale: its commands do not count, and neither does a request
to engage. What makes the car safer, or a person has done, counts at any age: the end of autonomy,
the driver's switch, the state of the cabin, an emergency stop and its release; and so do requests
for gear and lamps, which are named only once. Rejected and stale frames are no sign of life.
"""

import math

from vdsim_interface.guard.frames import (
    TO_GUARD,
    Activate,
    AuxiliaryReceived,
    ChangeMode,
    CommandReceived,
    Configure,
    Frame,
    FrameReader,
    Front,
    Reject,
    StateReceived,
)
from vdsim_interface.values import Mode, Notice, notice_kinds

SHELL_GONE = "the ROS shell has ended"
SHELL_SILENT = "the ROS shell does not send"
_AGES = (Front, CommandReceived, AuxiliaryReceived, Activate, Configure)


class ShellSession:
    """One connection of a shell. `timeout_s`: the age up to which its frames are fresh."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._reader = FrameReader(TO_GUARD)
        self._fresh_s = -math.inf
        self._stale_n = 0

    def on_frame(self, data: bytes, now: float) -> tuple[Frame | None, tuple[Notice, ...]]:
        """Check a frame; return it if it counts, else the notice of why it does not."""
        outcome = self._reader.read(data, now)
        if isinstance(outcome, Reject):
            return None, (_dropped(str(outcome)),)
        age_s = now - outcome.sent_s
        if age_s <= self.timeout_s:
            self._fresh_s = outcome.sent_s
        elif ages(outcome):
            self._stale_n += 1
            return None, (_dropped(f"it is {age_s:.1f} s old"),)
        return outcome, ()

    def is_silent(self, now: float) -> bool:
        """Whether the last frame that counts is too old."""
        return now - self._fresh_s > self.timeout_s

    def counts(self) -> dict[str, float]:
        """How many frames were lost, stale or rejected, by name."""
        rejected = sum(self._reader.rejected.values())
        return {
            "shell_lost": float(self._reader.lost_n),
            "shell_stale": float(self._stale_n),
            "shell_rejected": float(rejected),
        }


def ages(frame: Frame) -> bool:
    """Whether a frame of this kind stops to count with age."""
    payload = frame.payload
    if isinstance(payload, StateReceived):
        # The shell names each change once: one that is lost is never named again.
        request = payload.request
        return bool(request.autonomous) or request.mode is Mode.AUTONOMOUS
    return isinstance(payload, _AGES) or (isinstance(payload, ChangeMode) and payload.engage)


def _dropped(why: str) -> Notice:
    return Notice(notice_kinds.LINK_REJECT, f"frame of the ROS shell dropped: {why}")
