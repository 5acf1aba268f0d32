"""Whether the sources of the inputs that autonomy requires are alive: cabin state, driver switch.

A source is alive while it has a publisher, was received, and, if it repeats its messages, repeats
them within three of its own periods. A source that publishes changes only (latched) is alive as
long as its publisher exists.
"""

import math
from collections import deque

from vdsim_interface.safety.parameters import SafetyParameters

REPEATS_N = 3
"""As many equal messages in a row show that a source repeats itself."""
PERIODS_MAX = 3.0
"""A source that repeats itself is silent after this many of its own periods."""


class RequiredInput:
    """One input, by the name of its topic."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._publishers_n = 0
        self._last: object = None
        self._last_s = math.inf
        self._intervals_s: deque[float] = deque(maxlen=REPEATS_N)

    def on_message(self, message: object, now: float) -> None:
        """Note a message."""
        if message != self._last:
            self._intervals_s.clear()
        elif math.isfinite(self._last_s):
            self._intervals_s.append(now - self._last_s)
        self._last, self._last_s = message, now

    def on_publishers(self, count: int) -> None:
        """Note how many publishers the topic has."""
        self._publishers_n = count

    def restart(self) -> None:
        """Time jumped back: judge the repetition again."""
        self._intervals_s.clear()
        self._last_s = math.inf

    def fault(self, now: float) -> str:
        """Return why the source is not alive; empty while it is."""
        if not self._publishers_n:
            return f"nobody publishes {self._topic}, which is required"
        if self._last is None:
            return f"{self._topic} is required and was not received yet"
        silence_s = now - self._last_s
        if len(self._intervals_s) == REPEATS_N:
            period_s = max(self._intervals_s)
            if silence_s > PERIODS_MAX * period_s:
                return f"{self._topic} is silent for {silence_s:.2f} s, and is required"
        return ""


class RequiredInputs:
    """Cabin state and driver switch. `lost`: why those that are required are not alive."""

    def __init__(self) -> None:
        self.cabin = RequiredInput("cabin_state")
        self.switch = RequiredInput("driver_override")
        self.lost: tuple[str, ...] = ()

    def on_publishers(self, cabin_n: int, switch_n: int) -> None:
        """Note how many publishers each topic has."""
        self.cabin.on_publishers(cabin_n)
        self.switch.on_publishers(switch_n)

    def restart(self) -> None:
        """Time jumped back: judge the repetition of both again."""
        self.cabin.restart()
        self.switch.restart()

    def check(self, limits: SafetyParameters, now: float) -> bool:
        """Judge those that are required; return whether one has just been lost."""
        if not (limits.cabin_required or limits.driver_switch_required):
            self.lost = ()
            return False
        faults = []
        if limits.cabin_required and limits.applies("cabin_unsecured"):
            faults.append(self.cabin.fault(now))
        if limits.driver_switch_required:
            faults.append(self.switch.fault(now))
        had_fault = bool(self.lost)
        self.lost = tuple(fault for fault in faults if fault)
        return bool(self.lost) and not had_fault
